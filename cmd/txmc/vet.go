package main

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// vetCmd is the command line of txmc vet.
type vetCmd struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build: directories, import paths, patterns with \"...\"; the one in the current directory by default. Of several packages those without Explore functions are left out."`

	Run     string `placeholder:"REGEXP" help:"Only the functions whose names match."`
	Format  string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a finding; ${default} by default."`
	Output  string `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Tags    string `placeholder:"TAGS" help:"Build tags, as for go build."`
	Verbose bool   `short:"v" help:"Say what is done."`

	Determinism string `default:"on" enum:"on,off" env:"TXMC_DETERMINISM" placeholder:"WHAT" help:"off: warn also of the clock, random numbers and the order of maps, which explore makes repeat themselves. ${default} by default."`
}

// Help is what txmc vet --help says beyond the flags.
func (*vetCmd) Help() string {
	return `Looks for code that keeps the packages' Explore functions from being explored, without running it: what does not
repeat itself, what waits outside of the database, and what never ends. See docs/vet.md for the checks.

A comment //txmc:ignore CHECK silences a check on its line, or on the next one when it stands alone.

The same as a part of go vet: go vet -vettool=$(which txmc) ./...

Exit status: 0 clean; 1 findings; 2 usage, load or build.`
}

func (x *vetCmd) check() error {
	if _, err := regexp.Compile(x.Run); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return nil
}

func (x *vetCmd) run(stdout, stderr *os.File) int {
	e := &exploreCmd{Format: x.Format, Vet: vetAlone, Save: saveNothing, shared: shared{
		Packages: x.Packages, Run: x.Run, Output: x.Output, Tags: x.Tags, Verbose: x.Verbose, Determinism: x.Determinism,
	}}
	return e.runTask(stdout, stderr, nil)
}

// What explore does with findings.
const (
	vetWarn  = "warn"  // print them, and explore
	vetOff   = "off"   // do not look for any
	vetAlone = "alone" // do not explore; this is txmc vet
)

// vet looks for findings and does nothing else.
func (e *explorer) vet(p *load.Package) error {
	found, err := p.Vet(e.sig.Soft)
	if e.sig.Interrupted() {
		return context.Canceled
	}
	if err != nil {
		e.note(statusError)
		// The compiler says better what is wrong with code.
		if _, building := p.Build(e.sig.Soft); building != nil {
			err = building
		}
		e.complain(err)
		return nil
	}
	if len(found) > 0 {
		e.note(statusViolation)
	}
	for _, f := range found {
		shown := finding(p, f)
		if err := e.out.Show(shown, shown.String); err != nil {
			return err
		}
	}
	return nil
}

func finding(p *load.Package, f load.Finding) *report.Finding {
	return &report.Finding{
		Type: report.TypeFinding, Schema: report.Schema, Package: p.Path, Check: f.Check, At: f.At, Column: f.Column,
		What: f.What, Effect: f.Effect, Instead: f.Instead,
	}
}

// show prints the warnings. They never keep a program from being explored: what goes
// wrong with them is not an error.
func (e *explorer) show(p *load.Package, w *load.Warnings) error {
	select {
	case <-w.Done():
	case <-e.sig.Soft.Done():
		return nil
	}
	if w.Err != nil && e.options.Verbose {
		e.log("vet is left out: %v", w.Err)
	}
	for _, f := range w.Found {
		if !e.out.JSON() {
			fmt.Fprint(e.stderr, "txmc: warning: ", finding(p, f))
			continue
		}
		if err := e.out.Show(finding(p, f), nil); err != nil {
			return err
		}
	}
	return nil
}
