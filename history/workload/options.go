package workload

import (
	"context"
	"io"

	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/isolation"
)

// Options say what to generate and how to write it. The command has them as flags.
type Options struct {
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

	config Config
	format *format.Format
}

// OptionError is what is wrong with the value of one of the [Options].
type OptionError struct {
	Option string // its name, in lower case
	Err    error
}

// Error is the error where it is not known how options are given.
func (e *OptionError) Error() string { return e.Option + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the option.
func (e *OptionError) Unwrap() error { return e.Err }

// Check says what is wrong with the options, by an [*OptionError] where it is one of them. It
// must be called before Write.
func (o *Options) Check() error {
	c, err := Preset(o.Preset)
	if err != nil {
		return &OptionError{"preset", err}
	}
	for to, from := range map[*int]*int{&c.Sessions: o.Sessions, &c.Txns: o.Txns, &c.Ops: o.Ops, &c.Keys: o.Keys} {
		if from != nil {
			*to = *from
		}
	}
	if o.Reads != nil {
		c.Reads = *o.Reads
	}
	if o.Distribution != "" {
		if c.Keyed, err = ParseDistribution(o.Distribution); err != nil {
			return &OptionError{"distribution", err}
		}
	}
	if c.Level, err = isolation.Parse(o.Store); err != nil {
		return &OptionError{"store", err}
	}
	if c.Bug, err = ParseBug(o.Bug); err != nil {
		return &OptionError{"bug", err}
	}
	if o.format, err = format.Writable(o.To); err != nil {
		return &OptionError{"to", err}
	}
	c.Values, c.Aborts, c.Unknowns, c.Bugs, c.Seed, c.VersionOrder = o.Values, o.Aborts, o.Unknowns, o.Bugs, o.Seed, o.VersionOrder
	o.config = c
	return c.Check()
}

// Write runs the workload and writes the history.
func (o *Options) Write(ctx context.Context, w io.Writer) error {
	g, err := New(o.config)
	if err != nil {
		return err
	}
	to, end, err := o.format.Write(w)
	if err != nil {
		return err
	}
	awdit := o.format.Name == "awdit" // which has neither interleaved sessions nor initial values
	how := Recording{Timed: o.Timestamps, Committed: o.OnlyCommitted, Sorted: awdit, Written: awdit}
	if err := g.Record(ctx, how, to); err != nil {
		return err
	}
	return end()
}
