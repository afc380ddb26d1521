package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// watch runs a harness and shows what it reports.
func (d *Driver) watch(p *load.Package, h *load.Harness, found *load.Warnings) error {
	x := &d.Config
	plan, err := d.Keeper.Plan(p.Path, h.Binary)
	if err != nil {
		return err
	}
	q := harness.Request{
		Version: harness.Version, Package: p.Path, Programs: p.Names(), Options: x.Options.Options, Scope: x.Scope, Estimate: x.ShowsProgress(), Server: x.Server,
		Checkpoint: plan.Every, Done: plan.Done, Resume: plan.Resume,
	}
	q.Prints = x.Verbose
	if d.Task != nil {
		d.Task.Ask(&q)
	}
	d.Saver.Next()
	w := &watcher{Driver: d, pkg: p, warnings: found}
	first := &harness.First{To: d.bar.Beside(d.stderr), Most: harness.Shown}
	if x.Verbose {
		first.Most = 0
	}
	out := &harness.Output{To: first, Dir: x.Dir}
	err = d.run(h, q, out, w.line)
	out.Close()
	first.Close()
	d.bar.Clear()
	if err := w.warn(true); err != nil {
		return err
	}
	if d.interrupted() {
		if err := d.leaveOut(p); err != nil {
			return err
		}
	}
	if d.Task != nil {
		if err := d.Task.End(d); err != nil {
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
	case d.interrupted():
		fmt.Fprintln(d.stderr, "txmc: killed: there is no result for what was being explored")
		return nil
	}
	d.Note(Failed)
	return d.Out.Error(harness.Vanished(p.Path, p.Names(), &w.at, exit, out))
}

// run runs a harness, with the workers of a cluster if there is one.
func (d *Driver) run(h *load.Harness, q harness.Request, out io.Writer, each func([]byte) error) error {
	if d.cluster != nil {
		return d.cluster.Run(d.process.Hard, d.process.Soft.Done(), h, q, out, each)
	}
	config, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return h.Run(d.process.Hard, d.process.Soft.Done(), []string{harness.Variable + "=" + string(config)}, out, each)
}

// watcher follows the lines of one harness.
type watcher struct {
	*Driver
	pkg      *load.Package
	warnings *load.Warnings
	at       harness.Progress
	shown    float64 // seconds of progress at the last plain line
	ended    bool
}

// warn shows the warnings, once: before the report, or at its end if they take long.
func (w *watcher) warn(last bool) error {
	found := w.warnings
	if found == nil || !last && !found.Soon(w.process.Soft) {
		return nil
	}
	w.warnings = nil
	return w.Driver.show(w.pkg, found)
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
		if err := w.Keeper.Keep(w.pkg.Path, line); err != nil {
			return err
		}
		return w.Keeper.Write(w.Out.Written, w.file)
	}
	w.bar.Clear()
	switch kind {
	case report.TypeResult:
		return w.ends(line)
	case report.TypeViolation:
		line, err := w.Saver.Save(w.pkg.Path, w.pkg.Dir, line)
		if err != nil {
			return err
		}
		w.Keeper.Show(line)
		return w.Out.Violation(line)
	case report.TypeHistory:
		if w.Out.Listed == 0 {
			w.Out.Listed = w.Keeper.Listed(w.pkg.Path, w.at.Program, w.at.Iso)
		}
		return w.Out.History(line)
	case report.TypeError:
		w.Note(Failed)
		var e report.Error
		if err := report.Parse(line, &e); err != nil {
			return err
		}
		w.failed(&e)
		return w.Out.Error(&e)
	}
	if w.Task == nil {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	return w.Task.Line(w.Driver, kind, line)
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
	w.Reached(w.pkg.Path, r.Program, r.Iso)
	if err := w.printed(&r, line); err != nil {
		return err
	}
	if w.Keeper.Finish(&r, line) {
		return w.Keeper.Write(w.Out.Written, w.file)
	}
	return nil
}

// failed notes what an error is about: of a program, the levels that follow as
// well, unless there are loops without a bound.
func (w *watcher) failed(e *report.Error) {
	iso := ""
	if e.Kind == behaviour.Unbounded.String() && e.Iso != "" {
		iso = e.Iso
	}
	w.Reached(w.pkg.Path, e.Program, iso)
}

// printed prints a result.
func (w *watcher) printed(r *report.Result, line []byte) error {
	if err := w.Out.Result(r, line); err != nil || w.Format != "text" || w.Quiet {
		return err
	}
	command := w.Saver.Command(r)
	if command == "" {
		return nil
	}
	text := "  replay   " + command + "\n"
	if command = w.Saver.ServerCommand(r); command != "" {
		text += "  server   " + command + "\n"
	}
	return w.Out.Write(text + "\n")
}
