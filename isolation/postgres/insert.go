package postgres

import "github.com/txmc/txmc/isolation/statement"

// INSERT and ON CONFLICT: ExecInsert, ExecInsertIndexTuples,
// ExecCheckIndexConstraints, ExecOnConflictUpdate.

// entered is the answer of an index: the next one follows.
func (m *Machine) entered(i int, e *exec) Code {
	if e.index++; int(e.index) < m.program.tables[m.state.Table(e.made)].Unique {
		return NoError
	}
	e.n++
	switch e.st.Op {
	case statement.Insert:
		e.phase = finished
	case statement.Child:
		m.state.SubStatement(i)
		e.phase = parentScan
	default:
		m.nextModify(e)
	}
	return NoError
}

// probed is the answer of the look-up before INSERT ... ON CONFLICT.
func (m *Machine) probed(i int, e *exec, a Answer) Code {
	if a.Result == OK {
		e.phase = inserting
		return NoError
	}
	if e.st.Conflict == statement.DoUpdate {
		e.at, e.phase = a.TID, claiming
		return NoError
	}
	e.phase = finished
	return m.mayMeet(i, a.TID)
}

// mayMeet is ExecCheckTIDVisible: a transaction with one snapshot may not act on
// a row that the snapshot does not have, unless the row is its own.
func (m *Machine) mayMeet(i int, t TID) Code {
	if m.ownSnapshot(i) && !m.state.Sees(i, t) && !m.state.Mine(i, t) {
		return SerializationFailure
	}
	return NoError
}

// claimed is the lock on the conflicting row. At READ COMMITTED the row is
// updated even if the snapshot does not see it.
func (m *Machine) claimed(i int, e *exec, a Answer) Code {
	switch a.Result {
	case OK:
		e.at, e.phase = a.TID, replacing
		return m.mayMeet(i, a.TID)
	case Updated, Deleted:
		if m.ownSnapshot(i) {
			return SerializationFailure
		}
		e.phase = probing
		return NoError
	}
	return CardinalityViolation
}

// replaced is the update of the conflicting row, which the statement has locked.
func (m *Machine) replaced(e *exec, a Answer) Code {
	if a.Result != OK {
		e.phase = probing
		return NoError
	}
	e.n, e.phase = 1, finished
	return NoError
}
