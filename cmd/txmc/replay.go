package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/txmc/txmc/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/replay"
	"github.com/txmc/txmc/report"
)

// again is the command line of txmc replay.
type again struct {
	File    string `arg:"" help:"A violation that txmc explore has saved."`
	Package string `arg:"" optional:"" help:"The package, as a directory or import path, where it is no longer in the directory that the file names."`

	Iso      string        `placeholder:"LEVEL" help:"Judge the history at this level; at the one that was explored by default."`
	Format   string        `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text or json; ${default} by default."`
	Patience time.Duration `default:"10s" placeholder:"D" help:"How long client code may go without returning to the API; ${default} by default."`
	Output   string        `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Verbose  bool          `short:"v" help:"Say what is done."`

	file  *replay.File
	level isolation.Level
}

// Help is what txmc replay --help says beyond the flags.
func (*again) Help() string {
	return `Runs a recorded history again in today's code, step by step: the transactions in the recorded order, each read
with the value of the transaction that it read from. Says "reproduced", "no longer allowed" or "no longer violated", or where
exactly the code does something else now.

Exit status: 1 reproduced; 0 not reproduced; 2 usage, build, nondeterminism or a file that is no violation.`
}

func (x *again) check() error {
	var err error
	if x.file, err = replay.Read(x.File); err != nil {
		return err
	}
	if x.File, err = filepath.Abs(x.File); err != nil {
		return err
	}
	iso := x.file.Violation.Iso
	if x.Iso != "" {
		iso = x.Iso
	}
	list, err := isolation.ParseList(iso)
	if err == nil && len(list) != 1 {
		err = fmt.Errorf("a history is judged at one level")
	}
	if err != nil {
		return fmt.Errorf("--iso: %w", err)
	}
	if x.Patience <= 0 {
		return fmt.Errorf("--patience must be more than zero, such as 10s")
	}
	x.level = list[0]
	return nil
}

func (x *again) run(stdout, stderr *os.File) int {
	v := x.file.Violation
	e := &explore{Format: x.Format, Save: saveNothing, levels: []isolation.Level{x.level}, shared: shared{
		Packages: []string{v.Package}, Run: "^" + regexp.QuoteMeta(v.Program) + "$", Tags: x.file.Tags,
		MaxOps: x.file.MaxOps, Patience: x.Patience, Recheck: program.DefaultRecheck, Output: x.Output, Verbose: x.Verbose,
	}}
	switch stat, err := os.Stat(x.file.Dir); {
	case x.Package != "":
		e.Packages = []string{x.Package}
	case err == nil && stat.IsDir():
		e.Packages, e.dir, e.only = []string{"."}, x.file.Dir, v.Package
	}
	return e.runTask(stdout, stderr, &rerun{file: x.File})
}

// rerun shows what becomes of a saved violation.
type rerun struct{ file string }

func (t *rerun) ask(o *harness.Options) { o.Mode, o.Replay = harness.ModeReplay, t.file }

func (t *rerun) line(e *explorer, kind string, line []byte) error {
	if kind != report.TypeReplay {
		return garbled(fmt.Errorf("%.60q", line))
	}
	r := &report.Replay{}
	if err := report.Parse(line, r); err != nil {
		return garbled(err)
	}
	if r.Verdict == report.Reproduced {
		e.note(statusViolation)
	}
	return e.out.show(r, func() string { return e.out.text.Replay(r) })
}

// unreached says nothing: that there is no verdict is what an interrupt says.
func (t *rerun) unreached(*explorer, *report.Result) error { return nil }

func (t *rerun) end(*explorer) error { return nil }
