package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/driver"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/explore/spec"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/database"
	"github.com/txmc/txmc/server/requests"
)

// replayCmd is the command line of txmc replay.
type replayCmd struct {
	File    string `arg:"" help:"A violation that txmc explore has saved."`
	Package string `arg:"" optional:"" help:"The package, as a directory or import path, where it is no longer in the directory that the file names."`

	Iso      string        `placeholder:"LEVEL" help:"Judge the history at this level; at the one that was explored by default."`
	Format   string        `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text or json; ${default} by default."`
	Patience time.Duration `default:"10s" placeholder:"D" help:"How long client code may go without returning to the API; ${default} by default."`
	Output   string        `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Verbose  bool          `short:"v" help:"Say what is done."`

	Determinism string `default:"on" enum:"on,off" env:"TXMC_DETERMINISM" placeholder:"WHAT" help:"As for txmc explore; ${default} by default."`

	database.Flags

	file  *replay.File
	level isolation.Level
}

// Help is what txmc replay --help says beyond the flags.
func (*replayCmd) Help() string {
	return `Runs a recorded history again in today's code, step by step: the transactions in the recorded order, each read
with the value of the transaction that it read from. Says "reproduced", "no longer allowed" or "no longer violated", or where
exactly the code does something else now.

Exit status: 1 reproduced; 0 not reproduced; 2 usage, build, nondeterminism or a file that is no violation.`
}

func (x *replayCmd) check() error {
	var err error
	if x.file, err = replay.Read(x.File); err != nil {
		return err
	}
	if x.File, err = filepath.Abs(x.File); err != nil {
		return err
	}
	if x.level, err = x.file.At(x.Iso); err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	if x.Patience <= 0 {
		return fmt.Errorf("--patience must be more than zero, such as 10s")
	}
	return nil
}

func (x *replayCmd) run(stdout, stderr *os.File) int {
	v := x.file.Violation
	o := driver.Options{
		Options: explore.Options{
			Levels: []isolation.Level{x.level}, MaxOps: x.file.MaxOps, Patience: x.Patience, Recheck: program.DefaultRecheck,
		},
		Packages: []string{v.Package}, Run: "^" + regexp.QuoteMeta(v.Program) + "$", Tags: x.file.Tags,
		Output: x.Output, Verbose: x.Verbose, Determinism: x.Determinism,
	}
	o.Clock, _ = time.Parse(time.RFC3339Nano, v.Clock)
	o.Dir, _ = os.Getwd()
	switch stat, err := os.Stat(x.file.Dir); {
	case requests.Is(v.Package), spec.Is(v.Package):
		o.Packages = []string{cmp.Or(x.Package, filepath.Join(x.file.Dir, v.Package))}
	case x.Package != "":
		o.Packages = []string{x.Package}
	case err == nil && stat.IsDir():
		o.Packages, o.Within, o.Only = []string{"."}, x.file.Dir, v.Package
	}
	return driveOn(x.Flags, driver.Config{Format: x.Format, Options: o, Task: &driver.Replay{File: x.File}}, stdout, stderr)
}
