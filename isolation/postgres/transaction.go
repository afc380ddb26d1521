package postgres

// Transactions, their ids, savepoints, COMMIT and ROLLBACK: documentation section
// 74 (Transaction Processing), xact.c.

// Begin opens a transaction. It takes neither snapshot nor lock. With
// READ COMMITTED, reads is not used; at the other levels it says what the
// transaction's snapshot may be asked for, nil for anything.
func (s *State) Begin(sess int, l Level, readOnly bool, reads []Read) {
	ses := &s.sessions[sess]
	*ses = session{open: true, txn: txn{level: l, readOnly: readOnly, ordinal: ses.ordinal + 1, snapshot: none, xid: none, record: none, reads: reads}, have: none}
}

// Defer makes the session's transaction DEFERRABLE. It counts for one that is
// SERIALIZABLE and READ ONLY.
func (s *State) Defer(sess int) {
	ses := &s.sessions[sess]
	ses.deferred = ses.readOnly && ses.level == Serializable
}

// ReadOnly reports whether the session's transaction is READ ONLY: a statement that
// writes or locks rows fails with 25006 (ExecCheckXactReadOnly).
func (s *State) ReadOnly(sess int) bool { return s.sessions[sess].readOnly }

// Open reports whether the session has an open transaction.
func (s *State) Open(sess int) bool { return s.sessions[sess].open }

// InError reports whether the session's transaction waits for ROLLBACK after an
// error: every statement fails with 25P02.
func (s *State) InError(sess int) bool { return s.sessions[sess].failed }

// Level is the level of the session's transaction.
func (s *State) Level(sess int) Level { return s.sessions[sess].level }

// writer is the xid of the session's innermost level. It is assigned at the
// first write or row lock, those of the outer levels before it
// (AssignTransactionId).
func (s *State) writer(sess int) int32 {
	ses := &s.sessions[sess]
	if ses.xid == none {
		ses.xid = s.assign(sess, 0)
	}
	if n := len(ses.saves); n == 0 || ses.saves[n-1] != none {
		return ses.innermost()
	}
	saves := make([]int32, len(ses.saves))
	for i, x := range ses.saves {
		if x == none {
			x = s.assign(sess, i+1)
		}
		saves[i] = x
	}
	ses.saves = saves
	return ses.innermost()
}

func (ses *session) innermost() int32 {
	if n := len(ses.saves); n > 0 {
		return ses.saves[n-1]
	}
	return ses.xid
}

func (s *State) assign(sess, level int) int32 {
	ses := &s.sessions[sess]
	if ses.record != none {
		s.access(Access{kind: orders, key: orderXid})
	}
	s.xids = append(s.xids, xid{session: int8(sess), level: int16(level), record: ses.record})
	return int32(len(s.xids) - 1)
}

// Savepoint opens a level and returns its depth, from 1.
func (s *State) Savepoint(sess int) int {
	ses := &s.sessions[sess]
	ses.saves = append(ses.saves[:len(ses.saves):len(ses.saves)], none)
	return len(ses.saves)
}

// RollbackTo undoes the levels from this depth on and opens the savepoint
// again. It fails where there is no such savepoint.
func (s *State) RollbackTo(sess, depth int) Answer {
	ses := &s.sessions[sess]
	if depth < 1 || depth > len(ses.saves) {
		return failure(NoSuchSavepoint)
	}
	s.endXids(sess, aborted, depth)
	ses.saves = append(ses.saves[:depth-1:depth-1], none)
	ses.failed = false
	return answer(OK, none)
}

// Release closes the savepoints from this depth on and keeps their changes. It
// fails where there is no such savepoint.
func (s *State) Release(sess, depth int) Answer {
	ses := &s.sessions[sess]
	if depth < 1 || depth > len(ses.saves) {
		return failure(NoSuchSavepoint)
	}
	for i := range s.xids {
		if x := &s.xids[i]; s.mine(sess, int32(i)) && int(x.level) >= depth {
			x.level = int16(depth - 1)
		}
	}
	for i := range s.advisory {
		if a := &s.advisory[i]; int(a.session) == sess && int(a.level) >= depth {
			a.level = int16(depth - 1)
		}
	}
	ses.saves = ses.saves[: depth-1 : depth-1]
	return answer(OK, none)
}

// Depth is the number of open savepoints.
func (s *State) Depth(sess int) int { return len(s.sessions[sess].saves) }

// Fail ends the statement with an error: the innermost level is undone and its
// locks are released at once, not at ROLLBACK.
func (s *State) Fail(sess int) {
	ses := &s.sessions[sess]
	s.endXids(sess, aborted, len(ses.saves))
	if len(ses.saves) == 0 {
		s.leaveSSI(sess, false)
	}
	s.stop(sess)
	ses.failed = true
}

// stop forgets the session's operation.
func (s *State) stop(sess int) {
	ses := &s.sessions[sess]
	ses.wait, ses.op = waitState{}, operation{}
	s.leaveQueues(sess)
}

// Commit ends the transaction. It answers OK, or fails with 40001 and has rolled
// back. After an error it rolls back and answers Invisible: COMMIT returns
// ROLLBACK.
func (s *State) Commit(sess int) Answer {
	ses := &s.sessions[sess]
	if ses.failed {
		s.Rollback(sess)
		return answer(Invisible, none)
	}
	if !s.preCommit(sess) {
		s.Rollback(sess)
		return failure(SerializationFailure)
	}
	s.end(sess, committed)
	return answer(OK, none)
}

// Rollback ends the transaction and undoes its changes.
func (s *State) Rollback(sess int) { s.end(sess, aborted) }

func (s *State) end(sess int, st status) {
	s.endXids(sess, st, 0)
	s.leaveSSI(sess, st == committed)
	s.stop(sess)
	ses := &s.sessions[sess]
	*ses = session{txn: txn{ordinal: ses.ordinal, snapshot: none, xid: none, record: none}, have: none}
}

// endXids ends the session's xids at this savepoint depth and deeper, and wakes
// who waits for them.
func (s *State) endXids(sess int, st status, depth int) {
	if st == committed && s.sessions[sess].xid != none {
		s.commits++
	}
	for i := range s.xids {
		x := &s.xids[i]
		if !s.mine(sess, int32(i)) || int(x.level) < depth {
			continue
		}
		s.accessEnd(int32(i), st)
		x.status, x.commit = st, s.commits
		s.dropLockers(int32(i))
		s.wakeWaiters(int32(i))
	}
	s.restore()
	s.endAdvice(sess, depth)
}

func (s *State) dropLockers(x int32) {
	kept := s.lockers[:0]
	for _, l := range s.lockers {
		if l.xid != x {
			kept = append(kept, l)
		}
	}
	s.lockers = kept
}
