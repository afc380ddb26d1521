package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// run explores and returns the exit status.
func (x *explore) run(stdout, stderr *os.File) int { return x.runTask(stdout, stderr, nil) }

// runTask does so with a task, or without.
func (x *explore) runTask(stdout, stderr *os.File, t task) int {
	// Like the go command: where programs may be run from can be set apart.
	temp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "txmc-")
	if err != nil {
		fmt.Fprintf(stderr, "txmc: cannot make a temporary directory: %v\n", err)
		return statusError
	}
	defer os.RemoveAll(temp)
	sig := catchSignals()
	defer sig.stop()
	e := &explorer{options: x, keeper: newKeeper(x), task: t, saver: newSaver(x), temp: temp, sig: sig, stderr: stderr, bar: newProgress(x, stderr)}
	status, err := e.main(stdout)
	e.bar.clear()
	if sig.interrupted() {
		status = worse(status, statusIncomplete)
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		e.complain(err)
	}
	return status
}

// explorer goes through the packages.
type explorer struct {
	options *explore
	task    task // nil to explore
	saver   *saver
	temp    string
	sig     *signals
	stderr  io.Writer
	bar     *progress
	out     *output
	keeper  *keeper
	status  int
	seen    map[at]bool // what the report says something about: unreached.go
}

// main loads the packages, then builds and runs one after another. It returns
// the status and what keeps it from going on.
func (e *explorer) main(stdout *os.File) (status int, err error) {
	x := e.options
	config := load.Config{Dir: x.dir, Patterns: x.Packages, Tags: x.Tags, Run: x.Run, Temp: e.temp}
	if x.Verbose {
		config.Log = e.log
	}
	loaded, err := load.Load(e.sig.soft, config)
	for _, w := range loaded.Warnings {
		fmt.Fprintln(e.stderr, "txmc: warning:", w)
	}
	if err != nil {
		return e.failed(err)
	}
	if err := e.keeper.fits(loaded.Packages); err != nil {
		return statusError, err
	}
	if e.out, err = newOutput(x, duplicates(loaded.Packages), stdout, e.stderr); err != nil {
		return statusError, err
	}
	if err := e.keeper.begin(e); err != nil {
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
	if closing := e.out.close(); err == nil {
		err = closing
	}
	if err != nil {
		return e.failed(err)
	}
	return e.status, nil
}

// failed is the status after an error that ends everything.
func (e *explorer) failed(err error) (int, error) {
	if errors.Is(err, context.Canceled) && e.sig.interrupted() {
		return worse(e.status, statusIncomplete), errBuilding
	}
	return statusError, err
}

var errBuilding = errors.New("interrupted while building: nothing that follows was explored")

// explore builds and runs one package. An error is one that ends everything.
func (e *explorer) explore(p *load.Package) error {
	if e.options.Vet == vetAlone {
		if e.sig.interrupted() {
			return nil
		}
		return e.vet(p)
	}
	if e.sig.interrupted() {
		return e.passOver(p)
	}
	w := e.warn(p)
	defer w.stop()
	harness, err := p.Build(e.sig.soft)
	w.hasBuilt()
	if e.sig.interrupted() {
		e.complain(errBuilding)
		return e.passOver(p)
	}
	if err != nil {
		e.complain(err)
		e.note(statusError)
		return nil
	}
	return e.watch(p, harness, w)
}

func (e *explorer) log(format string, args ...any) {
	fmt.Fprintf(e.stderr, "txmc: "+format+"\n", args...)
}

// complain shows an error: the go command's own words as they are.
func (e *explorer) complain(err error) {
	e.bar.clear()
	if t, ok := errors.AsType[*load.ToolError](err); ok {
		fmt.Fprintln(e.stderr, t.Error())
		return
	}
	fmt.Fprintln(e.stderr, "txmc:", err)
}

func (e *explorer) note(status int) { e.status = worse(e.status, status) }

// duplicates are the names that functions of several packages have.
func duplicates(list []*load.Package) map[string]bool {
	seen, twice := map[string]bool{}, map[string]bool{}
	for _, p := range list {
		for _, f := range p.Functions {
			twice[f.Name] = twice[f.Name] || seen[f.Name]
			seen[f.Name] = true
		}
	}
	return twice
}

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
