package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore/find"
	"github.com/txmc/txmc/server/database"
)

// findCmd is the command line of txmc find.
type findCmd struct {
	find.Command
	YesScratch string `placeholder:"NAME" help:"The database of that name may be used although its name does not begin with txmc_."`
}

// Help is what txmc find --help says beyond the flags.
func (*findCmd) Help() string {
	return `Finds the transactions in the packages' code, the cycles of dependencies that the level does not forbid, and calls and
rows in which they can happen; then runs the packages' own functions on PostgreSQL or MySQL, and reports outcomes that no serial
order gives. Nothing is called an anomaly that was not run. docs/find.md says what is understood.

Exit status: 0 none found; 1 anomalies; 2 usage, load or build; 3 interrupted, with none found
so far.`
}

func (x *findCmd) check() error { return x.Check() }

func (x *findCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	x.Server.Confirm = x.Confirm != ""
	return onLoan(sig.Soft, database.Flags{DSN: x.Confirm, YesScratch: x.YesScratch}, &x.Server, stderr, func() int {
		status, err := x.Do(sig.Soft, stdout, stderr)
		if err != nil {
			fmt.Fprintln(stderr, "txmc:", err)
		}
		return int(status)
	})
}
