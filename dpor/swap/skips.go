package swap

import (
	"slices"
)

// A call of serial decides for one session after another whether its next transaction
// reads from the present history only. If not, the session is skipped. For each session
// State.Skips has the number of transactions that the history had when the session was
// last skipped; 0 when it was not. Each call has numbers of its own, on top of its
// caller's.

// PushSkips makes room for the decisions of a call of serial. The session of the last
// transaction is not skipped: it has made its next transaction.
func (s *State) PushSkips() {
	n, at := s.H.Sessions(), len(s.Skips)
	if at == 0 {
		s.Skips = slices.Grow(s.Skips, 16*n)[:n]
		clear(s.Skips)
		return
	}
	for i := at - n; i < at; i++ { // a few: faster than to append them at once
		s.Skips = append(s.Skips, s.Skips[i])
	}
	s.Skips[at+int(s.H.Last().Session)] = 0
}

// PopSkips takes back the decisions of the last call.
func (s *State) PopSkips() { s.Skips = s.Skips[:len(s.Skips)-s.H.Sessions()] }

// Skipped returns the number of transactions that were there when session i was
// skipped, or 0.
func (s *State) Skipped(i int) int { return int(s.Skips[len(s.Skips)-s.H.Sessions()+i]) }

// Skip decides that the next transaction of session i reads from one that is not
// there yet.
func (s *State) Skip(i int) {
	s.Skips[len(s.Skips)-s.H.Sessions()+i] = int32(s.H.Len())
}

// KeepsSkip reports whether the pending transaction reads from one that was not there
// when its session was skipped. The pending transaction is about to end.
func (s *State) KeepsSkip() bool {
	since := s.Skipped(int(s.H.Last().Session))
	if since == 0 {
		return true
	}
	from, to := s.H.ReadsOf(s.H.Len() - 1)
	for k := from; k < to; k++ {
		if int(s.H.Reads[k].From) >= since {
			return true
		}
	}
	return false
}
