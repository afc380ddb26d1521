package swap

import "github.com/txmc/txmc/semantics"

// readLatest reports whether the read of the reordering, which swapping deletes
// or re-points, reads what it would read in an exploration that had not made any
// swap yet. Let g be the history without the read, and without what comes after it
// and does not precede t causally. The read reads latest if it reads from the
// <-latest transaction that writes the variable, is in the reader's causal past in
// g, and keeps the base level (PLDI 2023, section 5.3).
//
// This deviates from the paper. There Optimality also asks that no deleted read be
// swapped. The paper's swapped loses histories when its second condition is taken
// literally ("before r in both orders"). It is not needed: a swapped read takes its
// value from a transaction that is not in its own causal past, and never reads
// latest. So readLatest alone implies that no deleted read is swapped.
func (m *Moves) readLatest(r *reordering) bool {
	h := &r.s.H
	read := &h.Reads[r.k]
	switch read.Past {
	case semantics.Unseen:
		return false
	case semantics.Newest:
		return true // it keeps the level, as the history has it
	}
	before, writers := h.Before(r.k), h.Writers(read.Var)
	g := m.reorder(r)
	for u := writers.Next(int(read.From) + 1); u >= 0 && u < int(read.Txn); u = writers.Next(u + 1) {
		if before.Has(u) && g.allows(read.Var, u) {
			return false
		}
	}
	return true
}
