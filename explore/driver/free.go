package driver

import (
	"fmt"

	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/report"
)

// FreeRuns is the task that compares free runs on a real server with the model.
type FreeRuns struct {
	DSN  string // as the user has given it
	Tags string
}

// Ask asks for nothing more: Config.Server says it.
func (*FreeRuns) Ask(*harness.Request) {}

// Line shows a comparison.
func (t *FreeRuns) Line(d *Driver, kind string, line []byte) error {
	c, err := lineOf[report.FreeComparison](report.TypeFreeComparison, kind, line)
	if err != nil {
		return err
	}
	return t.show(d, c)
}

// Unreached shows a program and a level that were not compared.
func (t *FreeRuns) Unreached(d *Driver, r *report.Result) error {
	return t.show(d, &report.FreeComparison{
		Type: report.TypeFreeComparison, Schema: report.Schema, Package: r.Package, Program: r.Program, Iso: r.Iso,
		Outside: []report.Outside{}, Stopped: r.Stopped,
	})
}

func (t *FreeRuns) show(d *Driver, c *report.FreeComparison) error {
	d.Reached(c.Package, c.Program, c.Iso)
	for i := range c.Outside {
		c.Outside[i].Again = t.again(c, c.Outside[i].Seed)
	}
	switch {
	case len(c.Outside) > 0:
		d.Note(Violation)
	case c.Stopped == "error":
		d.Note(Failed)
	case !c.Complete:
		d.Note(Incomplete)
	case d.Quiet && d.Format == "text":
		return nil
	}
	return d.Out.Show(c, func() string { return d.Out.Text.FreeComparison(c) })
}

// again is the command whose first run has the delays of a seed.
func (t *FreeRuns) again(c *report.FreeComparison, seed uint64) string {
	tags := ""
	if t.Tags != "" {
		tags = " --tags=" + t.Tags
	}
	return fmt.Sprintf("txmc explore %s --run='^%s$'%s --dsn='%s' --compare=free --iso=%s --seed=%d", c.Package, c.Program, tags, t.DSN, c.Iso, seed)
}

// End has nothing to add.
func (*FreeRuns) End(*Driver) error { return nil }
