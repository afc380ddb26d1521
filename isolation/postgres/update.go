package postgres

import "github.com/txmc/txmc/isolation/statement"

// UPDATE and DELETE: ExecUpdate and ExecDelete of nodeModifyTable.c, and
// EvalPlanQual of execMain.c.

func deletes(st *statement.Statement) bool {
	switch st.Op {
	case statement.DelKey, statement.DelPred, statement.DelChild:
		return true
	}
	return false
}

// newRow is the row that an update makes of a version.
func (m *Machine) newRow(e *exec, t TID) Row {
	r := m.state.Row(t)
	switch e.st.Op {
	case statement.UpdKey, statement.UpdPred, statement.Insert:
		r.Value += int32(e.st.C)
	case statement.UpdLocal:
		r.Value = e.local + int32(e.st.C)
	case statement.UpdU:
		r.Keys = []int32{r.Keys[0], int32(e.st.U)}
	}
	return r
}

// nextModify goes to the next row. Behind the last one, the foreign keys are
// checked.
func (m *Machine) nextModify(e *exec) {
	if !e.nextRow(modifying) {
		m.nextChild(e)
	}
}

// modified is the answer for a row of UPDATE or DELETE. Only at READ COMMITTED
// the statement goes on when another transaction was there first.
func (m *Machine) modified(i int, e *exec, a Answer) Code {
	switch a.Result {
	case OK:
		return m.changed(e, a.TID)
	case Updated:
		if m.ownSnapshot(i) {
			return SerializationFailure
		}
		e.mode, e.phase = a.Mode, rechecking
		return NoError
	case Deleted:
		if m.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	m.nextModify(e)
	return NoError
}

// changed counts the row; a new version may have to enter the indexes.
func (m *Machine) changed(e *exec, t TID) Code {
	switch {
	case deletes(e.st):
		if m.program.source.HasChild && m.state.Table(t) == tableT {
			e.keys = append(e.keys, m.state.Row(t).Keys[indexID])
		}
	case m.state.NeedsIndexes(t):
		e.made, e.index, e.phase = t, 0, entering
		return NoError
	}
	e.n++
	m.nextModify(e)
	return NoError
}

// rechecked is EvalPlanQual: if the newest version matches it is changed, else
// the row is left out and its lock stays.
func (m *Machine) rechecked(i int, e *exec, a Answer) Code {
	if a.Result == OK && m.matches(e, a.TID) {
		e.at, e.phase = a.TID, modifying
		return NoError
	}
	m.nextModify(e)
	return NoError
}
