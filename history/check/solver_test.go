package check

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// hidden is a theory of clauses that the solver does not know. When what is asserted
// contradicts a clause, it tells of this clause. When nothing satisfies a clause yet,
// it asks for a variable of it.
type hidden struct {
	t       *testing.T
	s       *solver
	clauses [][]lit
	true    map[lit]bool
	fixed   map[int32]int32 // variable → clause
}

func (h *hidden) contradiction() (conflict []lit, txns []int32) {
	for i, c := range h.clauses {
		if !slices.ContainsFunc(c, func(l lit) bool { return !h.true[l.not()] }) {
			for _, l := range c {
				conflict = append(conflict, l.not())
			}
			return conflict, []int32{int32(i)}
		}
	}
	return nil, nil
}

func (h *hidden) assert(l lit) ([]lit, []int32) {
	if h.true[l.not()] {
		h.t.Fatal("both a variable and its negation are asserted")
	}
	before := h.true[l]
	h.true[l] = true
	conflict, txns := h.contradiction()
	if conflict != nil && !before {
		delete(h.true, l)
	}
	return conflict, txns
}

func (h *hidden) probe(l lit) ([]lit, []int32) {
	if l%3 == 0 { // not easily found
		return nil, nil
	}
	h.true[l] = true
	conflict, txns := h.contradiction()
	delete(h.true, l)
	return conflict, txns
}

func (h *hidden) retract(l lit) { delete(h.true, l) }

func (h *hidden) shown(v int32) []int32 { return []int32{h.fixed[v]} }

// sane checks the solver's invariants.
func (h *hidden) sane() {
	if err := h.s.sanity(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hidden) prefer(v int32) lit {
	h.sane()
	return lit(2*v) | lit(v%2)
}

func (h *hidden) complete() {
	h.sane()
	for _, c := range h.clauses {
		if slices.ContainsFunc(c, func(l lit) bool { return h.true[l] }) {
			continue
		}
		for _, l := range c {
			if h.s.ask(l.of()) {
				return
			}
		}
	}
}

// satisfiable tries all assignments.
func satisfiable(n int, clauses [][]lit) bool {
	for values := range 1 << n {
		if !slices.ContainsFunc(clauses, func(c []lit) bool {
			return !slices.ContainsFunc(c, func(l lit) bool { return values>>l.of()&1 == 1-int(l&1) })
		}) {
			return true
		}
	}
	return false
}

// The solver against all assignments; a refutation must name clauses that are
// contradictory.
func TestSolver(t *testing.T) {
	t.Parallel()
	rounds := often(20000)
	contradictory := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 77))
		n := 2 + r.IntN(7+seed%2*5)
		h := &hidden{t: t, true: make(map[lit]bool), fixed: make(map[int32]int32)}
		for range n * (1 + r.IntN(4)) / 2 * (1 + seed%2*3) {
			var c []lit
			for len(c) < min(n, 1+r.IntN(2)+seed%2*(1+r.IntN(2))) {
				if v := lit(2 * r.IntN(n)); !slices.Contains(c, v) && !slices.Contains(c, v+1) {
					c = append(c, v+lit(r.IntN(2)))
				}
			}
			h.clauses = append(h.clauses, c)
		}
		h.s = newSolver(h)
		for v := range n {
			h.s.add(int64(v))
		}
		for i, c := range h.clauses {
			if v := c[0].of(); len(c) == 1 && seed%3 == 0 && h.s.value[v] == 0 {
				h.s.fix(c[0])
				h.fixed[v] = int32(i)
			}
		}
		ok, err := h.s.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := satisfiable(n, h.clauses); ok != want {
			t.Fatalf("seed %d: %v, all assignments say %v: %v", seed, ok, want, h.clauses)
		}
		if ok {
			for _, c := range h.clauses {
				if !slices.ContainsFunc(c, func(l lit) bool { return h.true[l] }) {
					t.Fatalf("seed %d: nothing satisfies %v", seed, c)
				}
			}
			continue
		}
		contradictory++
		var core [][]lit
		for _, i := range h.s.refutation() {
			core = append(core, h.clauses[i])
		}
		if satisfiable(n, core) {
			t.Fatalf("seed %d: %v is no contradiction", seed, core)
		}
	}
	if contradictory < rounds/5 || contradictory > rounds*4/5 {
		t.Errorf("%d of %d were contradictory", contradictory, rounds)
	}
}
