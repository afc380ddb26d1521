package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/workload"
)

// generateCmd is the command line of txmc generate.
type generateCmd struct {
	workload.Options

	Output string `short:"o" placeholder:"FILE" help:"Write to that file, compressed if its name ends in .gz or .zst, instead of the standard output."`
}

// Help is what txmc generate --help says beyond the flags.
func (*generateCmd) Help() string {
	return `Makes a recorded history: a workload run on a simulated store that keeps an isolation level, or that has a bug.
No database is needed. txmc check reads what is written.

Exit status: 0 when the history is written; 2 otherwise; 3 when it was interrupted.`
}

func (x *generateCmd) check() error {
	err := x.Options.Check()
	if wrong := (*workload.OptionError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("--%s: %w", wrong.Option, wrong.Err)
	}
	return err
}

func (x *generateCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	return written(sig, x.write(sig, stdout), stderr)
}

// write writes the history. When that fails no file is left.
func (x *generateCmd) write(sig *signals.Signals, stdout *os.File) error {
	w, err := format.Create(x.Output, stdout)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return w.End(x.Options.Write(sig.Soft, w))
}
