package harness

import (
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/explain"
	"github.com/txmc/txmc/smallest"
)

// groups are violations that have the same cause, in the order in which the
// causes were found.
type groups struct {
	index map[string]int
	list  []group
}

// group is the smallest violation of a cause, and how many there are.
type group struct {
	*smallest.Best
	count int64
}

// add puts a violation to those of the same cause.
func (g *groups) add(found *dpor.Found) {
	cause := explain.Explain(found.History).Cause(assertions(found.Failures))
	if i, ok := g.index[cause]; ok {
		g.list[i].Offer(found)
		g.list[i].count++
		return
	}
	if g.index == nil {
		g.index = map[string]int{}
	}
	g.index[cause] = len(g.list)
	g.list = append(g.list, group{smallest.NewBest(found), 1})
}

// assertions names what is broken, without values.
func assertions(failures []*program.Failure) string {
	var names string
	for _, f := range failures {
		names += f.Kind.String() + " " + f.Name
		if f.Kind == program.Assertion || f.Kind == program.Panic {
			names += " " + f.At.String()
		}
		names += "\n"
	}
	return names
}

// send reports each group once, the smallest violations first.
func (g *groups) send(src report.Source, out *stream) {
	slices.SortStableFunc(g.list, func(a, b group) int { return a.Rank.Compare(b.Rank) })
	for _, group := range g.list {
		v := src.Violation(group.Found)
		v.Count = group.count
		out.send(v)
	}
}
