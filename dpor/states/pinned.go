package states

import (
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Where several processes explore a program under the model of a database, regions divide its
// states by what a session has been answered (region.go). Permutations of alike sessions lead out
// of such a region. So one session is pinned: it keeps its place, and the others of its set are
// permuted. Sessions are ordered by what they have been answered ([program.Client.Order]). An image
// of an outcome counts when no session of the set comes before the pinned one. States that lead to
// no such image are left out. docs/symmetry.md has the argument.

// pinned is the session that keeps its place. The zero value has none.
type pinned struct {
	prog   *program.Client // nil without one
	seat   int             // the session
	others []int           // of its set
	free   [][]int         // the sets of those that are permuted
	orders map[[2]int64]place
}

// place is how the pinned session's answers are to those of another one: see Order.
type place struct{ behind, settled bool }

// mostOrders bounds how many places are remembered.
const mostOrders = 1 << 18

// pin pins the first session of the smallest set.
func (a *alike) pin(prog *program.Client) {
	a.prog, a.orders = prog, map[[2]int64]place{}
	least := 0
	for i, set := range a.sets {
		if len(set) < len(a.sets[least]) {
			least = i
		}
	}
	set := a.sets[least]
	a.seat, a.others = set[0], set[1:]
	a.free = slices.Clone(a.sets)
	a.free[least] = a.others
}

// cuts reports whether regions can be divided by what a session has been answered: it must be one
// that keeps its place.
func (a *alike) cuts(session int) bool {
	return a == nil || !slices.ContainsFunc(a.free, func(set []int) bool { return slices.Contains(set, session) })
}

// misplaced reports whether no outcome that counts follows a state: whatever comes, another session of
// the set comes before the one that is pinned.
func (a *alike) misplaced(m *state) bool {
	if a == nil || a.prog == nil {
		return false
	}
	own, ended := m.nodes[a.seat], len(m.choices) == 0
	for _, s := range a.others {
		if p := a.place(own, m.nodes[s]); p.behind && (p.settled || ended) {
			return true
		}
	}
	return false
}

func (a *alike) place(own, other *behaviour.Node) place {
	class, _ := a.copies.Class(own)
	with, _ := a.copies.Class(other)
	if class == with {
		return place{}
	}
	p, known := a.orders[[2]int64{class, with}]
	if !known {
		order, settled := a.prog.Order(own, other)
		p = place{order > 0, settled}
		if len(a.orders) >= mostOrders {
			clear(a.orders)
		}
		a.orders[[2]int64{class, with}] = p
	}
	return p
}
