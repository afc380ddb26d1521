package main

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// shared is what all commands that explore packages have in common.
type shared struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build: directories, import paths, patterns with \"...\"; the one in the current directory by default. Of several packages those without Explore functions are left out."`

	Base          string        `placeholder:"LEVEL" help:"What the search itself keeps to: cc, ra, rc, true, or none for the baseline without reduction. By default the strongest that the level allows."`
	Engine        string        `placeholder:"NAME" help:"How pc, si and ser are explored: swap, by filtering what the base allows; serial, directly; auto, the one that looks faster. swap by default."`
	Run           string        `placeholder:"REGEXP" help:"Only the functions whose names match."`
	Timeout       time.Duration `placeholder:"D" help:"Stop after this long, for each program and level, as in 1m30s; no limit by default."`
	MaxHistories  int64         `placeholder:"N" help:"Stop after so many histories, for each program and level; no limit by default."`
	MaxOps        int           `default:"1000" placeholder:"N" help:"More operations than that in a transaction are an error; ${default} by default."`
	MaxTreeBytes  int64         `default:"268435456" placeholder:"N" help:"Memory for what sessions were seen to do, in bytes; what does not fit is run again on demand. 256 MiB by default."`
	Patience      time.Duration `default:"10s" placeholder:"D" help:"How long client code may go without returning to the API; ${default} by default."`
	Workers       int           `placeholder:"N" help:"Goroutines that explore; one for each core by default. With --workers=1 histories are always found in the same order."`
	Output        string        `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Tags          string        `placeholder:"TAGS" help:"Build tags, as for go build."`
	Recheck       int           `default:"16" placeholder:"N" help:"Run every N-th new behaviour of a session again, and the first ones, to see whether it repeats; 0: none. ${default} by default."`
	Progress      string        `default:"auto" enum:"auto,plain,off" placeholder:"HOW" help:"auto: on a terminal one line that changes, elsewhere as plain; plain: a line now and then; off. ${default} by default. With --format=json the lines are JSON, in the report."`
	ProgressEvery time.Duration `default:"30s" placeholder:"D" help:"How often a plain line of progress is printed; ${default} by default."`
	Quiet         bool          `help:"Print only the lines of what is not ok, and errors. With --format=json it silences progress only."`
	Verbose       bool          `short:"v" help:"Say what is done, and more counts."`

	dir  string // where the packages are looked for, if not in the current directory
	only string // the one package that is meant, if not all
}

// check rejects what does not go with the levels.
func (x *shared) check(levels []isolation.Level) error {
	for _, l := range levels {
		o := dpor.Options{Level: l}
		if err := o.SetBase(x.Base); err != nil {
			return fmt.Errorf("--base: %w", err)
		}
		if err := o.SetEngine(x.Engine, x.Base); err != nil {
			return err
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
	case x.Recheck < 0:
		return errors.New("--recheck is negative: give a number, or 0 to run nothing again")
	case x.ProgressEvery < 0:
		return errors.New("--progress-every is negative: give a time such as 30s")
	case x.Patience <= 0:
		return errors.New("--patience must be more than zero, such as 10s")
	}
	return nil
}
