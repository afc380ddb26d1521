package postgres

import "github.com/txmc/txmc/isolation/statement"

// SELECT, with and without row locks: nodeSeqscan.c, nodeIndexscan.c,
// nodeLockRows.c.

// scanned begins to work on the rows that the scan found.
func (m *Machine) scanned(i int, e *exec) Code {
	switch e.st.Op {
	case statement.Agg:
		for _, t := range e.rows {
			e.n++
			e.sum += m.state.Row(t).Value
		}
		e.phase = finished
	case statement.Get, statement.Scan:
		if e.st.Lock == "" {
			for _, t := range e.rows {
				m.emit(e, t)
			}
			e.phase = finished
			return NoError
		}
		m.nextLock(e)
	default:
		m.nextModify(e)
	}
	return NoError
}

func (m *Machine) emit(e *exec, t TID) {
	r := m.state.Row(t)
	e.out = append(e.out, statement.IDValue{ID: int(r.Keys[0]), V: int(r.Value)})
}

func (m *Machine) nextLock(e *exec) {
	if !e.nextRow(locking) {
		e.phase = finished
	}
}

// lockedRow is the answer for a row of SELECT ... FOR (ExecLockRows). A row that
// moved is judged again; when it no longer matches, it is left out, and its lock
// stays.
func (m *Machine) lockedRow(i int, e *exec, a Answer) Code {
	switch a.Result {
	case OK:
		if a.TID == e.at || m.matches(e, a.TID) {
			m.emit(e, a.TID)
		}
	case WouldBlock:
		if e.st.Wait == statement.NoWait {
			return LockNotAvailable
		}
	case Updated, Deleted:
		if m.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	m.nextLock(e)
	return NoError
}
