package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/txmc/txmc/cmd/internal/bar"
	"github.com/txmc/txmc/cmd/internal/signals"
	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/checkpoint"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/output"
)

// run explores and returns the exit status.
func (x *exploreCmd) run(stdout, stderr *os.File) int { return x.runTask(stdout, stderr, nil) }

// runTask does so with a task, or without.
func (x *exploreCmd) runTask(stdout, stderr *os.File, t task) int {
	// Like the go command: where programs may be run from can be set apart.
	temp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "txmc-")
	if err != nil {
		fmt.Fprintf(stderr, "txmc: cannot make a temporary directory: %v\n", err)
		return statusError
	}
	defer os.RemoveAll(temp)
	sig := signals.Catch()
	defer sig.Stop()
	e := &explorer{options: x, keeper: x.keeper(), task: t, saver: x.saver(), temp: temp, sig: sig, stderr: stderr, bar: newProgress(x, stderr)}
	status, err := e.main(stdout)
	e.bar.Clear()
	if sig.Interrupted() {
		status = worse(status, statusIncomplete)
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		e.complain(err)
	}
	return status
}

// explorer goes through the packages.
type explorer struct {
	options *exploreCmd
	task    task // nil to explore
	saver   *replay.Saver
	temp    string
	sig     *signals.Signals
	stderr  io.Writer
	bar     *bar.Bar
	out     *output.Output
	file    *os.File // of the report; nil for the standard output
	keeper  *checkpoint.Keeper
	status  int
	seen    map[at]bool // what the report says something about: unreached.go
}

// main loads the packages, then builds and runs one after another. It returns
// the status and what keeps it from going on.
func (e *explorer) main(stdout *os.File) (status int, err error) {
	x := e.options
	config := load.Config{Dir: x.dir, Patterns: x.Packages, Tags: x.Tags, Run: x.Run, Temp: e.temp, Cache: load.CacheDir(), Determinism: x.Determinism == "on"}
	if x.Verbose {
		config.Log = e.log
	}
	loaded, err := load.Load(e.sig.Soft, config)
	for _, w := range loaded.Warnings {
		fmt.Fprintln(e.stderr, "txmc: warning:", w)
	}
	if err != nil {
		return e.failed(err)
	}
	if err := e.keeper.Fits(paths(loaded.Packages)); err != nil {
		return statusError, err
	}
	if err := e.open(load.Duplicates(loaded.Packages), stdout); err != nil {
		return statusError, err
	}
	if err := e.begin(); err != nil {
		return statusError, err
	}
	if x.only != "" && !slices.ContainsFunc(loaded.Packages, func(p *load.Package) bool { return p.Path == x.only }) {
		return statusError, fmt.Errorf("package %s is no longer in %s: name the package after the file", x.only, x.dir)
	}
	for _, p := range loaded.Packages {
		if x.only != "" && p.Path != x.only {
			continue
		}
		if err = e.explore(p); err != nil {
			break
		}
	}
	if closing := e.close(); err == nil {
		err = closing
	}
	if err != nil {
		return e.failed(err)
	}
	return e.status, nil
}

// failed is the status after an error that ends everything.
func (e *explorer) failed(err error) (int, error) {
	if errors.Is(err, context.Canceled) && e.sig.Interrupted() {
		return worse(e.status, statusIncomplete), errBuilding
	}
	return statusError, err
}

var errBuilding = errors.New("interrupted while building: nothing that follows was explored")

// explore builds and runs one package. An error is one that ends everything.
func (e *explorer) explore(p *load.Package) error {
	if e.options.Vet == vetAlone {
		if e.sig.Interrupted() {
			return nil
		}
		return e.vet(p)
	}
	if e.sig.Interrupted() {
		return e.passOver(p)
	}
	var w *load.Warnings
	if e.options.Vet == vetWarn {
		w = p.Warn(e.sig.Soft)
	}
	defer w.Stop()
	built, err := p.Build(e.sig.Soft)
	w.Built()
	if e.sig.Interrupted() {
		e.complain(errBuilding)
		return e.passOver(p)
	}
	if err != nil {
		e.complain(err)
		e.note(statusError)
		return nil
	}
	return e.watch(p, built, w)
}

func (e *explorer) log(format string, args ...any) {
	fmt.Fprintf(e.stderr, "txmc: "+format+"\n", args...)
}

// complain shows an error: the go command's own words as they are.
func (e *explorer) complain(err error) {
	e.bar.Clear()
	var t *load.ToolError
	if errors.As(err, &t) {
		fmt.Fprintln(e.stderr, t.Error())
		return
	}
	fmt.Fprintln(e.stderr, "txmc:", worded(err))
}

func (e *explorer) note(status int) { e.status = worse(e.status, status) }

// result notes what a result means for the exit status.
func (e *explorer) result(r *report.Result) {
	switch {
	case r.Stopped == "error":
		e.note(statusError)
	case r.Violations > 0:
		e.note(statusViolation)
	case !r.Complete:
		e.note(statusIncomplete)
	}
}

func paths(list []*load.Package) []string {
	var all []string
	for _, p := range list {
		all = append(all, p.Path)
	}
	return all
}

// open begins the report. Names that several packages have are qualified.
func (e *explorer) open(qualify map[string]bool, stdout *os.File) (err error) {
	x := e.options
	o := output.Options{
		Format: x.Format, Version: version(), Quiet: x.Quiet, Verbose: x.Verbose, All: x.All, Stderr: e.stderr,
		Text: report.Text{Limits: x.Limits(explore.Flags), Qualify: qualify, Base: x.Base != ""},
	}
	o.Text.Colour = (x.Output == "" || x.Format != "text") && x.Format != output.GitHub && bar.Colours(stdout)
	to := stdout
	if x.Output != "" {
		if x.resumed == nil || output.AtEnd(x.Format) {
			e.file, err = os.Create(x.Output)
		} else {
			e.file, err = x.resumed.Continue(x.Output)
		}
		if err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		to, o.Beside = e.file, stdout
	}
	e.out = output.New(o, to)
	return nil
}

// close ends the report.
func (e *explorer) close() error {
	if err := e.out.Close(); err != nil || e.file == nil {
		return err
	}
	if err := e.file.Close(); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// begin shows what a checkpoint says was done before.
func (e *explorer) begin() error {
	old := e.keeper.Old()
	if old == nil {
		return e.keeper.Write(e.out.Written, e.file)
	}
	for i := range old.Done {
		e.result(&old.Done[i])
	}
	for _, line := range old.Shown {
		var err error
		if report.Type(line) == report.TypeViolation {
			err = e.out.Violation(line)
		} else {
			var r report.Result
			if err = report.Parse(line, &r); err == nil {
				err = e.out.Result(&r, line)
			}
		}
		if err != nil {
			return harness.Garbled(err)
		}
	}
	e.out.Written = old.Written
	if !e.options.Quiet {
		results := "results"
		if len(old.Done) == 1 {
			results = "result"
		}
		fmt.Fprintf(e.stderr, "txmc: resumed: %s: %d %s done, %d under way\n", e.options.Checkpoint, len(old.Done), results, len(old.Left))
	}
	return nil
}
