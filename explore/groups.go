package explore

import (
	"context"
	"slices"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/explore/minimise"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
)

// groups are violations that have the same cause, in the order in which the
// causes were found.
type groups struct {
	index map[string]int
	list  []group
	ser   map[assertion]string // by assertion: what is known of it at serializability
}

// group is the smallest violation of a cause, and how many there are.
type group struct {
	*minimise.Best
	cause string
	count int64
}

// data is what another process needs of the group.
func (g *group) data() Group {
	return Group{g.Found.Trace(), g.count, g.cause, []int{g.Rank.Sessions, g.Rank.Txns, g.Rank.NonLatest}}
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
	g.list = append(g.list, group{minimise.NewBest(found), cause, 1})
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

// atSER is [minimise.AtSER], once for each assertion.
func (g *groups) atSER(ctx context.Context, client *program.Client, opts dpor.Options, f *behaviour.Failure) string {
	key := assertion{f.Kind, f.Name, f.At}
	if known, ok := g.ser[key]; ok {
		return known
	}
	if g.ser == nil {
		g.ser = map[assertion]string{}
	}
	g.ser[key] = minimise.AtSER(ctx, client, opts, f)
	return g.ser[key]
}

// assertion names an assertion.
type assertion struct {
	kind behaviour.FailureKind
	name string
	at   behaviour.Location
}

// send reports each group once, the smallest violations first.
func (g *groups) send(ctx context.Context, src report.Source, client *program.Client, opts dpor.Options, sink Sink) {
	g.sort()
	for _, group := range g.list {
		v := src.Violation(report.Case(*group.Found))
		v.Count = group.count
		if v.Explanation.ForbiddenBy != "" {
			v.AtSER = g.atSER(ctx, client, opts, group.Found.Failures[0])
		}
		sink.Event(v)
	}
}
