package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
)

// Points inside a statement of an executor: where others may run before its next request.
// A request needs none when it commutes with all requests of other sessions. That is so of a
// consistent read whose view has been made: it finds the same whatever others do (MySQL 8.0
// Reference Manual, 17.7.2.3). At READ UNCOMMITTED, where there are no views, a read needs one.
//
// A request may lock several records, as a scan by a secondary index locks an entry and then its
// row, or give a lock back before it takes the next one. Others may run before each lock but its
// first one (Options.Points).

// Apart reports whether the session's next request may meet what other sessions do.
func (r *Rows) Apart(sess int, q *access.Request) bool {
	t := r.runs[sess].trx
	if t == none { // an error has ended it
		return false
	}
	x := &r.state.trxs[t]
	switch q.Kind {
	case access.Read:
		return !x.view
	case access.Nothing:
		return q.Snap && !x.view
	case access.Save, access.Release:
		return false
	case access.Finish:
		return slices.ContainsFunc(r.state.locks, func(l lock) bool { return l.trx == t && r.isAuto(int(l.rec)) })
	}
	return true
}

// Holds reports whether the session's transaction has what others can meet.
func (r *Rows) Holds(sess int) bool {
	t := r.runs[sess].trx
	return t != none && r.state.Holds(t)
}

// Woken reports whether the session's request has waited and is to look again.
func (r *Rows) Woken(sess int) bool {
	return slices.ContainsFunc(r.state.woken, func(t Trx) bool { return r.state.Owner(t) == sess })
}

// Paused reports whether the session is inside a request before its next lock.
func (r *Rows) Paused(sess int) bool {
	t := r.runs[sess].trx
	return t != none && r.state.trxs[t].paused
}

// Pause says that others may run before the session's statement goes on.
func (r *Rows) Pause(int) {}

// isAuto reports whether a record is that of a sequence's lock.
func (r *Rows) isAuto(rec int) bool {
	return int(r.state.records[rec].index) == r.state.catalog.first[r.autos]
}

var _ model.Stepwise = (*Rows)(nil)
