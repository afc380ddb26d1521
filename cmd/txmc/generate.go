package main

import (
	"fmt"
	"os"

	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/workload"
	"github.com/txmc/txmc/isolation"
)

// generateCmd is the command line of txmc generate.
type generateCmd struct {
	Preset       string   `default:"default" placeholder:"NAME" help:"What the workload is like: ${default} (20 sessions of 100 transactions of 15 operations, half of them reads, 10000 keys, zipfian), general-rh, general-rw or general-wh (25 sessions of 400 transactions of 8 operations, 95, 50 or 30 percent reads, 10000 keys, uniform). The flags below change it."`
	Sessions     *int     `placeholder:"N" help:"Concurrent sessions."`
	Txns         *int     `placeholder:"N" help:"Transactions of each session that commit."`
	Ops          *int     `placeholder:"N" help:"Operations of a transaction."`
	Reads        *float64 `placeholder:"SHARE" help:"Share of reads among the operations, 0 to 1."`
	Keys         *int     `placeholder:"N" help:"Keys."`
	Distribution string   `placeholder:"NAME" help:"How often keys are used: uniform, zipfian, or hotspot, 80 percent of the operations on 20 percent of the keys."`
	Values       int      `placeholder:"N" help:"Write values from 1 to N, which repeat; by default every value is unique."`
	Aborts       float64  `placeholder:"SHARE" help:"Share of transactions that the client rolls back; the store aborts others that its level does not let commit."`
	Unknowns     float64  `placeholder:"SHARE" help:"Share of transactions of whose end the client does not hear."`

	Store string `default:"si" placeholder:"LEVEL" help:"The isolation level that the simulated store keeps: rc, ra, cc, pc, si or ser; ${default} by default."`
	Bug   string `default:"none" placeholder:"NAME" help:"What is wrong with the store: lost-update, stale-read, lost-write, dirty-read, causality, long-fork or write-skew."`
	Bugs  int    `default:"1" placeholder:"N" help:"How often the bug shows; ${default} by default."`
	Seed  uint64 `default:"1" placeholder:"N" help:"Equal seeds give equal histories; ${default} by default."`

	To            string `default:"txmc" placeholder:"FORMAT" help:"The format to write: ${writable}; ${default} by default."`
	Timestamps    bool   `help:"Tell when transactions began and committed."`
	VersionOrder  bool   `help:"Tell the order of the versions of each key; only the format txmc can."`
	OnlyCommitted bool   `help:"Leave out transactions that are not known to have committed, which some formats cannot express."`
	Output        string `short:"o" placeholder:"FILE" help:"Write to that file, compressed if its name ends in .gz or .zst, instead of the standard output."`

	config workload.Config
	format *format.Format
}

// Help is what txmc generate --help says beyond the flags.
func (*generateCmd) Help() string {
	return `Makes a recorded history: a workload run on a simulated store that keeps an isolation level, or that has a bug.
No database is needed. txmc check reads what is written.

Exit status: 0 when the history is written; 2 otherwise; 3 when it was interrupted.`
}

func (x *generateCmd) check() error {
	c, err := workload.Preset(x.Preset)
	if err != nil {
		return fmt.Errorf("--preset: %w", err)
	}
	for to, from := range map[*int]*int{&c.Sessions: x.Sessions, &c.Txns: x.Txns, &c.Ops: x.Ops, &c.Keys: x.Keys} {
		if from != nil {
			*to = *from
		}
	}
	if x.Reads != nil {
		c.Reads = *x.Reads
	}
	if x.Distribution != "" {
		if c.Keyed, err = workload.ParseDistribution(x.Distribution); err != nil {
			return fmt.Errorf("--distribution: %w", err)
		}
	}
	if c.Level, err = isolation.Parse(x.Store); err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	if c.Bug, err = workload.ParseBug(x.Bug); err != nil {
		return fmt.Errorf("--bug: %w", err)
	}
	if x.format, err = format.Writable(x.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	c.Values, c.Aborts, c.Unknowns, c.Bugs, c.Seed, c.VersionOrder = x.Values, x.Aborts, x.Unknowns, x.Bugs, x.Seed, x.VersionOrder
	x.config = c
	return c.Check()
}

func (x *generateCmd) run(stdout, stderr *os.File) int {
	sig := signals.Catch()
	defer sig.Stop()
	return written(sig, x.write(sig, stdout), stderr)
}

// write writes the history. When that fails no file is left.
func (x *generateCmd) write(sig *signals.Signals, stdout *os.File) (err error) {
	g, err := workload.New(x.config)
	if err != nil {
		return err
	}
	w, err := format.Create(x.Output, stdout)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	defer func() { err = w.End(err) }()
	to, end, err := x.format.Write(w)
	if err != nil {
		return err
	}
	awdit := x.format.Name == "awdit" // which has neither interleaved sessions nor initial values
	how := workload.Recording{Timed: x.Timestamps, Committed: x.OnlyCommitted, Sorted: awdit, Written: awdit}
	if err := g.Record(sig.Soft, how, to); err != nil {
		return err
	}
	return end()
}
