package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// watch runs a harness and shows what it reports.
func (e *explorer) watch(p *load.Package, h *load.Harness, found *load.Warnings) error {
	x := e.options
	plan, err := e.keeper.Plan(p.Path, h.Binary)
	if err != nil {
		return err
	}
	q := harness.Request{
		Version: harness.Version, Package: p.Path, Options: x.Options, Scope: x.Scope, Guess: x.showsProgress(),
		Checkpoint: plan.Every, Done: plan.Done, Resume: plan.Resume,
	}
	if e.task != nil {
		e.task.ask(&q)
	}
	config, err := json.Marshal(q)
	if err != nil {
		return err
	}
	e.saver.Next()
	w := &watcher{explorer: e, pkg: p, warnings: found}
	out := &harness.Output{To: e.bar.Beside(e.stderr), Dir: x.Dir}
	err = h.Run(e.sig.Hard, e.sig.Soft.Done(), []string{harness.Variable + "=" + string(config)}, out, w.line)
	out.Close()
	e.bar.Clear()
	if err := w.warn(true); err != nil {
		return err
	}
	if e.sig.Interrupted() {
		if err := e.leaveOut(p); err != nil {
			return err
		}
	}
	if e.task != nil {
		if err := e.task.end(e); err != nil {
			return err
		}
	}
	var exit *exec.ExitError
	ended := errors.As(err, &exit)
	switch {
	case err != nil && !ended:
		return err
	case w.ended:
		return nil
	case e.sig.Interrupted():
		fmt.Fprintln(e.stderr, "txmc: killed: there is no result for what was being explored")
		return nil
	}
	e.note(statusError)
	var functions []string
	for _, f := range p.Functions {
		functions = append(functions, f.Name)
	}
	return e.out.Error(harness.Vanished(p.Path, functions, &w.at, exit, out))
}

// watcher follows the lines of one harness.
type watcher struct {
	*explorer
	pkg      *load.Package
	warnings *load.Warnings
	at       harness.Progress
	shown    float64 // seconds of progress at the last plain line
	ended    bool
}

// warn shows the warnings, once: before the report, or at its end if they take long.
func (w *watcher) warn(last bool) error {
	found := w.warnings
	if found == nil || !last && !found.Soon(w.sig.Soft) {
		return nil
	}
	w.warnings = nil
	return w.explorer.show(w.pkg, found)
}

// line shows a line of the harness.
func (w *watcher) line(line []byte) error {
	if err := w.warn(false); err != nil {
		return err
	}
	err := w.event(report.Type(line), line)
	var wrong *report.LineError
	if errors.As(err, &wrong) {
		return harness.Garbled(wrong.Err)
	}
	return err
}

func (w *watcher) event(kind string, line []byte) error {
	switch kind {
	case harness.TypeEnd:
		w.ended = true
		return nil
	case harness.TypeProgress:
		return w.progress(line)
	case explore.TypeCheckpoint:
		if err := w.keeper.Keep(w.pkg.Path, line); err != nil {
			return err
		}
		return w.keeper.Write(w.out.Written, w.file)
	}
	w.bar.Clear()
	switch kind {
	case report.TypeResult:
		return w.ends(line)
	case report.TypeViolation:
		if err := w.saver.Save(w.pkg.Path, w.pkg.Dir, line); err != nil {
			return err
		}
		w.keeper.Show(line)
		return w.out.Violation(line)
	case report.TypeHistory:
		if w.out.Listed == 0 {
			w.out.Listed = w.keeper.Listed(w.pkg.Path, w.at.Program, w.at.Iso)
		}
		return w.out.History(line)
	case report.TypeError:
		w.note(statusError)
		var e report.Error
		if err := report.Parse(line, &e); err != nil {
			return err
		}
		w.failed(&e)
		return w.out.Error(&e)
	}
	if w.task == nil {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	return w.task.line(w.explorer, kind, line)
}

// progress shows where the harness is.
func (w *watcher) progress(line []byte) error {
	if w.ended {
		return nil
	}
	w.at = harness.Progress{}
	if err := report.Parse(line, &w.at); err != nil {
		return err
	}
	w.bar.Show(w.at.String())
	return w.plain(&w.at)
}

// ends shows the result of a program and level.
func (w *watcher) ends(line []byte) error {
	var r report.Result
	if err := report.Parse(line, &r); err != nil {
		return err
	}
	w.result(&r)
	w.reached(w.pkg.Path, r.Program, r.Iso)
	if err := w.printed(&r, line); err != nil {
		return err
	}
	if w.keeper.Finish(&r, line) {
		return w.keeper.Write(w.out.Written, w.file)
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
	if err := w.out.Result(r, line); err != nil || w.options.Format != "text" || w.options.Quiet {
		return err
	}
	if command := w.saver.Command(r); command != "" {
		return w.out.Write("  replay   " + command + "\n\n")
	}
	return nil
}
