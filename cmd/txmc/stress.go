package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/server/stress"
)

// stressCmd is the command line of txmc stress.
type stressCmd struct {
	stress.Options

	Iso     string        `default:"si" placeholder:"LEVEL" help:"Decide whether the history is one of these levels, as txmc check does: rc, ra, cc, pc, si, ser, several with commas, or all; ${default} by default."`
	Timeout time.Duration `placeholder:"D" help:"Give up deciding after this long, for each level; no limit by default."`
	Format  string        `default:"text" enum:"text,json,html,dot" placeholder:"FORMAT" help:"How verdicts are shown: text, json, html or dot; ${default} by default."`
	History string        `short:"o" placeholder:"FILE" help:"Keep the history in that file. Without it, it is kept in a temporary file unless all levels are satisfied."`
	To      string        `default:"txmc" placeholder:"FORMAT" help:"The format of the history in that file: ${writable}; ${default} by default. It is recorded in the format txmc in any case, in FILE.txmc while it is not done."`
	Quiet   bool          `help:"Print only what is not satisfied, and errors."`

	checking checkCmd
	to       *format.Format
}

// Help is what txmc stress --help says beyond the flags.
func (*stressCmd) Help() string {
	return `Runs a workload with many clients on a real database server, records what they see as a history, and decides whether
it keeps the promise of an isolation level. The database must be a scratch one; the tables are the run's own, and gone in the end.

Exit status: 0 all levels are satisfied; 1 one is violated; 2 usage, or a server that does not do what the workload needs;
3 undecided, or interrupted before all transactions had run. Of several, 2 counts before 1 before 3.`
}

func (x *stressCmd) check() (err error) {
	if x.to, err = format.Writable(x.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	x.checking = checkCmd{Iso: x.Iso, Init: "first", By: "reads", VersionOrder: x.Certificate, Timeout: x.Timeout, Format: x.Format, Quiet: x.Quiet}
	if err := x.checking.check(); err != nil {
		return err
	}
	return x.Options.Check()
}

func (x *stressCmd) run(stdout, stderr *os.File) int {
	sig := catchSignals()
	defer sig.stop()
	recorded := x.recorded()
	result, err := stress.Run(sig.soft, &x.Options, recorded)
	if result != nil && !x.Quiet {
		fmt.Fprintln(stderr, "txmc:", result)
	}
	if err != nil {
		fmt.Fprintln(stderr, "txmc:", err)
		return statusError
	}
	status := statusOK
	if result.Stopped {
		status = statusIncomplete
	}
	x.checking.Paths = []string{recorded}
	status = worse(status, x.checking.run(stdout, stderr))
	return worse(status, x.keep(sig, recorded, status == statusOK, stderr))
}

// recorded is the file in which the history is recorded.
func (x *stressCmd) recorded() string {
	if x.to.Name != "txmc" && x.History != "" {
		return x.History + ".txmc"
	}
	return cmp.Or(x.History, filepath.Join(os.TempDir(), fmt.Sprintf("txmc-stress-%d.jsonl", os.Getpid())))
}

// keep keeps the history where it is wanted, in the format that is wanted.
func (x *stressCmd) keep(sig *signals, recorded string, satisfied bool, stderr *os.File) int {
	switch {
	case x.History == "" && satisfied:
		os.Remove(recorded)
	case x.History == "":
		fmt.Fprintln(stderr, "txmc: the history is in", recorded)
	case x.to.Name != "txmc":
		c := convertCmd{Path: recorded, To: x.To, Output: x.History, to: x.to}
		return written(sig, c.main(sig.soft, os.Stdout), stderr)
	}
	return statusOK
}
