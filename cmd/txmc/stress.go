package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/server/stress"
)

// stressCmd is the command line of txmc stress.
type stressCmd struct {
	stress.Options
	stress.Kept

	Iso     string        `default:"si" placeholder:"LEVEL" help:"Decide whether the history is one of these levels, as txmc check does: rc, ra, cc, pc, si, ser, several with commas, or all; ${default} by default."`
	Timeout time.Duration `placeholder:"D" help:"Give up deciding after this long, for each level; no limit by default."`
	Format  string        `default:"text" enum:"text,json,html,dot" placeholder:"FORMAT" help:"How verdicts are shown: text, json, html or dot; ${default} by default."`
	Quiet   bool          `help:"Print only what is not satisfied, and errors."`

	checking checkCmd
}

// Help is what txmc stress --help says beyond the flags.
func (*stressCmd) Help() string {
	return `Runs a workload with many clients on a real database server, records what they see as a history, and decides whether
it keeps the promise of an isolation level. The database must be a scratch one; the tables are the run's own, and gone in the end.

Exit status: 0 all levels are satisfied; 1 one is violated; 2 usage, or a server that does not do what the workload needs;
3 undecided, or interrupted before all transactions had run. Of several, 2 counts before 1 before 3.`
}

func (x *stressCmd) check() error {
	if err := x.Kept.Check(); err != nil {
		return err
	}
	by := judge.ByReads
	if x.Serial {
		by = judge.BySerial
		switch x.Order = strings.ToLower(x.Iso); x.Order {
		case "ser":
		case "si":
			by = judge.ByTimestamps
		default:
			return errors.New("--serial asks for the order of all transactions: add --iso=ser, or for TiDB, whose timestamps are those of snapshot isolation, --iso=si")
		}
	}
	x.checking = checkCmd{Paths: []string{x.Recorded()}, Iso: x.Iso, Init: "first", By: string(by), VersionOrder: x.Certificate, Timeout: x.Timeout, Format: x.Format, Quiet: x.Quiet}
	if err := x.checking.check(); err != nil {
		return err
	}
	return x.Options.Check()
}

func (x *stressCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	result, err := stress.Run(sig.Soft, &x.Options, x.Recorded())
	if result != nil && !x.Quiet {
		fmt.Fprintln(stderr, "txmc:", result)
	}
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err.Error()+x.Failed())
		return statusError
	}
	status := x.checking.run(stdout, stderr)
	said, err := x.Kept.End(sig.Hard, status == statusOK && !result.Stopped)
	if said != "" {
		fmt.Fprintln(stderr, "txmc:", said)
	}
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	case result.Stopped:
		return worse(status, statusIncomplete)
	}
	return status
}
