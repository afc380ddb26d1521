package dpor

import "errors"

// errNotLatest ends the scan of exploreSwaps.
var errNotLatest = errors.New("a read is not latest")

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
			e.frames[i].next = int(h.Txns[reader].First) - 1
			continue
		}
		g := cutting{s: s, k: k, t: t}
		err := errNotLatest
		if e.readLatest(&g) {
			err = nil
			if h.Writers(h.Reads[k].Var).Has(t) {
				err = e.swap(&g)
			}
		}
		e.release(&g)
		if err == errNotLatest {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// swap explores the history in which read g.k reads from g.t, if the base level
// allows it.
func (e *engine) swap(g *cutting) error {
	if g.s.known.Refuses(&g.s.h, g.k, g.t) {
		return nil
	}
	s := e.cut(g)
	if e.filtered {
		s.filter.Continue(&s.h, &s.known, &g.s.filter, int(g.s.h.Reads[g.k].Txn))
	}
	node := g.s.h.Reads[g.k].Node
	s.h.Read(node.Var, g.from)
	if !s.known.Read(&s.h) {
		return nil
	}
	return e.step(s, node, g.from)
}

// cutting is the history of s without what swapping read k and transaction t
// deletes, and without k; see [semantics.Ordered.Cut]. It is made on demand.
type cutting struct {
	s    *state
	k, t int
	left *state
	from int // position of t in left
}

// cut returns what is left. It satisfies the base level as the history does, for
// the levels are prefix-closed.
func (e *engine) cut(g *cutting) *state {
	if g.left == nil {
		g.left = e.take()
		reader := int(g.s.h.Reads[g.k].Txn)
		g.from = g.left.h.Cut(&g.s.h, g.k, g.t)
		g.left.known.Continue(&g.left.h, &g.s.known, reader)
		g.left.known.Replay(&g.left.h, reader)
	}
	return g.left
}

func (e *engine) release(g *cutting) {
	if g.left != nil {
		e.give(g.left)
	}
}

// take and give keep the states of ended swaps for later ones.
func (e *engine) take() *state {
	if n := len(e.free); n > 0 {
		s := e.free[n-1]
		e.free = e.free[:n-1]
		return s
	}
	return &state{}
}

func (e *engine) give(s *state) { e.free = append(e.free, s) }
