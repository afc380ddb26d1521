package find

import (
	"context"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/configure"
	"github.com/txmc/txmc/explore/find/structure"
	"github.com/txmc/txmc/report"
)

// A call that the database ends by a deadlock, and that returns this as its error, has not been made again by anybody: the
// user gets the error. No serial order has one, and nothing is wrong in the rows. So the calls run in programs of their own,
// that ask for nothing but that no call ends so.

// mostEndings bounds the variants of a configuration that are looked at for deadlocks.
const mostEndings = 4

// deadlocks plans the ways in which two transactions may wait for each other, and a call for itself. Of a call that another one makes the latter is
// asked: it may make it again.
func (f *finding) deadlocks(ctx context.Context) (plans []*plan) {
	outer := slices.DeleteFunc(slices.Clone(f.list), func(t *structure.Transaction) bool { return t.Call.Inner })
	byKey := map[string]*plan{}
	all := append(structure.Deadlocks(outer, cycles(f.Level)), structure.Selves(outer, cycles(f.Level))...)
	for _, s := range all {
		list, err := configure.New(s, f.steps, f.catalog)
		if err != nil || ctx.Err() != nil {
			continue // it cannot happen
		}
		for _, c := range list {
			c.Rows = f.seed
			p := byKey[c.Key()]
			if p == nil {
				p = newPlan(c, false)
				p.ends, p.first = true, s
				byKey[c.Key()] = p
				plans = append(plans, p)
			}
			p.structures = append(p.structures, s)
		}
	}
	f.named(ctx, plans)
	for _, p := range plans {
		p.programs = p.programs[:min(len(p.programs), mostEndings)]
		for i := range p.programs {
			p.programs[i].Ends, p.programs[i].Invariants = true, nil
		}
	}
	return plans
}

// deadlocked reports whether a run has the deadlock of a structure: a statement that waits in it has failed.
func deadlocked(v *report.Execution, s *structure.Structure) bool {
	return slices.ContainsFunc(v.Schedule, func(o report.Operation) bool {
		return endedBy(o.Error) && slices.ContainsFunc(s.Nodes, func(n structure.Node) bool { return is(&o, n.Out) })
	})
}

// endedBy reports whether an error is that of a deadlock, or of waiting for too long.
func endedBy(text string) bool {
	return slices.ContainsFunc([]string{"40P01", "1213", "1205"}, func(code string) bool { return strings.Contains(text, code) })
}
