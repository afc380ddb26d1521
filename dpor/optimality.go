package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// readLatest reports whether read k, which swapping with transaction t deletes
// or re-points, reads what it would read in an exploration that had not made any
// swap yet: with g the history without k and without what comes after k and does
// not precede t causally, the <-latest transaction that writes the variable, is
// in the reader's causal past in g, and keeps the base level.
//
// This deviates from the paper, whose condition Optimality (section 5.3) also
// asks that no deleted read be swapped, and whose swapped, with its second
// condition taken literally ("before r in both orders"), loses histories. A
// swapped read takes its value from a transaction that is not in its own causal
// past, so that it never reads latest: readLatest alone implies that no deleted
// read is swapped.
func (e *engine) readLatest(c *cutting) bool {
	h := &c.s.h
	r := &h.Reads[c.k]
	switch r.Past {
	case semantics.Unseen:
		return false
	case semantics.Newest:
		return true // it keeps the level, as the history has it
	}
	before, writers := h.Before(c.k), h.Writers(r.Var)
	g := e.cut(c)
	for u := writers.Next(int(r.From) + 1); u >= 0 && u < int(r.Txn); u = writers.Next(u + 1) {
		if before.Has(u) && e.keeps(g, r.Var, u) {
			return false
		}
	}
	return true
}

// keeps reports whether the pending transaction of g may read x from u at the
// base level.
func (e *engine) keeps(g *state, x program.VarID, u int) bool {
	mark := g.known.Mark()
	g.h.Read(x, u)
	ok := g.known.Read(&g.h)
	g.known.Undo(mark)
	g.h.UndoRead()
	return ok
}
