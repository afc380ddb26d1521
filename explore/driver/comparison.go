package driver

import (
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// Comparison is the task that shows how programs behave at a stronger level.
type Comparison struct{ Stronger isolation.Level }

// Ask implements [Task].
func (t *Comparison) Ask(q *harness.Request) {
	q.Mode, q.Stronger = harness.ModeCompare, t.Stronger
}

// Line implements [Task]. It shows a comparison.
func (t *Comparison) Line(d *Driver, kind string, line []byte) error {
	c, err := lineOf[report.Comparison](report.TypeComparison, kind, line)
	if err != nil {
		return err
	}
	return t.show(d, c)
}

// Unreached implements [Task]. It shows a comparison of which nothing is known.
func (t *Comparison) Unreached(d *Driver, r *report.Result) error {
	return t.show(d, &report.Comparison{
		Type: report.TypeComparison, Schema: report.Schema, Package: r.Package, Program: r.Program, Iso: r.Iso, Stronger: t.Stronger.String(),
		Stopped: r.Stopped, Unreached: true,
	})
}

func (t *Comparison) show(d *Driver, c *report.Comparison) error {
	d.Reached(c.Package, c.Program, c.Iso)
	switch {
	case c.Stopped == "error":
		d.Note(Failed)
	case c.Differ > 0:
		d.Note(Violation)
	case !c.Complete:
		d.Note(Incomplete)
	case d.Quiet && d.Format == "text":
		return nil
	}
	return d.Out.Show(c, func() string {
		if d.Quiet {
			c.Shortest = nil
		}
		return d.Out.Text.Comparison(c)
	})
}

// End implements [Task].
func (t *Comparison) End(*Driver) error { return nil }
