package check

import (
	"fmt"
	"slices"
)

// Invariants of the solver and of the order it searches, in the manner of go/ssa's
// sanity.go: tests call them while a search runs. They hold whenever the solver has
// propagated everything: when it decides and when it asks the theory for more.

// sanity returns the first invariant of the solver that does not hold.
func (s *solver) sanity() error {
	if s.head != len(s.trail) {
		return fmt.Errorf("%d literals of %d are propagated", s.head, len(s.trail))
	}
	for _, check := range []func() error{s.saneTrail, s.saneDecisions, s.saneReasons, s.saneClauses, s.heap.sane} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// saneTrail: the trail has each variable with a value once, at its position, and as many
// gaps as are counted.
func (s *solver) saneTrail() error {
	gaps, assigned := 0, 0
	for i, l := range s.trail {
		switch {
		case l == gone:
			gaps++
		case s.is(l) != 1 || s.position[l.of()] != int32(i):
			return fmt.Errorf("trail: literal %d at %d is %d, at %d", l, i, s.is(l), s.position[l.of()])
		}
	}
	for v, value := range s.value {
		if value != 0 {
			assigned++
		} else if s.seen[v] {
			return fmt.Errorf("variable %d is marked", v)
		}
	}
	if gaps != s.gaps || assigned != len(s.trail)-gaps {
		return fmt.Errorf("trail: %d gaps of %d, %d variables of %d", gaps, s.gaps, len(s.trail)-gaps, assigned)
	}
	return nil
}

// saneDecisions: the decision of each level is true, at its level, and has no reason.
func (s *solver) saneDecisions() error {
	for i, l := range s.decisions {
		if l != gone && (s.is(l) != 1 || s.level[l.of()] != int32(i)+1 || s.reason[l.of()] != decided) {
			return fmt.Errorf("decision %d: literal %d is %d, of level %d", i+1, l, s.is(l), s.level[l.of()])
		}
	}
	if n := len(s.decisions); n > 0 && s.decisions[n-1] == gone {
		return fmt.Errorf("the highest of %d levels has no decision", n)
	}
	return nil
}

// saneReasons: what is no decision follows. A reason has its literal first, and the others
// are false, earlier in the trail, and of no higher level than the literal.
func (s *solver) saneReasons() error {
	for _, l := range s.trail {
		if l == gone {
			continue
		}
		v := l.of()
		switch c := s.reason[v]; {
		case c == fixed && s.level[v] != 0:
			return fmt.Errorf("literal %d is fixed at level %d", l, s.level[v])
		case c == decided && (s.level[v] == 0 || s.decisions[s.level[v]-1] != l):
			return fmt.Errorf("literal %d is not the decision of level %d", l, s.level[v])
		case c >= 0:
			lits := s.clauses[c].lits
			if lits[0] != l || s.level[v] != s.highest(lits[1:]) {
				return fmt.Errorf("literal %d of level %d does not follow from %v", l, s.level[v], lits)
			}
			for _, k := range lits[1:] {
				if s.is(k) != -1 || s.position[k.of()] >= s.position[v] {
					return fmt.Errorf("literal %d follows from %v before %d is false", l, lits, k)
				}
			}
		}
	}
	return nil
}

// saneClauses: a clause is watched by its first two literals, used by all, and not both
// watches are false.
func (s *solver) saneClauses() error {
	watched, used := make([]int, len(s.clauses)), make([]int, len(s.clauses))
	for l := range s.watch {
		for i := s.watch[l]; i >= 0; i = s.links[i].next {
			c := s.links[i].clause
			if watched[c]++; slices.Index(s.clauses[c].lits[:2], lit(l)) < 0 {
				return fmt.Errorf("literal %d watches %v", l, s.clauses[c].lits)
			}
		}
		for i := s.uses[l]; i >= 0; i = s.links[i].next {
			c := s.links[i].clause
			if used[c]++; !slices.Contains(s.clauses[c].lits, lit(l)) {
				return fmt.Errorf("literal %d uses %v", l, s.clauses[c].lits)
			}
		}
	}
	for i, c := range s.clauses {
		switch n := len(c.lits); {
		case n > 1 && (watched[i] != 2 || used[i] != n):
			return fmt.Errorf("clause %v: %d watches, %d uses", c.lits, watched[i], used[i])
		case n > 1 && s.is(c.lits[0]) == -1 && s.is(c.lits[1]) == -1:
			return fmt.Errorf("clause %v: both watches are false", c.lits)
		case n == 1 && s.is(c.lits[0]) != 1:
			return fmt.Errorf("clause %v is not true", c.lits)
		}
	}
	return nil
}

// sane: the heap has the more active variable on top, and knows where each one is.
func (h *varHeap) sane() error {
	for i, v := range h.heap {
		if h.index[v] != int32(i) {
			return fmt.Errorf("heap: variable %d at %d, not %d", v, i, h.index[v])
		}
		if i > 0 && h.before(v, h.heap[(i-1)/2]) {
			return fmt.Errorf("heap: variable %d is below %d", v, h.heap[(i-1)/2])
		}
	}
	for v, i := range h.index {
		if i >= 0 && (int(i) >= len(h.heap) || h.heap[i] != int32(v)) {
			return fmt.Errorf("heap: variable %d is not at %d", v, i)
		}
	}
	return nil
}

// sanity returns the first invariant of the ordering that does not hold. The graph has the
// arcs of the true literals and no others. Its order is a permutation of the nodes that
// agrees with these arcs and with so ∪ wr.
func (o *ordering) sanity() error {
	for l, m := range o.arcs {
		want := int32(0)
		if o.s.is(lit(l)) == 1 {
			want = m.count
		}
		if m.linked != want {
			return fmt.Errorf("literal %d has %d arcs in the graph, not %d", l, m.linked, want)
		}
	}
	at := slices.Clone(o.g.ord)
	slices.Sort(at)
	for i, p := range at {
		if p != int32(i) {
			return fmt.Errorf("order: no node is at %d", i)
		}
	}
	for v := range int32(len(o.g.ord)) {
		sane := o.g.eachNext(v, func(w, _ int32) bool { return o.g.ord[v] < o.g.ord[w] }) &&
			o.g.eachPrev(v, func(u, _ int32) bool { return o.g.ord[u] < o.g.ord[v] })
		if !sane {
			return fmt.Errorf("order: an arc of node %d goes back", v)
		}
	}
	return nil
}
