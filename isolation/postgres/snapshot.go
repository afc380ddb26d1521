package postgres

// Snapshots: documentation section 13.2, GetSnapshotData and GetTransactionSnapshot.
// A snapshot is the set of the transactions that have committed. Commits are
// numbered, so that a number stands for the set: the commits up to it.

// Snapshot begins a statement: at READ COMMITTED it takes a snapshot, at the
// other levels it takes the transaction's, or goes on with it.
func (s *State) Snapshot(sess int) {
	ses := &s.sessions[sess]
	ses.current = s.commits
	if ses.level == ReadCommitted {
		return
	}
	if ses.snapshot == none {
		ses.snapshot = s.commits
		s.accessSnapshot(sess)
		if ses.level == Serializable {
			ses.record = s.ssi.start(sess, ses, s.oldestRunning())
		}
	}
	ses.current = ses.snapshot
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
