package driver

import (
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// Advice is the task that looks for the weakest levels of each transaction.
type Advice struct{ Among []isolation.Level }

// Ask asks for advice among the levels.
func (t *Advice) Ask(q *harness.Request) { q.Mode, q.Among = harness.ModeAdvise, t.Among }

// Line shows the advice on a program.
func (t *Advice) Line(d *Driver, kind string, line []byte) error {
	a, err := lineOf[report.Advice](report.TypeAdvice, kind, line)
	if err != nil {
		return err
	}
	d.Reached(a.Package, a.Program, "")
	switch {
	case len(a.Assignments) == 0 && a.Complete:
		d.Note(Violation)
	case !a.Complete, a.Unchecked != "":
		d.Note(Incomplete)
	}
	return d.Out.Show(a, func() string { return d.Out.Text.Advice(a) })
}

// Unreached shows that nothing is known of a program.
func (t *Advice) Unreached(d *Driver, r *report.Result) error {
	d.Note(Incomplete)
	a := &report.Advice{Type: report.TypeAdvice, Schema: report.Schema, Package: r.Package, Program: r.Program, Transactions: []string{}, Assignments: []report.Assignment{}}
	for _, l := range t.Among {
		a.Levels = append(a.Levels, l.String())
	}
	return d.Out.Show(a, func() string { return d.Out.Text.Advice(a) })
}

// End does nothing: each program has a line of its own.
func (t *Advice) End(*Driver) error { return nil }
