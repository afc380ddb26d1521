package innodb

import (
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// Numbers of AUTO_INCREMENT, as with innodb_autoinc_lock_mode=1 or, in MySQL 8.4, 2; and time limits of waits.
//
// A statement that knows how many numbers it needs takes them at once, and locks nothing. A
// bulk insert, such as INSERT … SELECT, holds the table's AUTO-INC lock until it ends. All
// others that want numbers meanwhile want the lock too. In the mode 2 nobody has such a lock. The locks stand on the records of a
// table of their own, one for each sequence: so they have a queue, and can be part of a
// deadlock, as any other.
//
// A wait with a time limit may end at any time. The lock is not wanted any more; what the
// statement has locked stays locked, and the executor undoes what it has written.
//
// Source: MySQL 8.0 Reference Manual, 17.6.1.6 and 17.21.5; InnoDB's innobase_lock_autoinc
// and lock_wait.

// addAutos adds the table of AUTO-INC locks to a schema, and returns its rows.
func addAutos(s *Schema, sequences int) (rows []Row) {
	s.Tables = append(s.Tables, Table{Columns: 1, Indexes: []Index{{Columns: []int{0}, Unique: true}}})
	for i := range sequences {
		rows = append(rows, Row{i})
	}
	return rows
}

// auto is the record of a sequence's lock.
func (r *Rows) auto(sequence int) int {
	return r.state.exact(r.state.catalog.first[r.autos], Tuple{sequence})
}

// numberServed gives numbers of a sequence: how many had been given before. With a floor
// they are never less than it says.
func (r *Rows) numberServed(sess int) model.Reply {
	q, t := r.calls[sess].request, r.runs[sess].trx
	if r.state.trxs[t].victim {
		r.state.die(t)
		r.runs[sess].trx = none
		return r.unread(sess, 1)
	}
	rec := r.auto(q.Sequence)
	r.state.traceRecord(rec, false)
	if !r.state.options.MySQL && (q.Bulk || r.state.queued(rec)) {
		if r.state.lock(t, request{rec: rec, x: true, kind: recordOnly}) == waits {
			if q.Hasty && !r.state.trxs[t].paused {
				return r.unread(sess, 0)
			}
			return r.answerServed(sess, Blocked)
		}
	}
	n := &r.taken[q.Sequence]
	a := access.Answer{Count: *n}
	if q.Floor > 0 {
		*n = max(*n, q.Floor)
	} else {
		*n += q.Many
	}
	return r.servedBy(sess, a)
}

// unread is the answer where the AUTO-INC lock is not to be had: error 1467. A deadlock
// has this error too. Its victim has been rolled back, and the count tells this.
func (r *Rows) unread(sess int, rolledBack int32) model.Reply {
	r.calls[sess].request = nil
	return model.Reply{Kind: model.Answered, Found: access.Answer{Result: access.Failed, Code: "1467", Count: rolledBack}}
}

// queued reports whether a record is locked, or somebody waits for it.
func (s *State) queued(rec int) bool {
	for i := range s.locks {
		if int(s.locks[i].rec) == rec {
			return true
		}
	}
	return false
}

// unlockAutos gives back the AUTO-INC locks of a statement, which has ended.
func (r *Rows) unlockAutos(t Trx) {
	for i := range r.taken {
		r.state.unlock(t, r.auto(i), true)
	}
}

// Expires reports whether the session's request waits with a time limit.
func (r *Rows) Expires(sess int) bool {
	if len(r.calls) == 0 || !r.runs[sess].busy {
		return false
	}
	q := r.calls[sess].request
	return q != nil && q.Expires
}

// expire ends the wait of a session's request.
func (r *Rows) expire(sess int) model.Reply {
	run := &r.runs[sess]
	run.busy = false
	if r.calls[sess].request.Kind == access.Advise {
		r.leaveName(sess)
		return r.servedBy(sess, access.Answer{Result: access.WouldBlock})
	}
	r.state.cancel(run.trx)
	if r.calls[sess].request.Kind == access.Next {
		return r.unread(sess, 0)
	}
	return r.answerServed(sess, Timeout)
}

var _ model.Expiring = (*Rows)(nil)
