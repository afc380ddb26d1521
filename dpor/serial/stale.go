package serial

import (
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// stale is for a transaction whose session was skipped. It has to read from a transaction
// that was not there then. While it has not, stale returns how many variables it may still
// read from such a one; else 0. Where a transaction may read a variable twice, from one and
// from the other, nothing is counted: then keepsSkip alone decides.
func (e *Engine) stale(s *swap.State) (n int) {
	h := &s.H
	t := h.Last()
	since := s.Skipped(int(t.Session))
	if !e.repeatable || s.KeepsSkip() {
		return 0
	}
	for _, x := range e.lookahead.reads[e.lookahead.number(int(t.Session), int(t.Index))] {
		if h.Writers(x).Next(since) >= 0 && !hasRead(h, x) {
			n++
		}
	}
	return n
}

// hasRead reports whether the pending transaction has read x.
func hasRead(h *semantics.Ordered, x behaviour.VarID) bool {
	from, to := h.ReadsOf(h.Len() - 1)
	for _, r := range h.Reads[from:to] {
		if r.Var == x {
			return true
		}
	}
	return false
}
