package main

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// at is a program of a package, and a level.
type at struct{ pkg, program, iso string }

// reached notes that there is something to read about a program at a level, or
// at all levels when iso is "".
func (e *explorer) reached(pkg, program, iso string) {
	if e.seen == nil {
		e.seen = map[at]bool{}
	}
	e.seen[at{pkg, program, iso}] = true
}

// leaveOut names what an interrupt kept from being explored at all: what nobody
// mentions looks as if it were right.
func (e *explorer) leaveOut(p *load.Package) error {
	for _, f := range p.Functions {
		if slices.ContainsFunc(e.options.InSQL, func(l isolation.Level) bool { return e.seen[at{p.Path, f.Name, l.String()}] }) {
			continue
		}
		for _, l := range e.options.Levels {
			iso := l.String()
			if e.seen[at{p.Path, f.Name, iso}] || e.seen[at{p.Path, f.Name, ""}] || e.keeper.Has(p.Path, f.Name, iso) {
				continue
			}
			e.reached(p.Path, f.Name, iso)
			e.note(statusIncomplete)
			e.bar.Clear()
			r := &report.Result{
				Type: report.TypeResult, Schema: report.Schema, Package: p.Path, Program: f.Name, Iso: iso,
				Base: strings.ToLower(e.options.Base), Stopped: "interrupt", Unreached: true,
			}
			if err := e.unreached(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// passOver names a package that an interrupt came before.
func (e *explorer) passOver(p *load.Package) error {
	if err := e.leaveOut(p); err != nil || e.task == nil {
		return err
	}
	return e.task.end(e)
}

// unreached shows the result of a program and a level that were not reached.
func (e *explorer) unreached(r *report.Result) error {
	if e.task != nil {
		return e.task.unreached(e, r)
	}
	line, err := report.Line(r)
	if err != nil {
		return err
	}
	return e.out.Result(r, line)
}
