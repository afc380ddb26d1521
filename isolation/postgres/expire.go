package postgres

import "github.com/txmc/txmc/isolation/model"

// Time limits: lock_timeout and statement_timeout (documentation, section 19.11.1). How long a
// wait takes is for the others to say, so every wait of a statement with a limit may end by it.

var _ model.Expiring = (*Rows)(nil)

// Expires reports whether the session's request waits and has a time limit. A DEFERRABLE
// transaction that waits for its snapshot waits for no lock.
func (r *Rows) Expires(sess int) bool {
	if len(r.calls) == 0 {
		return false
	}
	q := r.calls[sess].request
	if q == nil || !q.Expires {
		return false
	}
	switch r.state.sessions[sess].wait.kind {
	case forXid, forTuple, forAdvice:
		return true
	case forSafety:
		return q.Whole
	}
	return false
}

// expire ends the wait of the session's request.
func (r *Rows) expire(sess int) model.Reply {
	if r.calls[sess].request.Whole {
		return r.failed(sess, QueryCanceled)
	}
	return r.failed(sess, LockNotAvailable)
}
