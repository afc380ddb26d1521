package main

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/alecthomas/kong"
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// cli is the command line.
type cli struct {
	Version kong.VersionFlag `help:"Print the version."`
	Explore explore          `cmd:"" help:"Explore every func ExploreXxx(p *txmc.Program) of the packages."`
}

// explore is the command line of txmc explore.
type explore struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build: directories, import paths, patterns with \"...\"; the one in the current directory by default. Of several packages those without Explore functions are left out."`

	Iso          string        `default:"si" placeholder:"LEVEL" help:"Isolation levels: ${default} by default, or rc, ra, cc, pc, si, ser, several with commas, or all."`
	Base         string        `placeholder:"LEVEL" help:"What the search itself keeps to: cc, ra, rc, true, or none for the baseline without reduction. By default the strongest that the level allows."`
	Run          string        `placeholder:"REGEXP" help:"Explore only the functions whose names match."`
	Timeout      time.Duration `placeholder:"D" help:"Stop after this long, for each program and level, as in 1m30s; no limit by default."`
	MaxHistories int64         `placeholder:"N" help:"Stop after so many histories, for each program and level; no limit by default."`
	MaxOps       int           `default:"1000" placeholder:"N" help:"More operations than that in a transaction are an error; ${default} by default."`
	MaxTreeBytes int64         `default:"268435456" placeholder:"N" help:"Memory for what sessions were seen to do, in bytes; what does not fit is run again on demand. 256 MiB by default."`
	Patience     time.Duration `default:"10s" placeholder:"D" help:"How long client code may go without returning to the API; ${default} by default."`
	Workers      int           `placeholder:"N" help:"Goroutines that explore; one for each core by default. With --workers=1 histories are always found in the same order."`
	All          bool          `help:"Do not stop at the first violation."`
	List         bool          `help:"Print every history; implies --all."`
	Format       string        `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a line; ${default} by default."`
	Output       string        `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Tags         string        `placeholder:"TAGS" help:"Build tags, as for go build."`
	Quiet        bool          `help:"Print only the lines of what is not ok, and errors. With --format=json it silences progress only."`
	Verbose      bool          `short:"v" help:"Say what is done, and more counts."`

	levels []isolation.Level
}

// Help is what txmc explore --help says beyond the flags.
func (*explore) Help() string {
	return `Compiles the packages with a generated main function, without writing into their directories, and runs
every Explore function through every history that the level allows.

Exit status: 0 explored completely and clean; 1 a violation; 2 usage, build, nondeterminism or unsupported code;
3 incomplete: --timeout, --max-histories or an interrupt. Of several, 2 counts before 1 before 3.`
}

// check rejects what can be rejected before anything is built.
func (x *explore) check() error {
	var err error
	if x.levels, err = isolation.ParseList(x.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	for _, l := range x.levels {
		o := dpor.Options{Level: l}
		if err := o.SetBase(x.Base); err != nil {
			return fmt.Errorf("--base: %w", err)
		}
	}
	if x.Run != "" {
		if _, err := regexp.Compile(x.Run); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	switch {
	case x.Timeout < 0:
		return errors.New("--timeout is negative: give a time such as 1m30s, or leave it out for no limit")
	case x.MaxHistories < 0:
		return errors.New("--max-histories is negative: give a number, or leave it out for no limit")
	case x.Workers < 0:
		return errors.New("--workers is negative: give a number, or leave it out for one worker for each core")
	case x.MaxOps <= 0:
		return errors.New("--max-ops must be at least 1")
	case x.MaxTreeBytes <= 0:
		return errors.New("--max-tree-bytes must be at least 1")
	case x.Patience <= 0:
		return errors.New("--patience must be more than zero, such as 10s")
	}
	x.All = x.All || x.List
	return nil
}
