package driver

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// at is a program of a package, and a level.
type at struct{ pkg, program, iso string }

// Reached notes that there is something to read about a program at a level, or
// at all levels when iso is "".
func (d *Driver) Reached(pkg, program, iso string) {
	if d.seen == nil {
		d.seen = map[at]bool{}
	}
	d.seen[at{pkg, program, iso}] = true
}

// leaveOut names what an interrupt kept from being explored at all: what nobody
// mentions looks as if it were right.
func (d *Driver) leaveOut(p *load.Package) error {
	for _, f := range p.Functions {
		if slices.ContainsFunc(d.InSQL, func(l isolation.Level) bool { return d.seen[at{p.Path, f.Name, l.String()}] }) {
			continue
		}
		levels := d.Levels
		if len(levels) == 0 { // which a program's database would have told
			levels = d.InSQLOf(isolation.PostgreSQL)
		}
		for _, l := range levels {
			iso := l.String()
			if d.seen[at{p.Path, f.Name, iso}] || d.seen[at{p.Path, f.Name, ""}] || d.Keeper.Has(p.Path, f.Name, iso) {
				continue
			}
			d.Reached(p.Path, f.Name, iso)
			d.Note(Incomplete)
			d.bar.Clear()
			r := &report.Result{
				Type: report.TypeResult, Schema: report.Schema, Package: p.Path, Program: f.Name, Iso: iso,
				Base: strings.ToLower(d.Base), Stopped: "interrupt", Unreached: true,
			}
			if err := d.unreached(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// passOver names a package that an interrupt came before.
func (d *Driver) passOver(p *load.Package) error {
	if err := d.leaveOut(p); err != nil || d.Task == nil {
		return err
	}
	return d.Task.End(d)
}

// unreached shows the result of a program and a level that were not reached.
func (d *Driver) unreached(r *report.Result) error {
	if d.Task != nil {
		return d.Task.Unreached(d, r)
	}
	line, err := report.Line(r)
	if err != nil {
		return err
	}
	return d.Out.Result(r, line)
}
