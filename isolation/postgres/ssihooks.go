package postgres

import "slices"

// Where statements meet serializability: CheckForSerializableConflictOut when a
// scan meets a version, CheckForSerializableConflictIn before a write,
// PredicateLockTID, PredicateLockPage and PredicateLockRelation for scans.

// reader is the record of the session's transaction for a read, none if it is
// not tracked. A read-only transaction that turned out safe stops being tracked
// (ReleasePredicateLocks with isReadOnlySafe).
func (s *State) reader(sess int) int32 {
	ses := &s.sessions[sess]
	if ses.record != none && s.ssi.records[ses.record].safe {
		s.ssi.end(ses.record, false, int32(len(s.xids)))
		ses.record = none
	}
	return ses.record
}

func (s *State) lockTarget(me int32, on target) {
	s.accessRecord(me)
	s.accessTarget(on, false)
	s.ssi.lock(me, on)
	if on.kind == onVersion && s.ssi.locked(me, target{kind: onPage, table: on.table}) {
		s.accessTarget(target{kind: onPage, table: on.table}, false)
	}
}

// ReadIndex says that the session's statement reads an index by key.
func (s *State) ReadIndex(sess, table, index int) {
	me := s.reader(sess)
	if me == none {
		return
	}
	on := target{onIndex, uint8(table), int32(index)}
	if s.entered(table) > index {
		on.kind = onIndexPage
	}
	s.lockTarget(me, on)
}

// entered is how many unique indexes of a table have ever had an entry.
func (s *State) entered(table int) (most int) {
	if len(s.seeded(table)) > 0 {
		return s.tables[table].Unique
	}
	for _, v := range s.after(table) {
		most = max(most, int(v.indexed))
	}
	return most
}

// ReadTable says that the session's statement reads a whole table.
func (s *State) ReadTable(sess, table int) {
	if me := s.reader(sess); me != none {
		s.lockTarget(me, target{kind: onTable, table: uint8(table)})
	}
}

// ReadVersion says that an index scan of the session's statement returns a
// version.
func (s *State) ReadVersion(sess int, t TID) {
	if me := s.reader(sess); me != none && !s.mine(sess, s.at(t).xmin) {
		s.lockTarget(me, target{onVersion, s.at(t).table, t})
	}
}

// conflictOut: a scan meets a version. The reader reads around the transaction that
// made it, or its successor, if the snapshot does not see that transaction.
func (s *State) conflictOut(sess int, t TID, visible bool) Code {
	me := s.reader(sess)
	if me == none {
		return NoError
	}
	if s.ssi.records[me].doomed {
		return SerializationFailure
	}
	v := s.at(t)
	s.accessRecord(me)
	s.accessTarget(target{onVersion, v.table, t}, false)
	if s.xids[v.xmin].status == aborted {
		return NoError
	}
	x := v.xmin
	if visible {
		if !s.live(v.xmax) {
			return NoError
		}
		x = v.xmax
	}
	w := s.xids[x].record
	if s.mine(sess, x) || w == none || w == me || s.sees(s.ssi.records[me].snapshot, x) {
		return NoError
	}
	return s.flagOut(me, w)
}

func (s *State) flagOut(me, w int32) Code {
	r, wr := &s.ssi.records[me], &s.ssi.records[w]
	if !wr.used || wr.doomed || s.ssi.has(me, w) {
		return NoError
	}
	if r.readOnly && wr.committed && (!wr.conflictOut || r.lastCommit < wr.earliestOut) {
		return NoError
	}
	s.accessRecord(w)
	if !s.ssi.flag(me, me, w) {
		return SerializationFailure
	}
	return NoError
}

// conflictIn: the session writes the targets.
func (s *State) conflictIn(sess int, targets ...target) Code {
	me := s.sessions[sess].record
	if me == none {
		return NoError
	}
	if s.ssi.records[me].doomed {
		return SerializationFailure
	}
	s.ssi.records[me].wrote = true
	s.accessRecord(me)
	for _, t := range targets {
		s.accessTarget(t, true)
		for _, l := range s.ssi.locks {
			if l.on == t {
				s.accessRecord(l.record)
			}
		}
	}
	for _, t := range targets {
		if !s.ssi.checkIn(me, t) {
			return SerializationFailure
		}
	}
	return NoError
}

// conflictInVersion: an UPDATE or DELETE writes a version. The write lock
// replaces the session's own SIREAD lock, unless a savepoint may undo it.
func (s *State) conflictInVersion(sess int, t TID) Code {
	me, on := s.sessions[sess].record, target{onVersion, s.at(t).table, t}
	c := s.conflictIn(sess, on, target{kind: onPage, table: on.table}, target{kind: onTable, table: on.table})
	if c == NoError && me != none && len(s.sessions[sess].saves) == 0 {
		s.ssi.locks = slices.DeleteFunc(s.ssi.locks, func(l siread) bool { return l == siread{me, on} })
	}
	return c
}

// WriteIndex is the check before an entry goes into an index, or before a
// duplicate is reported. Enter does it; a client that finds duplicates by itself
// calls it first.
func (s *State) WriteIndex(sess, table, index int) Code {
	return s.conflictIn(sess, target{onIndexPage, uint8(table), int32(index)}, target{onIndex, uint8(table), int32(index)})
}

// conflictInTable: an INSERT.
func (s *State) conflictInTable(sess, table int) Code {
	return s.conflictIn(sess, target{kind: onTable, table: uint8(table)})
}

// preCommit is the serialization check of COMMIT.
func (s *State) preCommit(sess int) bool {
	me := s.sessions[sess].record
	if me == none {
		return true
	}
	s.access(Access{kind: orders, key: orderEnd})
	s.accessRecord(me)
	return s.ssi.preCommit(me)
}

// leaveSSI ends the session's record. With races the end may come after those
// whom the transaction woke have run.
func (s *State) leaveSSI(sess int, commit bool) {
	me := s.sessions[sess].record
	if me == none {
		return
	}
	s.sessions[sess].record = none
	s.access(Access{kind: orders, key: orderEnd})
	s.accessRecord(me)
	if s.races && len(s.woken) > 0 {
		s.woken = append(s.woken, task{session: none, commit: commit, record: me})
		return
	}
	s.endRecord(me, commit)
}

// endRecord ends a record, and wakes the DEFERRABLE transactions whose snapshots are safe or
// unsafe now.
func (s *State) endRecord(me int32, commit bool) {
	s.ssi.end(me, commit, int32(len(s.xids)))
	for i := range s.sessions {
		if ses := &s.sessions[i]; ses.wait.kind == forSafety && !s.ssi.watching(ses.record) {
			s.wake(i)
		}
	}
}
