package driver

import (
	"encoding/json"
	"fmt"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// Tables is the task that makes a table of each program of what its levels come to.
type Tables struct {
	Levels []isolation.Level
	now    *report.Levels // the program that the harness is at
}

// Ask implements [Task].
func (t *Tables) Ask(q *harness.Request) { q.Mode = harness.ModeLevels }

// Line implements [Task]. It adds a tally to the table of its program.
func (t *Tables) Line(d *Driver, kind string, line []byte) error {
	if kind != explore.TypeTally {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	var tally explore.Tally
	if err := json.Unmarshal(line, &tally); err != nil || tally.Result == nil {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	return t.add(d, tally.Result, tally.Assertions)
}

// Unreached implements [Task]. It adds a level of which nothing is known.
func (t *Tables) Unreached(d *Driver, r *report.Result) error { return t.add(d, r, nil) }

// add adds a level to the program's table, a new one if need be.
func (t *Tables) add(d *Driver, r *report.Result, assertions []report.Assertion) error {
	if t.now != nil && (t.now.Package != r.Package || t.now.Program != r.Program) {
		if err := t.End(d); err != nil {
			return err
		}
	}
	if t.now == nil {
		t.now = &report.Levels{Type: report.TypeLevels, Schema: report.Schema, Package: r.Package, Program: r.Program, Assertions: []report.Assertion{}}
	}
	d.Reached(r.Package, r.Program, r.Iso)
	t.now.Add(r, assertions)
	if !r.Complete && r.Stopped != "error" { // an error has a line of its own
		d.Note(Incomplete)
	}
	return nil
}

// end shows the program that the harness has left.
func (t *Tables) End(d *Driver) error {
	l := t.now
	t.now = nil
	if l == nil {
		return nil
	}
	all := len(l.Results) == len(t.of(d, l))
	if all {
		l.Safe = l.Weakest()
	}
	if l.Unchecked() {
		d.Note(Incomplete)
	}
	strongest := l.Results[len(l.Results)-1]
	if d.Quiet && d.Format == "text" && !l.Unchecked() && strongest.Complete && all && l.Safe == l.Results[0].Iso {
		return nil
	}
	return d.Out.Show(l, func() string { return d.Out.Text.Levels(l) })
}

// of are the levels that the table is to have.
func (t *Tables) of(d *Driver, l *report.Levels) []isolation.Level {
	for _, i := range d.InSQL {
		if i.String() == l.Results[0].Iso {
			return d.InSQLOf(i.Database())
		}
	}
	return t.Levels
}
