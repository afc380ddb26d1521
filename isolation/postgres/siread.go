package postgres

import "slices"

// SIREAD locks: README-SSI, "Heap locking" and "Index AM implementations";
// PredicateLockAcquire, CheckTargetForConflictsIn. Readers leave them on what
// they read; writers look for them.

type targetKind uint8

const (
	onVersion targetKind = iota
	onPage               // the heap page: our tables have one
	onTable
	onIndexPage // our indexes have one
	onIndex     // a whole index, which had no page yet
)

// target is what an SIREAD lock covers.
type target struct {
	kind  targetKind
	table uint8
	n     int32 // the version, or the index
}

// siread is an SIREAD lock of a record.
type siread struct {
	record int32
	on     target
}

// perPage is the number of locks on versions of a page above which a lock on
// the page replaces them (max_pred_locks_per_page).
const perPage = 2

func (q *ssi) locked(me int32, t target) bool { return slices.Contains(q.locks, siread{me, t}) }

// lock takes a lock, unless a coarser one covers it. A coarser one replaces
// the finer ones.
func (q *ssi) lock(me int32, on target) {
	if q.locked(me, on) || q.covered(me, on) {
		return
	}
	switch on.kind {
	case onVersion:
		if q.countVersions(me, on.table) >= perPage {
			on = target{kind: onPage, table: on.table}
			q.unlock(me, on.table, onVersion)
		}
	case onTable:
		q.unlock(me, on.table, onPage)
	}
	q.locks = append(q.locks, siread{me, on})
}

func (q *ssi) covered(me int32, on target) bool {
	switch on.kind {
	case onVersion:
		return q.locked(me, target{kind: onPage, table: on.table}) || q.locked(me, target{kind: onTable, table: on.table})
	case onIndexPage:
		return q.locked(me, target{onIndex, on.table, on.n})
	}
	return false
}

func (q *ssi) countVersions(me int32, table uint8) (n int) {
	for _, l := range q.locks {
		if l.record == me && l.on.kind == onVersion && l.on.table == table {
			n++
		}
	}
	return n
}

// unlock gives up the record's locks on the table's heap up to this kind.
func (q *ssi) unlock(me int32, table uint8, most targetKind) {
	q.locks = slices.DeleteFunc(q.locks, func(l siread) bool {
		return l.record == me && l.on.table == table && l.on.kind <= most
	})
}

// checkIn flags conflicts from those who have read the target to the writer me.
// It reports false when me has to fail.
func (q *ssi) checkIn(me int32, on target) bool {
	for _, l := range q.locks {
		r := &q.records[l.record]
		if l.on != on || l.record == me || r.doomed || q.has(l.record, me) ||
			r.committed && q.records[me].xmin >= r.finishedBefore {
			continue
		}
		if !q.flag(me, l.record, me) {
			return false
		}
	}
	return true
}
