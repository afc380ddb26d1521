package dpor

import (
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// A call of serial decides for one session after another whether its next transaction
// reads from the present history only. If not, the session is skipped. For each session
// state.skips has the number of transactions that the history had when the session was
// last skipped; 0 when it was not. Each call has numbers of its own, on top of its
// caller's.

// pushSkips makes room for the decisions of a call of serial. The session of the last
// transaction is not skipped: it has made its next transaction.
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

// keepsSkip reports whether the pending transaction reads from one that was not there
// when its session was skipped. The pending transaction is about to end.
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

// stale is for a transaction whose session was skipped. It has to read from a transaction
// that was not there then. While it has not, stale returns how many variables it may still
// read from such a one; else 0. Where a transaction may read a variable twice, from one and
// from the other, nothing is counted: then keepsSkip alone decides.
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
