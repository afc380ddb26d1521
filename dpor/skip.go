package dpor

import (
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// A call of serial decides for sessions one after another whether their next
// transactions read from the present history only. For each session state.skips
// has the number of transactions that were there when it was last decided that
// the next one does not, 0 when nothing was. Each call has numbers of its own, on
// top of its caller's.

// pushSkips makes room for what a call of serial decides, the last transaction
// being the first of its session to take place since.
func (s *state) pushSkips() {
	n, at := s.h.Sessions(), len(s.skips)
	if at == 0 {
		s.skips = slices.Grow(s.skips, 16*n)[:n]
		clear(s.skips)
		return
	}
	for i := at - n; i < at; i++ { // a few: faster than to append them at once
		s.skips = append(s.skips, s.skips[i])
	}
	s.skips[at+int(s.h.Last().Session)] = 0
}

func (s *state) popSkips() { s.skips = s.skips[:len(s.skips)-s.h.Sessions()] }

// skipped returns the number of transactions that were there when session i was
// skipped, or 0.
func (s *state) skipped(i int) int { return int(s.skips[len(s.skips)-s.h.Sessions()+i]) }

// skip decides that the next transaction of session i reads from one that is not
// there yet.
func (s *state) skip(i int) {
	s.skips[len(s.skips)-s.h.Sessions()+i] = int32(s.h.Len())
}

// keepsSkip reports whether the pending transaction, which is about to end, reads
// from one that was not there when its session was skipped.
func (s *state) keepsSkip() bool {
	since := s.skipped(int(s.h.Last().Session))
	if since == 0 {
		return true
	}
	from, to := s.h.ReadsOf(s.h.Len() - 1)
	for k := from; k < to; k++ {
		if int(s.h.Reads[k].From) >= since {
			return true
		}
	}
	return false
}

// stale returns how many variables the pending transaction may still read from a
// transaction that was not there when its session was skipped, if it has to and has not
// yet; else 0. Where a transaction may read a variable twice, from one and from the other,
// nothing is counted: then keepsSkip alone decides.
func (e *serial) stale(s *state) (n int) {
	h := &s.h
	t := h.Last()
	since := s.skipped(int(t.Session))
	if !e.repeatable || s.keepsSkip() {
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
func hasRead(h *semantics.Ordered, x program.VarID) bool {
	from, to := h.ReadsOf(h.Len() - 1)
	for _, r := range h.Reads[from:to] {
		if r.Var == x {
			return true
		}
	}
	return false
}
