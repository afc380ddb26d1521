package postgres

// Snapshots: documentation section 13.2, GetSnapshotData and GetTransactionSnapshot.
// A snapshot is the set of the transactions that have committed. Commits are
// numbered, so that a number stands for the set: the commits up to it.

// Snapshot begins a statement: at READ COMMITTED it takes a snapshot, at the
// other levels it takes the transaction's, or goes on with it. Only that of a
// DEFERRABLE transaction can block: then Resolve answers Ready, and the statement
// begins again.
func (s *State) Snapshot(sess int) Result {
	ses := &s.sessions[sess]
	ses.current = s.commits
	if ses.level == ReadCommitted {
		return OK
	}
	if ses.snapshot == none {
		s.takeSnapshot(sess)
		if ses.deferred && ses.record != none {
			ses.op = operation{kind: opSnapshot, tid: none}
			s.startWait(sess, waitState{kind: forSafety})
			return Blocked
		}
	}
	ses.current = ses.snapshot
	return OK
}

// takeSnapshot takes the snapshot of a transaction that keeps it.
func (s *State) takeSnapshot(sess int) {
	ses := &s.sessions[sess]
	ses.snapshot, ses.current = s.commits, s.commits
	s.accessSnapshot(sess)
	if ses.level == Serializable {
		ses.record = s.ssi.start(sess, ses, s.oldestRunning())
	}
}

// awaitSafety goes on with a DEFERRABLE transaction whose snapshot is safe now, or unsafe
// (GetSafeSnapshot of predicate.c): it takes another one then.
func (s *State) awaitSafety(sess int) Answer {
	ses := &s.sessions[sess]
	s.accessRecord(ses.record)
	s.access(Access{kind: orders, key: orderEnd})
	safe := s.ssi.records[ses.record].safe
	s.ssi.end(ses.record, false, int32(len(s.xids)))
	if ses.record = none; !safe {
		if s.takeSnapshot(sess); ses.record != none {
			s.startWait(sess, waitState{kind: forSafety})
			return answer(Blocked, none)
		}
	}
	ses.op = operation{}
	return answer(Ready, none)
}

// SubStatement begins a query inside the statement, as a trigger does: it sees
// the statement's own changes. At READ COMMITTED it takes a snapshot.
func (s *State) SubStatement(sess int) {
	ses := &s.sessions[sess]
	ses.cid++
	if ses.level == ReadCommitted {
		ses.current = s.commits
	}
}

// EndStatement makes the statement's changes visible to the next one.
func (s *State) EndStatement(sess int) {
	s.sessions[sess].cid++
	s.sessions[sess].op = operation{}
}

// Holds reports whether the transaction has written or locked rows, or has read at
// SERIALIZABLE: then its end matters to others.
func (s *State) Holds(sess int) bool {
	ses := &s.sessions[sess]
	return ses.xid != none || ses.record != none
}

// oldestRunning is the oldest running xid, or the next one.
func (s *State) oldestRunning() int32 {
	for i := range s.xids {
		if s.xids[i].status == running {
			return int32(i)
		}
	}
	return int32(len(s.xids))
}

// sees reports whether a snapshot contains the changes of x.
func (s *State) sees(snapshot, x int32) bool {
	return s.xids[x].status == committed && s.xids[x].commit <= snapshot
}
