package swap

import (
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// reordering is a pair of ComputeReorderings(h, t) (PLDI 2023, section 5.2).
// Transaction t has just committed and is last in <. r = k is a read of a variable that
// t writes. r's transaction does not precede t causally. The swap of a reordering
// deletes
//
//	D = { e | r < e, (tr(e), t) ∉ (so ∪ wr)* }
//
// (where sessions are alike (so ∪ wr ∪ follows)*, also below: see [following]),
// re-points r to t, cuts r's transaction off right after r, and moves it to the
// end of <.
type reordering struct {
	s    *State
	k, t int
	kept semantics.Row // the causal past of t, and what they follow
	// reordered is the history without D and without r: see
	// [semantics.Ordered.Cut]. It is made on demand, by Moves.reorder.
	reordered *State
	from      int // position of t in reordered
}

// nextReordering makes r the next reordering of transaction t, from read k on
// backwards, that satisfies
//
//	Optimality: h' satisfies the base level, and every read of D ∪ {r} is latest
//
// (PLDI 2023, section 5.3; see readLatest), except that whether h' satisfies the
// base level is left to swap. Whether a read of D ∪ {r} is latest does not depend
// on r: so one scan backwards decides it for all r, and ends at the first deleted
// read that is not latest.
func (m *Moves) nextReordering(r *reordering, s *State, k, t int) (found bool) {
	h := &s.H
	kept := m.Kept(h, t)
	for k >= 0 {
		reader := int(h.Reads[k].Txn)
		if reader == t || kept.Has(reader) {
			k = int(h.Txns[reader].First) - 1
			continue
		}
		*r = reordering{s: s, k: k, t: t, kept: kept}
		if !m.readLatest(r) {
			m.dropReordering(r)
			return false
		}
		if h.Writers(h.Reads[k].Var).Has(t) && !s.Known.Refuses(h, k, t) {
			return true
		}
		m.dropReordering(r)
		k--
	}
	return false
}

// swap is Swap(h, r, t) (PLDI 2023, section 5.2): the history of the reordering in
// which its read, made at node, reads from t. It reports whether the base level
// allows that.
func (m *Moves) swap(r *reordering) (s *State, node *behaviour.Node, allowed bool) {
	s, node = m.reorder(r), r.s.H.Reads[r.k].Node
	if m.Filtered {
		s.filter.Continue(&s.H, &s.Known, &r.s.filter, int(r.s.H.Reads[r.k].Txn))
	}
	_, allowed = s.read(node.Var, r.from)
	return s, node, allowed
}

// reorder makes r.reordered. It satisfies the base level as the history does, for
// the levels are prefix-closed.
func (m *Moves) reorder(r *reordering) *State {
	if r.reordered == nil {
		g := m.fresh()
		reader := int(r.s.H.Reads[r.k].Txn)
		r.from = g.H.Cut(&r.s.H, r.k, r.t, r.kept)
		g.Known.Continue(&g.H, &r.s.Known, reader)
		g.Known.Replay(&g.H, reader)
		r.reordered = g
	}
	return r.reordered
}

func (m *Moves) dropReordering(r *reordering) {
	if r.reordered != nil {
		m.Recycle(r.reordered)
	}
}
