package driver

import (
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// Outcomes is the task that compares outcomes on a real server with those under the model.
type Outcomes struct{}

// Ask asks for nothing more: Config.Server says it.
func (*Outcomes) Ask(*harness.Request) {}

// Line shows a comparison.
func (t *Outcomes) Line(d *Driver, kind string, line []byte) error {
	c, err := lineOf[report.ServerComparison](report.TypeServerComparison, kind, line)
	if err != nil {
		return err
	}
	return t.show(d, c)
}

// Unreached shows a program and a level that were not compared.
func (t *Outcomes) Unreached(d *Driver, r *report.Result) error {
	return t.show(d, &report.ServerComparison{
		Type: report.TypeServerComparison, Schema: report.Schema, Package: r.Package, Program: r.Program, Iso: r.Iso,
		OnlyModel: []report.Outcome{}, OnlyServer: []report.Outcome{}, Stopped: r.Stopped,
	})
}

func (t *Outcomes) show(d *Driver, c *report.ServerComparison) error {
	d.Reached(c.Package, c.Program, c.Iso)
	switch {
	case c.Differ() > 0:
		d.Note(Violation)
	case c.Stopped == "error":
		d.Note(Failed)
	case !c.Complete:
		d.Note(Incomplete)
	case d.Quiet && d.Format == "text":
		return nil
	}
	return d.Out.Show(c, func() string { return d.Out.Text.ServerComparison(c) })
}

// End has nothing to add.
func (*Outcomes) End(*Driver) error { return nil }
