// Package driver explores packages as a command does: it loads them, builds the harness of
// each, runs one after another, keeps checkpoints, saves violations and writes the report.
// What is wanted of harnesses other than violations is a [Task].
package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/checkpoint"
	"github.com/txmc/txmc/explore/cluster"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/output"
	"github.com/txmc/txmc/report/terminal"
)

// Config is what is wanted.
type Config struct {
	Options
	explore.Scope
	Format  string                // of the report, as --format has it
	Version string                // of the command
	Made    []*load.Package       // explored instead of those that Packages names
	Vet     string                // VetWarn, VetOff or VetAlone
	Task    Task                  // nil to explore
	Cluster cluster.Options       // where to explore; the zero one is here
	Saver   *replay.Saver         // nil to save nothing
	Keeper  *checkpoint.Keeper    // nil for none
	Server  explore.OnServer      // where programs run; none under a model
	Worded  func(err error) error // adds to an error what the user can do on the command line
}

// Task is what else than exploring can be done with packages: it asks harnesses for it
// and understands what they answer.
type Task interface {
	// Ask completes the request to a harness.
	Ask(*harness.Request)
	// Line shows a line that exploring does not know.
	Line(d *Driver, kind string, line []byte) error
	// Unreached shows what a program and a level come to that were not reached.
	Unreached(d *Driver, r *report.Result) error
	// End follows the last line of a harness.
	End(d *Driver) error
}

// Process is the process that drives.
type Process struct {
	Stdout, Stderr *os.File
	Soft           context.Context // asks for an end with the counts so far
	Hard           context.Context // ends at once
}

// Driver goes through the packages.
type Driver struct {
	Config
	Out *output.Output

	process Process
	stderr  io.Writer
	temp    string
	bar     *terminal.Bar
	file    *os.File         // of the report; nil for the standard output
	cluster *cluster.Cluster // nil: this process's harnesses explore
	status  Status
	seen    map[at]bool // what the report says something about: unreached.go
}

// Run goes through the packages and returns what it comes to. Errors are on the
// process's standard error then.
func Run(c Config, p Process) Status {
	// Like the go command: where programs may be run from can be set apart.
	temp, err := os.MkdirTemp(os.Getenv("GOTMPDIR"), "txmc-")
	if err != nil {
		fmt.Fprintf(p.Stderr, "txmc: cannot make a temporary directory: %v\n", err)
		return Failed
	}
	defer os.RemoveAll(temp)
	if c.Saver == nil {
		c.Saver = &replay.Saver{}
	}
	d := &Driver{Config: c, process: p, stderr: p.Stderr, temp: temp, bar: newProgress(&c.Options, p.Stderr)}
	status, err := d.main()
	d.bar.Clear()
	if d.interrupted() {
		status = status.Worse(Incomplete)
	}
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		d.complain(err)
	}
	return status
}

// interrupted reports whether the process was asked to end.
func (d *Driver) interrupted() bool { return d.process.Soft.Err() != nil }

// main loads the packages, then builds and runs one after another. It returns
// the status and what keeps it from going on.
func (d *Driver) main() (status Status, err error) {
	x := &d.Config
	config := load.Config{Server: x.Server.Package(), Dir: x.Within, Patterns: x.Packages, Tags: x.Tags, Run: x.Run, Temp: d.temp, Cache: load.CacheDir(), Determinism: x.Determinism == "on"}
	if x.Verbose {
		config.Log = d.log
	}
	loaded, err := &load.Loaded{Packages: x.Made}, error(nil)
	if x.Made == nil {
		loaded, err = load.Load(d.process.Soft, config)
	}
	for _, w := range loaded.Warnings {
		fmt.Fprintln(d.stderr, "txmc: warning:", w)
	}
	if err != nil {
		return d.ended(err)
	}
	if err := d.Keeper.Fits(paths(loaded.Packages)); err != nil {
		return Failed, err
	}
	if err := d.open(load.Duplicates(loaded.Packages)); err != nil {
		return Failed, err
	}
	if err := d.begin(); err != nil {
		return Failed, err
	}
	if x.Cluster.Cluster != "" {
		d.cluster, err = cluster.Open(d.process.Soft, &x.Cluster, x.Workers, d.bar.Beside(d.stderr), d.beside)
		if err != nil {
			return Failed, err
		}
		defer d.cluster.Close()
		d.cluster.Verbose = x.Verbose
	}
	if x.Only != "" && !slices.ContainsFunc(loaded.Packages, func(p *load.Package) bool { return p.Path == x.Only }) {
		return Failed, fmt.Errorf("package %s is no longer in %s: name the package after the file", x.Only, x.Within)
	}
	for _, p := range loaded.Packages {
		if x.Only != "" && p.Path != x.Only {
			continue
		}
		if err = d.explore(p); err != nil {
			break
		}
	}
	if closing := d.close(); err == nil {
		err = closing
	}
	if err != nil {
		return d.ended(err)
	}
	return d.status, nil
}

// ended is the status after an error that ends everything.
func (d *Driver) ended(err error) (Status, error) {
	if errors.Is(err, context.Canceled) && d.interrupted() {
		return d.status.Worse(Incomplete), errBuilding
	}
	return Failed, err
}

var errBuilding = errors.New("interrupted while building: nothing that follows was explored")

// explore builds and runs one package. An error is one that ends everything.
func (d *Driver) explore(p *load.Package) error {
	if d.Vet == VetAlone {
		if d.interrupted() {
			return nil
		}
		return d.vet(p)
	}
	if d.interrupted() {
		return d.passOver(p)
	}
	var w *load.Warnings
	if d.Vet == VetWarn && !p.IsMade() {
		w = p.Warn(d.process.Soft)
	}
	defer w.Stop()
	built, err := p.Build(d.process.Soft)
	w.Built()
	if d.interrupted() {
		d.complain(errBuilding)
		return d.passOver(p)
	}
	if err != nil {
		d.complain(err)
		d.Note(Failed)
		return nil
	}
	return d.watch(p, built, w)
}

func (d *Driver) log(format string, args ...any) {
	fmt.Fprintf(d.stderr, "txmc: "+format+"\n", args...)
}

// beside is log while a line shows progress.
func (d *Driver) beside(format string, args ...any) {
	fmt.Fprintf(d.bar.Beside(d.stderr), "txmc: "+format+"\n", args...)
}

func (d *Driver) worded(err error) error {
	if d.Worded == nil {
		return err
	}
	return d.Worded(err)
}

// complain shows an error: the go command's own words as they are.
func (d *Driver) complain(err error) {
	d.bar.Clear()
	var t *load.ToolError
	if errors.As(err, &t) {
		fmt.Fprintln(d.stderr, t.Error())
		return
	}
	fmt.Fprintln(d.stderr, "txmc:", d.worded(err))
}

// Note counts a status.
func (d *Driver) Note(status Status) { d.status = d.status.Worse(status) }

// result notes what a result means for the exit status.
func (d *Driver) result(r *report.Result) {
	switch {
	case r.Stopped == "error":
		d.Note(Failed)
	case r.Violations > 0:
		d.Note(Violation)
	case !r.Complete && !r.Within(), r.Unchecked != "":
		d.Note(Incomplete)
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
func (d *Driver) open(qualify map[string]bool) (err error) {
	x := &d.Config
	o := output.Options{
		Format: x.Format, Version: x.Version, Quiet: x.Quiet, Verbose: x.Verbose, All: x.All, Stderr: d.stderr,
		Text: report.Text{Limits: x.Limits(explore.Flags), Qualify: qualify, Base: x.Base != ""},
	}
	o.Text.Colour = (x.Output == "" || x.Format != "text") && x.Format != output.GitHub && terminal.Colours(d.process.Stdout)
	to := d.process.Stdout
	if x.Output != "" {
		if x.Keeper.Old() == nil || output.AtEnd(x.Format) {
			d.file, err = os.Create(x.Output)
		} else {
			d.file, err = x.Keeper.Old().Continue(x.Output)
		}
		if err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		to, o.Beside = d.file, d.process.Stdout
	}
	d.Out = output.New(o, to)
	return nil
}

// close ends the report.
func (d *Driver) close() error {
	if err := d.Out.Close(); err != nil || d.file == nil {
		return err
	}
	if err := d.file.Close(); err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

// begin shows what a checkpoint says was done before.
func (d *Driver) begin() error {
	old := d.Keeper.Old()
	if old == nil {
		return d.Keeper.Write(d.Out.Written, d.file)
	}
	for i := range old.Done {
		d.result(&old.Done[i])
	}
	for _, line := range old.Shown {
		var err error
		if report.Type(line) == report.TypeViolation {
			err = d.Out.Violation(line)
		} else {
			var r report.Result
			if err = report.Parse(line, &r); err == nil {
				err = d.Out.Result(&r, line)
			}
		}
		if err != nil {
			return harness.Garbled(err)
		}
	}
	d.Out.Written = old.Written
	if !d.Quiet {
		results := "results"
		if len(old.Done) == 1 {
			results = "result"
		}
		fmt.Fprintf(d.stderr, "txmc: resumed: %s: %d %s done, %d under way\n", d.Keeper.Name(), len(old.Done), results, len(old.Left))
	}
	return nil
}
