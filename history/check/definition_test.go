package check

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
)

// The definition of the levels (PLDI 2023, section 2.2) on forms, by the axioms of
// isolation/reference. There transaction 0 writes every variable and comes before all
// others. That of a form need not: so it is transaction 1 here, and each other one has
// its number and one more.

// relations are what the axioms speak about.
func relations(f *form) *reference.Relations {
	n := f.n + 1
	reads, writes := make([][]reference.ReadFrom, n), make([]map[int]bool, n)
	for t := range int32(f.n) {
		u := int(t) + 1
		for _, r := range f.readsOf(t) {
			reads[u] = append(reads[u], reference.ReadFrom{T1: int(r.from) + 1, T3: u, Var: int(r.key)})
		}
		writes[u] = map[int]bool{}
		for x := range int32(f.keys) {
			if f.writesKey(t, x) {
				writes[u][int(x)] = true
			}
		}
	}
	g := reference.Relate(n, func(t, u int) bool { return sessionBefore(f, int32(t)-1, int32(u)-1) }, reads, writes)
	if f.real != nil {
		g.Real = make([][]bool, n)
		for t := range g.Real {
			g.Real[t] = make([]bool, n)
			for u := range g.Real {
				g.Real[t][u] = t > 1 && u > 1 && f.real.Returned[t-1] < f.real.Called[u-1]
			}
		}
	}
	return g
}

// sessionBefore reports whether a comes before b in session order.
func sessionBefore(f *form, a, b int32) bool {
	if a == 0 || b == 0 {
		return a == 0 && b != 0 && f.init
	}
	for u := f.prev[b]; u > 0; u = f.prev[u] {
		if u == a {
			return true
		}
	}
	return false
}

// told reports whether places of transactions agree with what else the history tells:
// of the order of versions, and, for SER, of the order of transactions.
func told(f *form, level isolation.Level, co []int) bool {
	for _, e := range f.versionEdges() {
		if level != isolation.True && co[e.from+1] >= co[e.to+1] {
			return false
		}
	}
	for _, d := range f.extra {
		if level.Implies(isolation.SER) && co[d.from+1] >= co[d.to+1] {
			return false
		}
	}
	return true
}

// verify reports whether the commit order shows the level.
func verify(f *form, level isolation.Level, order []int32) bool {
	co := make([]int, f.n+1) // who is not in the order has the first's place, which shows nothing
	for i, t := range order {
		co[t+1] = i + 1
	}
	return len(order) == f.n && relations(f).Shows(level, co) && told(f, level, co)
}

// bruteForce tries all commit orders.
func bruteForce(f *form, level isolation.Level) bool {
	g := relations(f)
	return g.Orders(func(co []int, last int, complete bool) bool {
		return g.Transaction(level, co, last) && (!complete || g.Shows(level, co) && told(f, level, co))
	})
}
