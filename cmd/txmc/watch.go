package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/txmc/txmc/harness"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// watch runs a harness and shows what it reports.
func (e *explorer) watch(p *load.Package, h *load.Harness, found *warnings) error {
	x := e.options
	opts := harness.Options{
		Version: harness.Version, Package: p.Path, Base: x.Base, Engine: x.Engine, All: x.All, List: x.List, Group: x.All && x.Format != "json",
		MaxHistories: x.MaxHistories, MaxOps: x.MaxOps, MaxTreeBytes: x.MaxTreeBytes, Workers: x.Workers, Timeout: x.Timeout, Patience: x.Patience,
	}
	for _, l := range x.levels {
		opts.Levels = append(opts.Levels, l.String())
	}
	opts.Guess = x.showsProgress()
	if opts.Recheck = x.Recheck; opts.Recheck == 0 {
		opts.Recheck = -1
	}
	if e.task != nil {
		e.task.ask(&opts)
	}
	if err := e.keeper.ask(p, h, &opts); err != nil {
		return err
	}
	config, err := json.Marshal(opts)
	if err != nil {
		return err
	}
	e.saver.next()
	w := &watcher{explorer: e, pkg: p, warnings: found}
	err = h.Run(e.sig.hard, e.sig.soft.Done(), []string{harness.Variable + "=" + string(config)}, e.bar.beside(e.stderr), w.line)
	e.bar.clear()
	if err := e.show(w.warnings); err != nil {
		return err
	}
	if e.sig.interrupted() {
		if err := e.leaveOut(p); err != nil {
			return err
		}
	}
	if e.task != nil {
		if err := e.task.end(e); err != nil {
			return err
		}
	}
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err != nil && !ended:
		return err
	case w.ended:
		return nil
	case e.sig.interrupted():
		fmt.Fprintln(e.stderr, "txmc: killed: there is no result for what was being explored")
		return nil
	}
	e.note(statusError)
	return e.out.error(w.vanished(p, exit))
}

// watcher follows the lines of one harness.
type watcher struct {
	*explorer
	pkg      *load.Package
	warnings *warnings
	at       harness.Progress
	shown    float64 // seconds of progress at the last plain line
	ended    bool
}

func (w *watcher) line(line []byte) error {
	if err := w.show(w.warnings); err != nil {
		return err
	}
	switch report.Type(line) {
	case harness.TypeEnd:
		w.ended = true
	case harness.TypeProgress:
		if w.ended {
			return nil
		}
		w.at = harness.Progress{}
		if err := json.Unmarshal(line, &w.at); err != nil {
			return garbled(err)
		}
		w.bar.show(&w.at)
		return w.plain(&w.at)
	case report.TypeResult:
		var r report.Result
		if err := report.Parse(line, &r); err != nil {
			return garbled(err)
		}
		w.result(&r)
		w.reached(w.pkg.Path, r.Program, r.Iso)
		w.bar.clear()
		if err := w.printed(&r, line); err != nil {
			return err
		}
		return w.keeper.finished(w.explorer, &r, line)
	case harness.TypeCheckpoint:
		return w.keeper.keep(w.explorer, w.pkg, line)
	case report.TypeViolation:
		w.bar.clear()
		if err := w.saver.violation(w.pkg, line); err != nil {
			return err
		}
		w.keeper.show(line)
		return w.out.violation(line)
	case report.TypeHistory:
		w.bar.clear()
		if w.out.histories == 0 {
			w.out.histories = w.keeper.listed(w.pkg.Path, w.at.Program, w.at.Iso)
		}
		return w.out.history(line)
	case report.TypeError:
		w.note(statusError)
		w.bar.clear()
		var e report.Error
		if err := report.Parse(line, &e); err != nil {
			return garbled(err)
		}
		w.failed(&e)
		return w.out.error(&e)
	default:
		if w.task == nil {
			return garbled(fmt.Errorf("%.60q", line))
		}
		w.bar.clear()
		return w.task.line(w.explorer, report.Type(line), line)
	}
	return nil
}

// failed notes what an error is about: of a program, the levels that follow as
// well, unless there are loops without a bound.
func (w *watcher) failed(e *report.Error) {
	iso := ""
	if e.Kind == program.Unbounded.String() && e.Iso != "" {
		iso = e.Iso
	}
	w.reached(w.pkg.Path, e.Program, iso)
}

// printed prints a result.
func (w *watcher) printed(r *report.Result, line []byte) error {
	if err := w.out.result(r, line); err != nil || w.options.Format != "text" || w.options.Quiet {
		return err
	}
	return w.out.write(w.saver.command(r))
}

func garbled(err error) error {
	return fmt.Errorf("the harness sent what this command does not understand: %w (did client code write to file descriptor %d?)", err, harness.Descriptor)
}

// vanished explains a harness that ended without saying so.
func (w *watcher) vanished(p *load.Package, exit *exec.ExitError) *report.Error {
	how := "exit status 0"
	if exit != nil {
		how = exit.String()
	}
	var why string
	switch {
	case exit != nil && !exit.Exited():
		why = "it was killed, by hand or because memory ran out"
	case exit != nil && exit.ExitCode() == 2:
		why = "a panic outside the sessions or a fatal error of the Go runtime stands above, or client code called os.Exit"
	default:
		why = "client code may have called os.Exit or log.Fatal: a session that has to stop should return, or use Assert"
	}
	return &report.Error{
		Type: report.TypeError, Schema: report.Schema, Package: p.Path, Program: w.at.Program, Iso: w.at.Iso, Kind: "exited",
		Message: fmt.Sprintf("the process that runs the client code ended by itself (%s): %s%s", how, why, w.rest(p)),
	}
}

// rest says which functions of the package were not reached.
func (w *watcher) rest(p *load.Package) string {
	var names []string
	reached := w.at.Program == ""
	for _, f := range p.Functions {
		if reached {
			names = append(names, f.Name)
		}
		reached = reached || f.Name == w.at.Program
	}
	if len(names) == 0 {
		return ""
	}
	return "; not explored: " + strings.Join(names, ", ")
}
