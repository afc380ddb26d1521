package sqltest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Symmetry in parts that know nothing of each other, each in a client with numbers of its own:
// what they find is named by contents.

// InRegions explores a program up to symmetry in regions, and compares with one exploration
// of all outcomes.
type InRegions struct {
	Client func() (*program.Client, error)
	Opts   dpor.Options
	Sets   [][]int
	R      *rand.Rand

	Parts, Divided int // of the last attempt

	some  []execution
	whole dpor.Frontier
	off   []string
}

// Explore returns what the parts have counted together, and what one exploration has counted without symmetry.
func (g *InRegions) Explore() (stats, without dpor.Stats, err error) {
	for apart := true; apart; {
		g.some, g.whole, g.Parts, g.Divided = nil, dpor.Frontier{}, 0, 0
		if apart, err = g.attempt(); err != nil {
			return stats, without, err
		}
	}
	stats = dpor.Stats{Counts: g.whole.Counts, Complete: true}
	stats.Symmetry.Histories, stats.Symmetry.Violations, stats.Symmetry.Off = stats.Histories, stats.Violations, g.off
	if a := g.whole.Symmetry; a != nil {
		stats.Symmetry.Histories, stats.Symmetry.Violations, stats.Symmetry.Sets = a.Histories, a.Violations, a.Sets
	}
	c, err := g.Client()
	if err != nil {
		return stats, without, err
	}
	defer c.Park()
	all, without, err := named(c, g.Opts)
	if err == nil {
		err = coverExecutions(g.some, all, stats, without)
	}
	return stats, without, err
}

// attempt explores with the present sets. It reports true when two sessions were told apart.
func (g *InRegions) attempt() (apart bool, err error) {
	var left []work.Subtree
	for g.Parts == 0 || len(left) > 0 {
		opts, given := g.Opts, 0
		if opts.Symmetric = g.Sets; g.Parts > 0 {
			g.R.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			given = 1 + g.R.IntN(min(len(left), 3))
			opts.Resume = g.whole.Of(left[:given])
		}
		part, found, err := g.part(opts)
		if err != nil {
			return false, err
		}
		if part.Symmetry != nil && part.Symmetry.Apart != nil {
			g.Sets, g.off = orbit.Separate(g.Sets, part.Symmetry.Apart), append(g.off, part.Symmetry.Apart.What)
			return true, nil
		}
		if part.Partial || g.R.IntN(8) == 0 { // stopped, or killed
			continue
		}
		g.Parts++
		if len(part.Subtrees) > 0 {
			g.Divided++
		}
		left, g.some = append(left[given:], g.whole.Take(part)...), append(g.some, found...)
	}
	return false, nil
}

func (g *InRegions) part(opts dpor.Options) (part *dpor.Frontier, found []execution, err error) {
	c, err := g.Client()
	if err != nil {
		return nil, nil, err
	}
	defer c.Park()
	for range g.R.IntN(4) {
		if _, err := c.Number(1000 + g.R.IntN(9)); err != nil { // it takes a number of a value
			return nil, nil, err
		}
	}
	opts.Workers, opts.Part = 1+g.R.IntN(2), &dpor.Part{}
	if many := g.Parts >= 30; g.Parts == 0 || !many && g.R.IntN(8) > 0 {
		opts.Part.Divide = int64(1 + g.R.IntN(60))
	} else if !many && g.R.IntN(2) > 0 {
		opts.Part.Calls = int64(1 + g.R.IntN(200))
	}
	opts.Checkpoint = Decoded(&part)
	if found, _, err = named(c, opts); err == nil && part == nil {
		err = fmt.Errorf("a part says nothing")
	}
	return part, found, err
}

// named is executions, named by contents.
func named(c *program.Client, opts dpor.Options) (list []execution, stats dpor.Stats, err error) {
	opts.All, opts.List = true, true
	x := dpor.Explore(context.Background(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			return nil, stats, err
		}
		e := executionOf(c, f)
		e.left = leftOf(c, f)
		for s, end := range f.Ends {
			e.sessions[s] = answersOf(c, end)
		}
		list = append(list, e)
	}
	return list, x.Stats(), nil
}

// answersOf are the answers that a session got; of SQL, a fingerprint of them.
func answersOf(c *program.Client, end *behaviour.Node) string {
	if end.Past != 0 {
		return fmt.Sprintf("%x", c.Fingerprint(end))
	}
	var list []string
	for _, n := range end.Path() {
		if b := n.Before(); b != nil && b.Waits {
			list = append(list, answerOf(c, b, n.Value()))
		}
	}
	return strings.Join(list, "; ")
}

func answerOf(c *program.Client, n *behaviour.Node, answer behaviour.ValueID) string {
	if answer < 0 {
		return fmt.Sprint("answer ", int(answer))
	}
	if n.Kind != behaviour.Ask {
		return c.Format(answer)
	}
	var rows []string
	for _, item := range c.Listed(answer) {
		rows = append(rows, fmt.Sprint(c.Key(item.Var), "=", c.Format(item.Val)))
	}
	if len(rows) == 0 {
		return c.Format(answer)
	}
	return fmt.Sprint(rows)
}

func leftOf(c *program.Client, f *dpor.Found) string {
	var list []string
	for _, r := range f.Rows {
		list = append(list, c.Storage().Describe(r))
	}
	for x, v := range f.Values {
		if v != behaviour.NoRow {
			list = append(list, fmt.Sprint(c.Key(behaviour.VarID(x)), "=", c.Format(v)))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}
