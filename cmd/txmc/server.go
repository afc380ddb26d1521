package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/requests"
	"github.com/txmc/txmc/server/specs"
)

// comparison is what is compared with the model: "" for nothing.
type comparison string

const (
	bySchedules comparison = "schedules" // all orders of the statements
	freely      comparison = "free"      // runs in which nobody is held
)

// IsBool says that the flag needs no value.
func (*comparison) IsBool() bool { return true }

// Decode takes the value of the flag.
func (c *comparison) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		*c = bySchedules
		return nil
	}
	switch value := ctx.Scan.Pop().String(); value {
	case "true", string(bySchedules):
		*c = bySchedules
	case "false":
		*c = ""
	case string(freely):
		*c = freely
	default:
		return fmt.Errorf("is %q: say --compare for all orders of the statements, or --compare=free for runs in which nobody is held", value)
	}
	return nil
}

// freeRuns says what --compare=free asks for.
func (x *exploreCmd) freeRuns() *explore.FreeRuns {
	r := &explore.FreeRuns{Runs: x.Runs, Seed: x.Seed}
	if r.Seed == 0 {
		r.Seed = uint64(rand.Uint32())
	}
	return r
}

// checkServer rejects what does not go with a real server.
func (x *exploreCmd) checkServer() error {
	switch {
	case x.DSN != "" && x.Confirm != "":
		return errors.New("--confirm does not go with --dsn: what is found on a server needs no confirmation")
	case x.Compare != "" && x.DSN == "":
		return errors.New("--compare goes with --dsn: it compares a real server with the model")
	case x.DSN != "" && (x.Checkpoint != "" || x.Resume != "" || x.Base != "" || x.Workers > 1):
		return errors.New("--dsn does not go with --checkpoint, --resume, --base and --workers: schedules run one after another, each from the beginning")
	case (x.DSN != "" || x.Confirm != "") && x.Many.Cluster != "":
		return errors.New("--cluster does not go with --dsn and --confirm: the server is for one process")
	case x.Compare != "" && x.List:
		return errors.New("--compare does not go with --list: it prints the outcomes that only one of both has")
	case x.Compare != "" && x.Format != "text" && x.Format != "json":
		return errors.New("--compare goes with --format=text and --format=json")
	case x.Compare == freely && x.Runs == 0 && x.Timeout == 0:
		return errors.New("--runs=0 goes with --timeout: nothing else ends the runs")
	case x.Compare == freely && x.Runs < 0:
		return errors.New("--runs is negative: give a number of runs, or 0 and --timeout")
	}
	x.Shown = x.Compare != ""
	return nil
}

// driveOn is drive with a database, which programs have for that time, where the flags name one.
func driveOn(f database.Flags, c driver.Config, stdout, stderr *os.File) int {
	if err := filesOf(&c); err != nil {
		fmt.Fprintln(stderr, "txmc:", worded(err))
		return statusError
	}
	sig := signals.Catch()
	defer sig.Stop()
	c.Version, c.Worded = version(), worded
	p := driver.Process{Stdout: stdout, Stderr: stderr, Soft: sig.Soft, Hard: sig.Hard}
	return onLoan(sig.Soft, f, &c.Server, stderr, func() int { return int(driver.Run(c, p)) })
}

// filesOf makes packages of files of requests or of isolationtester, where those are named.
func filesOf(c *driver.Config) (err error) {
	switch {
	case c.Made != nil:
		return nil
	case slices.ContainsFunc(c.Packages, spec.Is):
		if c.Cluster.Cluster != "" {
			return errors.New("--cluster does not go with files of isolationtester: other machines do not have the file")
		}
		c.Made, err = specs.Packages(c.Packages, c.Run)
		return err
	case !slices.ContainsFunc(c.Packages, requests.Is):
		return nil
	}
	switch {
	case c.Keeper != nil:
		return errors.New("--checkpoint and --resume do not go with files of requests: what the application keeps in memory is in no checkpoint")
	case c.Cluster.Cluster != "":
		return errors.New("--cluster does not go with files of requests: the application runs on this machine")
	}
	c.Workers = max(c.Workers, 1) // the application serves one run at a time: with one worker the counts are always the same
	c.Made, err = requests.Packages(c.Packages, c.Run)
	return err
}

// onLoan calls f with a database, where the flags name one: on says then where it is.
func onLoan(ctx context.Context, flags database.Flags, on *explore.OnServer, stderr *os.File, f func() int) int {
	if flags.DSN == "" {
		return f()
	}
	loan, err := database.Lend(ctx, flags.DSN, flags.YesScratch)
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	on.DSN, on.Kind = loan.Where()
	on.Own = strings.Contains(flags.DSN, ":temp")
	status := f()
	if err := loan.End(); err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	return status
}
