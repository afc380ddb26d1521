package find

import (
	"cmp"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/structure"
)

// Large applications have thousands of structures, and the time is limited. So structures are planned and run in
// batches, those that are likely mistakes first: two calls of which each reads and then writes, and few statements. Cycles
// of three and more calls, and of calls that send one statement each, come last, and so do those of calls that others make.

// few is how many structures are run in one batch, in their own order, and how many of the same calls are.
const few = 160

// later is by how much more structures of the same calls come after the first.
const later = 300

// batches are the structures in the order in which they are run. Those of the same calls are in one batch, as they share
// configurations, unless they are too many.
func batches(all []*structure.Structure) (list [][]*structure.Structure) {
	if len(all) <= few {
		return [][]*structure.Structure{all}
	}
	type group struct {
		structures  []*structure.Structure
		rank, later int
	}
	byCalls := map[string]*group{}
	var order []*group
	for _, s := range all {
		key := calls(s)
		g := byCalls[key]
		switch {
		case g == nil:
			g = &group{rank: doubt(s)}
			byCalls[key], order = g, append(order, g)
		case len(g.structures) == few: // to plan more takes long, and most need the same configurations
			g = &group{rank: doubt(s) + g.later + later, later: g.later + later}
			byCalls[key], order = g, append(order, g)
		}
		g.structures, g.rank = append(g.structures, s), min(g.rank, doubt(s)+g.later)
	}
	slices.SortStableFunc(order, func(a, b *group) int { return cmp.Compare(a.rank, b.rank) })
	size, now := few/4, []*structure.Structure(nil)
	for _, g := range order {
		if now = append(now, g.structures...); len(now) >= size {
			list, now, size = append(list, now), nil, 2*size
		}
	}
	if len(now) > 0 {
		list = append(list, now)
	}
	return list
}

// calls is the same for structures of the same calls.
func calls(s *structure.Structure) string {
	var names []string
	for _, n := range s.Nodes {
		names = append(names, n.Call().Package+"."+n.Call().Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// doubt says how unlikely a structure is a mistake.
func doubt(s *structure.Structure) int {
	d := 1000*(len(s.Nodes)-2) + 10*s.Length()
	for _, n := range s.Nodes {
		switch {
		case n.In == n.Out:
			d += 100 // one statement meets the others
		case n.Split():
			d += 50
		}
		if n.Call().Inner { // what it does, the other call does too
			d += 400
		}
		if len(n.Call().Transactions) == 1 && len(n.Call().Transactions[0].Statements) == 1 {
			d += 200
		}
	}
	return d
}
