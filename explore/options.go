package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/watched"
)

// Options say how programs are explored. The command has them as flags, go test as
// options of a check, and the harness gets them as JSON. Who receives them does not
// change them.
type Options struct {
	// Levels are the isolation levels, explored one after another. There are none where InSQL
	// are levels of which each database has its own: [Options.LevelsOf] asks then.
	Levels []isolation.Level `json:"levels" kong:"-"`
	// InSQL, unless empty, takes the place of Levels for programs whose statements run under a
	// model of their database. They are explored at these levels when nobody has asked for
	// levels, or somebody has by words of databases. A program is explored at those of its
	// database.
	InSQL []isolation.Level `json:"in_sql,omitempty" kong:"-"`

	Base         string        `json:"base" placeholder:"LEVEL" help:"What the search itself keeps to: cc, ra, rc, true, or none for the baseline without reduction. By default the strongest that the level allows."`
	Engine       string        `json:"engine" default:"auto" placeholder:"NAME" help:"How pc, si and ser are explored: swap, by filtering what the base allows; serial, directly; auto, the one that looks faster. ${default} by default."`
	Symmetry     string        `json:"symmetry" default:"declared" placeholder:"WHICH" help:"Which sessions are taken for alike, so that one history of each kind is explored: declared, those of Program.Sessions; find, also others that look alike; off. ${default} by default."`
	Unasserted   string        `json:"unasserted" default:"serializable" enum:"serializable,nothing" placeholder:"WHAT" help:"What is checked of programs that assert nothing, by no Final, Invariant, Serializable or Assert: serializable, that their outcomes are those of serial orders; nothing, to count histories. ${default} by default."`
	Timeout      time.Duration `json:"timeout" placeholder:"D" help:"Stop after this long, for each program and level, as in 1m30s; no limit by default."`
	MaxHistories int64         `json:"max_histories" placeholder:"N" help:"Stop after so many histories, for each program and level; no limit by default."`
	// Interruptions bounds how often a session is interrupted that could go on; nil: not at all.
	Interruptions *int          `json:"interruptions,omitempty" placeholder:"N" help:"At a level of a database: explore what there is with at most N interruptions, each a switch to another session while the one before is in a transaction and could go on. The verdict says so."`
	MaxOps        int           `json:"max_ops" default:"1000" placeholder:"N" help:"More operations than that in a transaction are an error; ${default} by default."`
	MaxTreeBytes  int64         `json:"max_tree_bytes" default:"268435456" placeholder:"N" help:"Memory for what sessions were seen to do, in bytes; what does not fit is run again on demand. 256 MiB by default."`
	Patience      time.Duration `json:"patience" default:"10s" placeholder:"D" help:"How long client code may go without returning to the API; ${default} by default."`
	Workers       int           `json:"workers" placeholder:"N" help:"Goroutines that explore; one for each core by default. With --workers=1 histories are always found in the same order."`
	MaxValue      int           `json:"max_value" placeholder:"N" help:"Storing a value whose encoding takes more bytes than that is an error; 1 MiB by default."`
	Recheck       int           `json:"recheck" default:"16" placeholder:"N" help:"Run every N-th new behaviour of a session again, and the first ones, to see whether it repeats; 0: none. ${default} by default."`

	// DatabaseVersion is the version of PostgreSQL for programs that choose none, or the number of an access.Product; 0: as
	// program.Serving has it.
	DatabaseVersion int `json:"database_version,omitempty" kong:"-"`
	// Clock is when the clock of the database begins, for programs that ask for it.
	Clock time.Time `json:"clock,omitzero" kong:"-"`

	// Shown keeps what clients see of the answers of a database, to compare it with another.
	Shown bool `json:"shown,omitempty" kong:"-"`

	// Prints lets client code print; otherwise reports show what it prints.
	Prints bool `json:"prints,omitempty" kong:"-"`

	// Dir is the directory from which the user looks at source files.
	Dir string `json:"dir,omitempty" kong:"-"`
}

// Scope says how much of what there is to find is wanted.
type Scope struct {
	All  bool `json:"all" help:"Do not stop at the first violation."`
	List bool `json:"list" help:"Print every history; implies --all."`
	// Ways takes executions of a program under a database's model, and not one for each outcome:
	// all in which the session that goes on changes at most Switches times.
	Ways     bool `json:"ways,omitempty" kong:"-"`
	Switches int  `json:"switches,omitempty" kong:"-"`
	// Group reports, with All, the smallest violation of each cause only.
	Group bool `json:"group" kong:"-"`
	// Few bounds the schedules that run on a real server; nil bounds none.
	Few *Few `json:"few,omitempty" kong:"-"`
}

// Few are some of the schedules of programs on a real server. Where a program has no more than Most, all of
// them run. Else those of two kinds do: the schedule of Orders, and the schedules in which sessions that could
// go on are interrupted at most [MostInterruptions] times.
type Few struct {
	Most   int64               `json:"most"`   // schedules of each kind
	Orders map[string][]string `json:"orders"` // by program: sessions in the order of their steps
}

// MostInterruptions bounds how often sessions are interrupted in few schedules: so often that each of
// two is once.
const MostInterruptions = 2

// SearchLeftOpen reports whether nothing says how axiomatic levels are searched.
func (o *Options) SearchLeftOpen() bool {
	return o.Base == "" && (o.Engine == "" || strings.EqualFold(o.Engine, "auto"))
}

// Defaults are the options where none are given.
func Defaults() Options {
	return Options{Engine: string(dpor.Auto), Symmetry: Declared, Recheck: program.DefaultRecheck}
}

// Program are the options of the client program.
func (o *Options) Program() program.Options {
	recheck := o.Recheck
	if recheck == 0 { // which stands for the default there
		recheck = -1
	}
	return program.Options{MaxOps: o.MaxOps, MaxTreeBytes: o.MaxTreeBytes, MaxValueBytes: o.MaxValue, Dir: o.Dir, Patience: o.Patience, Recheck: recheck, Watched: watched.Variables(), Serving: program.Serving{Version: o.DatabaseVersion, Clock: o.Clock}, Keeping: program.Keeping{Shown: o.Shown, Prints: o.Prints}}
}

// Check reports whether the options can be used: each limit by itself, and base and
// engine at each level. The error is an [*OptionError].
func (o *Options) Check() error {
	const number, nonzero = "is negative: give a number, or leave it out for ", "must be at least 1"
	for _, limit := range []struct {
		wrong      bool
		name, what string
	}{
		{o.Timeout < 0, "timeout", "is negative: give a time such as 1m30s, or leave it out for no limit"},
		{o.MaxHistories < 0, "max-histories", number + "no limit"},
		{o.Interruptions != nil && *o.Interruptions < 0, "interruptions", number + "all executions"},
		{o.Workers < 0, "workers", number + "one worker for each core"},
		{o.MaxOps <= 0, "max-ops", nonzero},
		{o.MaxTreeBytes <= 0, "max-tree-bytes", nonzero},
		{o.MaxValue < 0, "max-value", "is negative: give a number of bytes, or leave it out for 1 MiB"},
		{o.Recheck < 0, "recheck", "is negative: give a number, or 0 to run nothing again"},
		{o.Patience <= 0, "patience", "must be more than zero, such as 10s"},
	} {
		if limit.wrong {
			return &OptionError{Wrong: OutOfRange, Option: limit.name, Value: limit.what}
		}
	}
	switch strings.ToLower(o.Symmetry) {
	case "", Declared, FindAlike, NoSymmetry:
	default:
		return &OptionError{Wrong: OutOfRange, Option: "symmetry", Value: fmt.Sprintf("is %q: say declared, find or off", o.Symmetry)}
	}
	for _, l := range o.Levels {
		if _, err := o.At(l); err != nil {
			return err
		}
	}
	return nil
}

// At are the options of the engine at a level. The error is an [*OptionError] when
// base, engine and level do not go together.
func (o *Options) At(level isolation.Level) (dpor.Options, error) {
	opts := dpor.Options{Level: level, Scope: dpor.Scope{MaxHistories: o.MaxHistories}, Workers: o.Workers}
	if level.Database() != isolation.NoDatabase {
		if o.Base != "" || o.Engine != "" && o.Engine != string(dpor.Auto) {
			return opts, &OptionError{Wrong: OfAxiomatic, Level: level}
		}
		return opts, nil
	}
	if err := o.setBase(&opts); err != nil {
		return opts, err
	}
	if err := o.setEngine(&opts); err != nil {
		return opts, err
	}
	return opts, nil
}

// setBase sets the base from its name: rc, ra, cc, true, none (the baseline without
// reduction), or "" for the default.
func (o *Options) setBase(opts *dpor.Options) *OptionError {
	opts.Base = opts.Level.Base()
	switch strings.ToLower(o.Base) {
	case "":
		return nil
	case "none":
		opts.DFS = true
		return nil
	}
	base, err := isolation.Parse(o.Base)
	if err != nil || !base.CausallyExtensible() {
		return &OptionError{Wrong: UnknownBase, Value: o.Base}
	}
	if !opts.Level.Base().Implies(base) {
		return &OptionError{Wrong: StrongBase, Value: base.String(), Level: opts.Level}
	}
	opts.Base = base
	return nil
}

// setEngine sets the engine from its name; "" stands for the default. A base that
// was asked for is one of swap, and serial explores PC, SI and SER only.
func (o *Options) setEngine(opts *dpor.Options) *OptionError {
	switch opts.Engine = dpor.Engine(strings.ToLower(o.Engine)); opts.Engine {
	case "", dpor.Swap:
		opts.Engine = dpor.Swap
	case dpor.Auto:
		if o.Base != "" {
			opts.Engine = dpor.Swap
		}
	case dpor.Serial:
		if o.Base != "" {
			return &OptionError{Wrong: BaseOfSerial, Value: o.Base}
		}
		if opts.Level.CausallyExtensible() {
			return &OptionError{Wrong: LevelOfSerial, Level: opts.Level}
		}
	default:
		return &OptionError{Wrong: UnknownEngine, Value: o.Engine}
	}
	return nil
}

// unbounded are the options of the engine at an axiomatic level, where nothing bounds interruptions.
func (o *Options) unbounded(level isolation.Level) (dpor.Options, error) {
	opts, err := o.At(level)
	if err == nil && o.Interruptions != nil {
		err = &OptionError{Wrong: OutOfRange, Option: "interruptions", Value: "is for levels of databases, such as pg-rc, and " + level.String() + " is none"}
	}
	return opts, err
}

// bound bounds the interruptions of sessions, where that was asked for.
func (o *Options) bound(opts *dpor.Options) {
	if o.Interruptions != nil && opts.Level.Database() != isolation.NoDatabase {
		opts.Near, opts.Deviations = true, *o.Interruptions
	}
}

// Limits names the limits that were set. The keys are the reasons that results give when an
// exploration was stopped.
func (o *Options) Limits(name Naming) map[string]string {
	return map[string]string{
		string(work.ByTimeout):      name("timeout", brief(o.Timeout)),
		string(work.ByMaxHistories): name("max-histories", fmt.Sprint(o.MaxHistories)),
	}
}

// brief is a duration as people write it: 1m, not 1m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
