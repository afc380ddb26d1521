package program

import "github.com/txmc/txmc/program/behaviour"

// Assume leaves out the histories in which cond does not hold, as if the isolation
// level forbade them. They are not counted, and what they break is no violation. Like
// [Session.Assert] it ends the session. Nothing else is explored less, so it says what
// to look at and saves no time.
//
// Use it for what the program relies on and does not model.
func (tx *Tx) Assume(cond bool) {
	loc := tx.enter("Assume")
	if !cond {
		tx.run.drop(loc)
	}
}

// Assume is [Tx.Assume] outside a transaction.
func (s *Session) Assume(cond bool) {
	r := s.enter("Assume")
	if !cond {
		r.drop(r.client.caller())
	}
}

func (r *run) drop(loc behaviour.Loc) {
	if r.session < 0 {
		r.misuse(loc, "Assume fails in Setup, which is the same in every history: write initial values for which it holds")
	}
	r.dropped, r.dropAt = true, r.here(loc)
	r.unwind()
}
