package postgres

// UPDATE and DELETE: ExecUpdate and ExecDelete of nodeModifyTable.c, and
// EvalPlanQual of execMain.c.

// nextModify goes to the next row. Behind the last one, the foreign keys are
// checked.
func (e *exec) nextModify() {
	if !e.nextRow(modifying) {
		e.nextCheck()
	}
}

// modified is the answer for a row of UPDATE or DELETE. Only at READ COMMITTED
// the statement goes on when another transaction was there first.
func (e *exec) modified(s *State, i int, a Answer) Code {
	switch a.Result {
	case OK:
		e.changed(s, a.TID)
		return NoError
	case Updated:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
		e.mode, e.phase = a.Mode, rechecking
		return NoError
	case Deleted:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	e.nextModify()
	return NoError
}

// changed counts the row; a new version may have to enter the indexes.
func (e *exec) changed(s *State, t TID) {
	if e.plan.returning {
		e.out = append(e.out, s.Row(e.at))
	}
	if e.plan.verb == deletes {
		e.deleted(s, t)
	} else {
		e.updated(s, e.at, t)
		if s.NeedsIndexes(t) {
			e.made, e.index, e.phase = t, 0, entering
			return
		}
	}
	e.n++
	e.nextModify()
}

// rechecked is EvalPlanQual: if the newest version matches it is changed, else
// the row is left out and its lock stays.
func (e *exec) rechecked(s *State, j judge, a Answer) {
	if a.Result == OK && j.matches(s.Row(a.TID)) {
		e.at, e.phase = a.TID, modifying
		return
	}
	e.nextModify()
}
