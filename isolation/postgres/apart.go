package postgres

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// Points inside a statement of an executor: where others may run before its next request.
// A request needs none when it commutes with all requests of other sessions. That is so of
// one that only reads by a snapshot which has been taken: at READ COMMITTED and REPEATABLE
// READ it finds the same whatever others do (documentation, section 13.2). A table that it
// reads is locked, so that nobody empties it. At SERIALIZABLE a read meets the writes of
// others (README-SSI), so that it is no such request.

// Apart reports whether the session's next request may meet what other sessions do.
func (r *Rows) Apart(sess int, q *access.Request) bool {
	if q.Snap || len(q.Locks) > 0 || Level(q.Level) == Serializable {
		return true
	}
	switch q.Kind {
	case access.Nothing, access.ScanTable, access.ScanKey, access.ScanIndex, access.See, access.Save, access.Release:
		return false
	}
	return true
}

// Holds reports whether the session's transaction has what others can meet.
func (r *Rows) Holds(sess int) bool { return r.state.Holds(sess) || len(r.state.advisory) > 0 }

// Woken reports whether the session's request has waited and is to look again; of none,
// whether a record for serializability is to end.
func (r *Rows) Woken(sess int) bool {
	return slices.ContainsFunc(r.state.woken, func(t task) bool { return int(t.session) == sess })
}

// Task is the session of a woken statement, by its place; -1 when it is the end of a record.
func (r *Rows) Task(n int) int { return int(r.state.woken[n].session) }

// Paused is false: a request is one step.
func (r *Rows) Paused(int) bool { return false }

// Pause says that others may run before the session's statement goes on.
func (r *Rows) Pause(sess int) { r.calls[sess].within = true }

var _ model.Stepwise = (*Rows)(nil)
