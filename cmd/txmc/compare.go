package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// compare is the command line of txmc compare.
type compare struct {
	Iso    string `default:"si,ser" placeholder:"WEAKER,STRONGER" help:"The two levels; ${default} by default."`
	Format string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a program; ${default} by default."`

	shared

	weaker, stronger isolation.Level
}

// Help is what txmc compare --help says beyond the flags.
func (*compare) Help() string {
	return `Looks for histories that the first level allows and the second forbids, whether or not an assertion breaks,
counts them and shows the shortest. A program without any is robust: at the first level it behaves as at the second.

Exit status: 0 robust; 1 not robust; 2 usage, build, nondeterminism or unsupported code; 3 incomplete. Of several, 2
counts before 1 before 3.`
}

func (x *compare) check() error {
	list, err := isolation.ParseList(x.Iso)
	switch {
	case err != nil:
		return fmt.Errorf("--iso: %w", err)
	case len(list) != 2:
		return errors.New("--iso must be two levels, the weaker one first, such as si,ser")
	case list[0] > list[1]:
		return fmt.Errorf("--iso: every %s history is %s, as %[1]s is the stronger level: give the weaker one first", list[0], list[1])
	}
	x.weaker, x.stronger = list[0], list[1]
	return x.shared.check(list[:1])
}

func (x *compare) run(stdout, stderr *os.File) int {
	e := &explore{Format: x.Format, All: true, Save: saveNothing, shared: x.shared, levels: []isolation.Level{x.weaker}}
	return e.runTask(stdout, stderr, comparison{x.stronger})
}

// comparison shows how programs behave at a stronger level.
type comparison struct{ stronger isolation.Level }

func (t comparison) ask(o *harness.Options) {
	o.Mode, o.Stronger = harness.ModeCompare, t.stronger.String()
}

func (t comparison) line(e *explorer, kind string, line []byte) error {
	if kind != report.TypeComparison {
		return garbled(fmt.Errorf("%.60q", line))
	}
	c := &report.Comparison{}
	if err := report.Parse(line, c); err != nil {
		return garbled(err)
	}
	return t.show(e, c)
}

func (t comparison) unreached(e *explorer, r *report.Result) error {
	return t.show(e, &report.Comparison{
		Type: report.TypeComparison, Schema: report.Schema, Package: r.Package, Program: r.Program, Iso: r.Iso, Stronger: t.stronger.String(),
		Stopped: r.Stopped, Unreached: true,
	})
}

func (t comparison) show(e *explorer, c *report.Comparison) error {
	e.reached(c.Package, c.Program, c.Iso)
	switch {
	case c.Stopped == "error":
		e.note(statusError)
	case c.Differ > 0:
		e.note(statusViolation)
	case !c.Complete:
		e.note(statusIncomplete)
	case e.options.Quiet && e.options.Format == "text":
		return nil
	}
	return e.out.show(c, func() string {
		if e.options.Quiet {
			c.Shortest = nil
		}
		return e.out.text.Comparison(c)
	})
}

func (t comparison) end(*explorer) error { return nil }
