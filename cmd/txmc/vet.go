package main

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// vetting is the command line of txmc vet.
type vetting struct {
	Packages []string `arg:"" optional:"" name:"packages" help:"Packages as for go build: directories, import paths, patterns with \"...\"; the one in the current directory by default. Of several packages those without Explore functions are left out."`

	Run     string `placeholder:"REGEXP" help:"Only the functions whose names match."`
	Format  string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a finding; ${default} by default."`
	Output  string `short:"o" placeholder:"FILE" help:"Write to that file instead of the standard output."`
	Tags    string `placeholder:"TAGS" help:"Build tags, as for go build."`
	Verbose bool   `short:"v" help:"Say what is done."`
}

// Help is what txmc vet --help says beyond the flags.
func (*vetting) Help() string {
	return `Looks for code that keeps the packages' Explore functions from being explored, without running it: what does not
repeat itself, what waits outside of the database, and what never ends. See docs/vet.md for the checks.

A comment //txmc:ignore CHECK silences a check on its line, or on the next one when it stands alone.

The same as a part of go vet: go vet -vettool=$(which txmc) ./...

Exit status: 0 clean; 1 findings; 2 usage, load or build.`
}

func (x *vetting) check() error {
	if _, err := regexp.Compile(x.Run); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return nil
}

func (x *vetting) run(stdout, stderr *os.File) int {
	e := &explore{Format: x.Format, Vet: vetAlone, Save: saveNothing, shared: shared{
		Packages: x.Packages, Run: x.Run, Output: x.Output, Tags: x.Tags, Verbose: x.Verbose,
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
	found, err := p.Vet(e.sig.soft)
	if e.sig.interrupted() {
		return context.Canceled
	}
	if err != nil {
		e.note(statusError)
		// The compiler says better what is wrong with code.
		if _, building := p.Build(e.sig.soft); building != nil {
			err = building
		}
		e.complain(err)
		return nil
	}
	if len(found) > 0 {
		e.note(statusViolation)
	}
	for _, f := range found {
		if err := e.out.show(finding(p, f), func() string { return paragraph(f) }); err != nil {
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

// paragraph is a finding for people: its first line is one as go vet prints it.
func paragraph(f load.Finding) string {
	return fmt.Sprintf("%s:%d: %s (%s)\n\t%s\n\tinstead: %s\n", f.At, f.Column, f.What, f.Check, f.Effect, f.Instead)
}
