package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/explore/harness"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
)

// compareCmd is the command line of txmc compare.
type compareCmd struct {
	Iso    string `default:"si,ser" placeholder:"WEAKER,STRONGER" help:"The two levels; ${default} by default."`
	Format string `default:"text" enum:"text,json" placeholder:"FORMAT" help:"text, or json: one object a program; ${default} by default."`

	shared

	stronger isolation.Level
}

// Help is what txmc compare --help says beyond the flags.
func (*compareCmd) Help() string {
	return `Looks for histories that the first level allows and the second forbids, whether or not an assertion breaks,
counts them and shows the shortest. A program without any is robust: at the first level it behaves as at the second.

Exit status: 0 robust; 1 not robust; 2 usage, build, nondeterminism or unsupported code; 3 incomplete. Of several, 2
counts before 1 before 3.`
}

func (x *compareCmd) check() error {
	list, err := isolation.ParseList(x.Iso)
	switch {
	case err != nil:
		return fmt.Errorf("--iso: %w", err)
	case len(list) != 2:
		return errors.New("--iso must be two levels, the weaker one first, such as si,ser")
	case !list[1].Implies(list[0]):
		return fmt.Errorf("--iso: every %s history is %s, as %[1]s is the stronger level: give the weaker one first", list[0], list[1])
	}
	x.Levels, x.stronger = list[:1], list[1]
	return x.shared.check()
}

func (x *compareCmd) run(stdout, stderr *os.File) int {
	e := &exploreCmd{Format: x.Format, Scope: explore.Scope{All: true}, Save: saveNothing, shared: x.shared}
	return e.runTask(stdout, stderr, comparison{x.stronger})
}

// comparison shows how programs behave at a stronger level.
type comparison struct{ stronger isolation.Level }

func (t comparison) ask(q *harness.Request) {
	q.Mode, q.Stronger = harness.ModeCompare, t.stronger
}

func (t comparison) line(e *explorer, kind string, line []byte) error {
	if kind != report.TypeComparison {
		return harness.Garbled(fmt.Errorf("%.60q", line))
	}
	c := &report.Comparison{}
	if err := report.Parse(line, c); err != nil {
		return harness.Garbled(err)
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
	return e.out.Show(c, func() string {
		if e.options.Quiet {
			c.Shortest = nil
		}
		return e.out.Text.Comparison(c)
	})
}

func (t comparison) end(*explorer) error { return nil }
