package postgres

// INSERT and ON CONFLICT: ExecInsert, ExecInsertIndexTuples,
// ExecCheckIndexConstraints, ExecOnConflictUpdate.

// entered is the answer of an index: the next one follows.
func (e *exec) entered(s *State, i int) {
	if e.index++; int(e.index) < s.tables[s.Table(e.made)].Unique {
		return
	}
	e.n++
	if e.plan.verb != inserts {
		e.nextModify()
		return
	}
	e.nextCheck()
}

// probed is the answer of the look-up before INSERT ... ON CONFLICT.
func (e *exec) probed(s *State, i int, a Answer) Code {
	if a.Result == OK {
		e.phase = inserting
		return NoError
	}
	if e.plan.replaces {
		e.at, e.phase = a.TID, claiming
		return NoError
	}
	e.phase = finished
	return s.mayMeet(i, a.TID)
}

// mayMeet is ExecCheckTIDVisible: a transaction with one snapshot may not act on
// a row that the snapshot does not have, unless the row is its own.
func (s *State) mayMeet(i int, t TID) Code {
	if s.ownSnapshot(i) && !s.Sees(i, t) && !s.Mine(i, t) {
		return SerializationFailure
	}
	return NoError
}

// claimed is the lock on the conflicting row. At READ COMMITTED the row is
// updated even if the snapshot does not see it.
func (e *exec) claimed(s *State, i int, a Answer) Code {
	switch a.Result {
	case OK:
		e.at, e.phase = a.TID, replacing
		return s.mayMeet(i, a.TID)
	case Updated, Deleted:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
		e.phase = probing
		return NoError
	}
	return CardinalityViolation
}

// replaced is the update of the conflicting row, which the statement has locked.
func (e *exec) replaced(s *State, a Answer) {
	if a.Result != OK {
		e.phase = probing
		return
	}
	e.updated(s, e.at, a.TID)
	if s.NeedsIndexes(a.TID) {
		e.made, e.index, e.phase = a.TID, 0, entering
		return
	}
	e.n = 1
	e.nextCheck()
}
