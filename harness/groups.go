package harness

import (
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/report"
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
	cause string
	count int64
}

// add puts a violation to those of the same cause.
func (g *groups) add(found *dpor.Found, cause string) {
	if i, ok := g.index[cause]; ok {
		g.list[i].Offer(found)
		g.list[i].count++
		return
	}
	if g.index == nil {
		g.index = map[string]int{}
	}
	g.index[cause] = len(g.list)
	g.list = append(g.list, group{smallest.NewBest(found), cause, 1})
}

// counts lists the causes, those of the smallest violations first.
func (g *groups) counts() []report.Group {
	g.sort()
	var list []report.Group
	for _, group := range g.list {
		list = append(list, report.Group{Cause: group.cause, Violations: group.count})
	}
	return list
}

func (g *groups) sort() {
	slices.SortStableFunc(g.list, func(a, b group) int { return a.Rank.Compare(b.Rank) })
}

// send reports each group once, the smallest violations first.
func (g *groups) send(src report.Source, out *stream) {
	g.sort()
	for _, group := range g.list {
		v := src.Violation(group.Found)
		v.Count = group.count
		out.send(v)
	}
}
