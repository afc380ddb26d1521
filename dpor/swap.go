package dpor

import "github.com/txmc/txmc/semantics"

// exploreSwaps re-points reads that come before transaction t, which has just
// committed and is last in <, to t (PLDI 2023, section 5.2). A read r of a
// variable that t writes, whose transaction does not precede t causally, leads to
// the history without D, the events after r whose transactions do not precede t,
// in which r reads from t and its transaction, cut right after r, is last. The
// swap is made only when r and every read of D are latest (optimality.go), so
// that no history is reached twice; one scan backwards decides that for all r.
// Frame i says how far the scan has come.
func (e *engine) exploreSwaps(i int) error {
	s := e.frames[i].s
	h := &s.h
	t := e.frames[i].txns - 1
	for k := e.frames[i].next; k >= 0; k = e.frames[i].next {
		e.frames[i].next = k - 1
		reader := int(h.Reads[k].Txn)
		if reader == t || h.Past(t).Has(reader) {
			continue
		}
		if !e.readLatest(s, k, t) {
			return nil
		}
		if !h.Writers(h.Reads[k].Var).Has(t) {
			continue
		}
		if err := e.swap(s, k, t); err != nil {
			return err
		}
	}
	return nil
}

// swap explores the history in which read k reads from t, if the base level
// allows it.
func (e *engine) swap(s *state, k, t int) error {
	g := e.take()
	defer e.give(g)
	from, ok := e.cut(g, s, k, t)
	if !ok {
		return nil
	}
	if e.filtered {
		g.filter.Continue(&g.h, &g.known, &s.filter, int(s.h.Reads[k].Txn))
	}
	node := s.h.Reads[k].Node
	g.h.Read(node.Var, from)
	if !g.known.Read(&g.h) {
		return nil
	}
	return e.step(g, node, from)
}

// cut makes g the history of s without what swapping read k and transaction t
// deletes, and without k; see [semantics.Ordered.Cut]. It returns the position
// of t in g. What is left of a history satisfies the level that the history
// satisfies, as the levels are prefix-closed.
func (e *engine) cut(g, s *state, k, t int) (from int, ok bool) {
	from = g.h.Cut(&s.h, k, t)
	g.known.Reset(&g.h, e.base)
	return from, g.known.Replay(&g.h)
}

// take and give keep the states of ended swaps for later ones.
func (e *engine) take() *state {
	if n := len(e.free); n > 0 {
		s := e.free[n-1]
		e.free = e.free[:n-1]
		return s
	}
	return &state{h: semantics.Ordered{}}
}

func (e *engine) give(s *state) { e.free = append(e.free, s) }
