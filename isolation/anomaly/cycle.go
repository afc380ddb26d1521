package anomaly

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/program/behaviour"
)

// turn makes a cycle begin where it is best told. It begins with an rw edge. If there
// are several, it begins with one that no other rw edge comes directly before. Then it
// begins with the least transaction.
func turn(cycle []Edge) []Edge {
	n, best := len(cycle), 0
	for i := range cycle {
		if better(rating(cycle, i), rating(cycle, best)) {
			best = i
		}
	}
	return append(cycle[best:n:n], cycle[:best]...)
}

// rating says how good a beginning edge i is; less is better.
func rating(cycle []Edge, i int) [2]int {
	e, before := cycle[i], cycle[(i+len(cycle)-1)%len(cycle)]
	switch {
	case e.Kind != RW:
		return [2]int{2, e.From}
	case before.Kind == RW:
		return [2]int{1, e.From}
	}
	return [2]int{0, e.From}
}

func better(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// simpler reports whether cycle a is simpler than cycle b, which is as long. The simpler
// cycle is about fewer variables, or it is about as many and comes first in an order. That
// order does not depend on how transactions are numbered: the same cause mostly has the
// same cycle.
func simpler(a, b []Edge) bool {
	return cmp.Or(cmp.Compare(variables(a), variables(b)), strings.Compare(rotation(a, digits), rotation(b, digits))) < 0
}

func digits(x behaviour.VarID) string { return strconv.Itoa(int(x)) }

func variables(cycle []Edge) int {
	seen := map[behaviour.VarID]bool{}
	for _, e := range cycle {
		if e.Var != NoVar {
			seen[e.Var] = true
		}
	}
	return len(seen)
}

// Involved lists the transactions that the proof speaks of, ascending, the
// initial one left out.
func (p *Proof) Involved() []int {
	seen := map[int]bool{}
	p.visit(map[*Reason]bool{}, func(e Edge) {
		seen[e.From], seen[e.To] = true, true
		if e.Reader >= 0 {
			seen[e.Reader] = true
		}
		if e.Reason != nil && e.Reason.Source >= 0 {
			seen[e.Reason.Source] = true
		}
	})
	if p.BadRead != nil {
		seen[p.BadRead.Reader] = true
	}
	delete(seen, 0)
	return slices.Sorted(maps.Keys(seen))
}

// visit calls f for every edge of the proof, those of premises included, each
// reason once.
func (p *Proof) visit(done map[*Reason]bool, f func(Edge)) {
	visitEdges(p.Cycle, done, f)
	if p.Split != nil {
		p.Split.AFirst.visit(done, f)
		p.Split.BFirst.visit(done, f)
	}
}

func visitEdges(edges []Edge, done map[*Reason]bool, f func(Edge)) {
	for _, e := range edges {
		f(e)
		if e.Reason != nil && !done[e.Reason] {
			done[e.Reason] = true
			visitEdges(e.Reason.Premise, done, f)
		}
	}
}
