package postgres

import "slices"

// The end of serializable transactions: ReleasePredicateLocks,
// ClearOldPredicateLocks, ReleaseOneSerializableXact. A committed record is
// kept while transactions that overlap with it run.

// end ends a record. nextXid is the next xid to be assigned.
func (q *ssi) end(me int32, commit bool, nextXid int32) {
	x := &q.records[me]
	x.finishedBefore = nextXid
	if commit {
		q.last++
		x.committed, x.commitSeq = true, q.last
		x.readOnly = x.readOnly || !x.wrote
	} else {
		x.doomed, x.rolledBack, x.prepared = true, true, false
	}
	if x.declared {
		q.watches = slices.DeleteFunc(q.watches, func(c conflict) bool { return c.reader == me })
	} else if q.writable--; q.writable == 0 {
		q.canClear = q.last
	}
	q.noteCommittedOut(me, commit)
	q.dropConflicts(me, commit)
	if !x.declared {
		q.releaseWatchers(me, commit)
	}
	clearOld := false
	if x.xmin == q.globalXmin {
		if q.globalCount--; q.globalCount == 0 {
			q.findGlobalXmin()
			clearOld = true
		}
	}
	if commit {
		q.finished = append(q.finished, me)
	} else {
		q.drop(me, false)
	}
	if clearOld {
		q.clearOld()
	}
}

// noteCommittedOut keeps the earliest committed transaction that the committing
// one has a conflict to.
func (q *ssi) noteCommittedOut(me int32, commit bool) {
	x := &q.records[me]
	if !commit || x.readOnly {
		return
	}
	for _, c := range q.conflicts {
		if w := &q.records[c.writer]; c.reader == me && w.committed {
			if !x.conflictOut || w.prepareSeq < x.earliestOut {
				x.earliestOut = w.prepareSeq
			}
			x.conflictOut = true
		}
	}
}

// dropConflicts forgets conflicts that cannot matter after the end of me.
func (q *ssi) dropConflicts(me int32, commit bool) {
	q.conflicts = slices.DeleteFunc(q.conflicts, func(c conflict) bool {
		r, w := &q.records[c.reader], &q.records[c.writer]
		switch {
		case c.reader == me:
			return !commit || w.committed || w.lastCommit >= q.last
		case c.writer == me:
			return !commit || r.committed || r.readOnly
		}
		return false
	})
}

// releaseWatchers tells the read-only transactions that watch a writer how it ended.
// They are unsafe if it is the pivot of a structure that their snapshot can see. They
// are safe when the last writer has ended.
func (q *ssi) releaseWatchers(me int32, commit bool) {
	x := &q.records[me]
	for i := range q.records {
		ro := int32(i)
		if !slices.Contains(q.watches, conflict{ro, me}) {
			continue
		}
		r := &q.records[i]
		if commit && x.wrote && x.conflictOut && x.earliestOut <= r.lastCommit {
			q.watches = slices.DeleteFunc(q.watches, func(c conflict) bool { return c.reader == ro })
			continue
		}
		q.watches = slices.DeleteFunc(q.watches, func(c conflict) bool { return c == conflict{ro, me} })
		r.safe = !q.watching(ro)
	}
}

// findGlobalXmin is SetNewSxactGlobalXmin.
func (q *ssi) findGlobalXmin() {
	q.globalXmin, q.globalCount = none, 0
	for i := range q.records {
		if x := &q.records[i]; x.used && !x.rolledBack && !x.committed {
			q.countXmin(x.xmin)
		}
	}
}

// drop releases a record's locks and conflicts; with partial it keeps the record
// and its conflicts to others.
func (q *ssi) drop(id int32, partial bool) {
	q.locks = slices.DeleteFunc(q.locks, func(l siread) bool { return l.record == id })
	q.conflicts = slices.DeleteFunc(q.conflicts, func(c conflict) bool {
		return c.writer == id || c.reader == id && !partial
	})
	if !partial {
		q.records[id].used = false
	}
}

// clearOld forgets finished records that no running one overlaps with.
func (q *ssi) clearOld() {
	for len(q.finished) > 0 {
		id := q.finished[0]
		if q.globalXmin != none && q.records[id].finishedBefore > q.globalXmin {
			break
		}
		q.drop(id, false)
		q.finished = slices.Delete(q.finished, 0, 1)
	}
	for k := 0; k < len(q.finished); {
		id := q.finished[k]
		x := &q.records[id]
		if x.commitSeq <= q.haveCleared || x.commitSeq > q.canClear {
			break
		}
		q.drop(id, !x.readOnly)
		if x.readOnly {
			q.finished = slices.Delete(q.finished, k, k+1)
		} else {
			k++
		}
	}
	q.haveCleared = q.canClear
}
