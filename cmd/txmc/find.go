package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore/find"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/requests"
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

Exit status: 0 none found; 1 bugs; 2 usage, load or build; 3 nothing was understood, or the search was
interrupted or its budget over, with none found so far.`
}

func (x *findCmd) check() error { return x.Check() }

func (x *findCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	x.Server.Confirm, x.Version = x.Confirm != "", version()
	if slices.ContainsFunc(x.Packages, requests.Is) {
		return x.pairs(sig.Soft, stdout, stderr)
	}
	return onLoan(sig.Soft, database.Flags{DSN: x.Confirm, YesScratch: x.YesScratch}, &x.Server, stderr, func() int {
		status, err := x.Do(sig.Soft, stdout, stderr)
		if err != nil {
			fmt.Fprintln(stderr, "txmc:", err)
		}
		return int(status)
	})
}

// pairs explores the pairs of the requests in a file.
func (x *findCmd) pairs(ctx context.Context, stdout, stderr *os.File) int {
	if len(x.Packages) != 1 {
		fmt.Fprintln(stderr, "txmc: give one file of requests, and nothing else")
		return statusError
	}
	return onLoan(ctx, database.Flags{DSN: x.Confirm, YesScratch: x.YesScratch}, &x.Server, stderr, func() int {
		f := requests.Find{Name: x.Packages[0], Level: x.Level(), Timeout: x.Timeout, Server: x.Server, Format: x.Format, Verbose: x.Verbose}
		status, err := f.Do(ctx, stdout, stderr)
		if err != nil {
			fmt.Fprintln(stderr, "txmc:", worded(err))
		}
		return int(status)
	})
}
