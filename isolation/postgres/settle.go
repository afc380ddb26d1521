package postgres

import "github.com/txmc/txmc/program/access"

// A server that runs for hours on an executor's Rows: what no transaction can ask for any
// more is forgotten while none is open, and a client may leave in the middle of a wait.

// Versions is the number of row versions that came after the loaded rows, or after rows
// were settled last, and of transactions that wrote since then.
func (r *Rows) Versions() int {
	return len(r.state.heap) + len(r.state.changed) + len(r.state.xids) + len(r.state.ssi.records)
}

// Settle forgets all but what committed transactions have left, in its physical order, the
// numbers of sequences, and the advisory locks of sessions: the tables are as VACUUM FULL
// leaves them. It reports false, and does nothing, while a transaction is open. moved is told
// the versions that are left, by their old and their new name.
func (r *Rows) Settle(moved func(from, to TID)) bool {
	s := &r.state
	if len(s.woken) > 0 {
		return false
	}
	for i := range s.sessions {
		if s.sessions[i].open || s.Blocked(i) {
			return false
		}
	}
	n := NewState(Options{Tables: s.tables, Sessions: len(s.sessions), Races: s.races, Record: s.recording})
	n.advisory = s.advisory
	for t := range s.tables {
		for _, tid := range s.Committed(t) {
			moved(tid, n.Load(t, s.Row(tid)))
		}
	}
	n.plant()
	r.state = *n
	clear(r.calls)
	return true
}

// EachSettled yields the rows of an executor's tables after Settle.
func (r *Rows) EachSettled(yield func(access.Initial)) {
	if r.state.seed == nil {
		return
	}
	for i := range r.state.seed.versions {
		v := &r.state.seed.versions[i]
		if int(v.table) >= r.first {
			yield(access.Initial{Table: v.table - uint8(r.first), Row: access.Row{Keys: v.row.Keys, Indexed: v.row.Indexed, Value: v.row.Value}})
		}
	}
}

// Cancel ends the wait of a session's request without an answer. The statement has failed:
// its transaction, or its savepoint, is rolled back next.
func (r *Rows) Cancel(sess int) {
	s := &r.state
	kept := s.woken[:0]
	for _, t := range s.woken {
		if int(t.session) != sess {
			kept = append(kept, t)
		}
	}
	s.woken = kept
	s.stop(sess)
	r.calls[sess].request, r.calls[sess].locked = nil, 0
}

// Advises reports whether the session holds an advisory lock of its own.
func (r *Rows) Advises(sess int) bool {
	for _, a := range r.state.advisory {
		if int(a.session) == sess && !a.owned {
			return true
		}
	}
	return false
}

// Named is the version for which the session's executor has a name.
func (r *Rows) Named(sess int, name int32) TID { return r.calls[sess].names[name] }

// Content is the number of a version's content.
func (r *Rows) Content(t TID) int32 { return r.state.Row(t).Value }

// Advised takes the advisory locks of other rows, of the same sessions.
func (r *Rows) Advised(other *Rows) { r.state.advisory = other.state.advisory }
