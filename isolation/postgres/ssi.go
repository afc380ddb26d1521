package postgres

import "slices"

// Serializable snapshot isolation: README-SSI, predicate.c; Ports and Grittner,
// "Serializable Snapshot Isolation in PostgreSQL", VLDB 2012. This file has the
// records of serializable transactions and the read-write conflicts between
// them. A transaction fails when t1 → t2 → t3 are such conflicts and t3
// committed first.

// ssi is what serializable transactions share (PredXactList).
type ssi struct {
	records   []record
	conflicts []conflict // in order of discovery
	watches   []conflict // read-only transactions and the writers that may make them unsafe
	locks     []siread
	finished  []int32 // committed records that are kept, oldest first

	last        int32 // the last number given to a preparation or commit
	writable    int32 // running read-write records
	globalXmin  int32 // least xmin of a running record, none without one
	globalCount int32 // how many have it
	canClear    int32 // commits up to this number overlap with no running writer
	haveCleared int32
}

// record is a serializable transaction (SERIALIZABLEXACT). It is kept after the
// commit while transactions that overlap with it run.
type record struct {
	session int8
	used    bool // false after its release
	fate
	readOnly    bool // declared so, or committed without a write
	declared    bool
	wrote       bool
	safe        bool  // no writer can make its snapshot unsafe any more
	conflictOut bool  // has a conflict to a transaction that committed before it
	ordinal     int32 // which transaction of its session it is
	numbers
}

// fate is how a serializable transaction ends, as far as that is known.
type fate struct {
	prepared   bool
	committed  bool
	rolledBack bool
	doomed     bool // fails at its next check
}

// numbers say when a serializable transaction began, prepared and ended.
type numbers struct {
	snapshot       int32
	earliestOut    int32 // the preparation of the first such transaction
	lastCommit     int32 // the last number given before its snapshot
	prepareSeq     int32
	commitSeq      int32
	xmin           int32 // oldest running xid at its snapshot
	finishedBefore int32 // next xid when it ended
}

// conflict is a read-write conflict: reader did not see what writer wrote.
type conflict struct{ reader, writer int32 }

func (q *ssi) copyFrom(p *ssi) {
	records, conflicts, watches, locks, finished := q.records, q.conflicts, q.watches, q.locks, q.finished
	*q = *p
	q.records = append(records[:0], p.records...)
	q.conflicts = append(conflicts[:0], p.conflicts...)
	q.watches = append(watches[:0], p.watches...)
	q.locks = append(locks[:0], p.locks...)
	q.finished = append(finished[:0], p.finished...)
}

// start registers the session's transaction when it takes its snapshot
// (GetSerializableTransactionSnapshotInt). A read-only transaction without
// concurrent writers is not tracked.
func (q *ssi) start(sess int, ses *session, xmin int32) int32 {
	if ses.readOnly && q.writable == 0 {
		return none
	}
	id := int32(len(q.records))
	if ses.readOnly {
		if !q.watchWriters(id) {
			return none
		}
	} else {
		q.writable++
	}
	q.records = append(q.records, record{session: int8(sess), ordinal: ses.ordinal, numbers: numbers{snapshot: ses.snapshot, lastCommit: q.last, xmin: xmin},
		used: true, readOnly: ses.readOnly, declared: ses.readOnly})
	q.countXmin(xmin)
	return id
}

// watchWriters makes a read-only transaction watch the running writers; it
// reports whether there are any.
func (q *ssi) watchWriters(id int32) bool {
	n := len(q.watches)
	for i := range q.records {
		if w := &q.records[i]; w.used && !w.committed && !w.rolledBack && !w.doomed && !w.readOnly {
			q.watches = append(q.watches, conflict{id, int32(i)})
		}
	}
	return len(q.watches) > n
}

// watching reports whether a read-only transaction still watches a writer. One that does not
// is safe, or unsafe for ever.
func (q *ssi) watching(id int32) bool {
	return slices.ContainsFunc(q.watches, func(c conflict) bool { return c.reader == id })
}

func (q *ssi) countXmin(xmin int32) {
	switch {
	case q.globalXmin == none || xmin < q.globalXmin:
		q.globalXmin, q.globalCount = xmin, 1
	case xmin == q.globalXmin:
		q.globalCount++
	}
}

func (q *ssi) has(reader, writer int32) bool {
	return slices.Contains(q.conflicts, conflict{reader, writer})
}

// flag records a conflict (FlagRWConflict). It reports false when the
// transaction me has to fail; where another one has to, it is doomed.
func (q *ssi) flag(me, reader, writer int32) bool {
	w := &q.records[writer]
	if q.dangerous(reader, writer) {
		if me == writer || w.prepared {
			return false
		}
		w.doomed = true
	}
	q.conflicts = append(q.conflicts, conflict{reader, writer})
	return true
}

// dangerous reports whether the conflict completes a dangerous structure
// (OnConflict_CheckForSerializationFailure).
func (q *ssi) dangerous(reader, writer int32) bool {
	r, w := &q.records[reader], &q.records[writer]
	if w.committed && w.conflictOut {
		return true
	}
	for _, c := range q.conflicts {
		if c.reader == writer && q.pivotOut(r, w, &q.records[c.writer]) {
			return true
		}
		if c.writer == reader && w.prepared && !r.readOnly && q.pivotIn(&q.records[c.reader], w) {
			return true
		}
	}
	return false
}

// pivotOut: the writer is the pivot of reader → writer → t2, and t2 was
// prepared before both committed.
func (q *ssi) pivotOut(r, w, t2 *record) bool {
	return t2.prepared &&
		(!r.committed || t2.prepareSeq <= r.commitSeq) &&
		(!w.committed || t2.prepareSeq <= w.commitSeq) &&
		(!r.readOnly || t2.prepareSeq <= r.lastCommit)
}

// pivotIn: the reader is the pivot of t0 → reader → writer, and the writer was
// prepared before t0 committed.
func (q *ssi) pivotIn(t0, w *record) bool {
	return !t0.doomed &&
		(!t0.committed || t0.commitSeq >= w.prepareSeq) &&
		(!t0.readOnly || t0.lastCommit >= w.prepareSeq)
}

// preCommit is PreCommit_CheckForSerializationFailure: the committing
// transaction may be the first one to commit of a dangerous structure.
func (q *ssi) preCommit(me int32) bool {
	x := &q.records[me]
	if x.doomed {
		return false
	}
	for _, c := range q.conflicts {
		near := &q.records[c.reader]
		if c.writer != me || near.committed || near.doomed || !q.threatened(me, c.reader) {
			continue
		}
		if near.prepared {
			return false
		}
		near.doomed = true
	}
	q.last++
	x.prepareSeq, x.prepared = q.last, true
	return true
}

// threatened reports whether near is the pivot of far → near → me with a far
// end that may still commit.
func (q *ssi) threatened(me, near int32) bool {
	for _, c := range q.conflicts {
		if c.writer != near {
			continue
		}
		if far := &q.records[c.reader]; c.reader == me || !far.committed && !far.readOnly && !far.doomed {
			return true
		}
	}
	return false
}
