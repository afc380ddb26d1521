package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/txmc/txmc/bench"
	"github.com/txmc/txmc/cmd/internal/signals"
	"golang.org/x/term"
)

// benchCmd is the command line of txmc bench.
type benchCmd struct {
	bench.Config
}

// Help is what txmc bench --help says beyond the flags.
func (*benchCmd) Help() string {
	return `Explores client programs of five database applications, as in section 7 of "Dynamic Partial Order Reduction for
Checking Correctness against Transaction Isolation Levels" (PLDI 2023), one run after another, and prints histories,
end states, times and memory, then a summary of each algorithm. A full run takes up to an hour;
--app=courseware takes seconds.

Plots of the results are drawn by a command of its own:

    txmc bench --format=csv -o runs.csv
    go run github.com/txmc/txmc/bench/plots@latest -o DIR runs.csv

Exit status: 0 all was run, timeouts included; 2 usage, or client files that cannot be read; 3 interrupted: what there
is is shown.`
}

func (x *benchCmd) check() error { return x.Config.Check() }

func (x *benchCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	progress := io.Writer(stderr)
	if !term.IsTerminal(int(stderr.Fd())) {
		progress = nil
	}
	switch err := bench.Run(sig.Soft, x.Config, stdout, progress); {
	case err == nil:
		return statusOK
	case errors.Is(err, context.Canceled) && sig.Interrupted():
		fmt.Fprintln(stderr, "txmc: interrupted: the results are those of the runs that ended before")
		return statusIncomplete
	default:
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
}
