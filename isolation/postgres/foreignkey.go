package postgres

// Foreign keys: the triggers RI_FKey_check_ins and RI_FKey_noaction_del of
// ri_triggers.c. They run queries after the statement: SELECT 1 FROM t WHERE id =
// $1 FOR KEY SHARE, and SELECT 1 FROM c WHERE tid = $1 FOR KEY SHARE. The second
// one uses a snapshot taken now, at every level.

// callForeignKey calls the operation of a phase of a foreign key.
func (m *Machine) callForeignKey(i int, e *exec) Answer {
	switch e.phase {
	case parentScan:
		return m.scan(i, e, Read{Kind: ReadKey, Table: tableT, Value: int32(e.st.ID)}, false)
	case childScan:
		return m.scanChildren(i, e)
	}
	return m.state.Lock(i, e.at, KeyShare, FindLast|LockNewer)
}

// takeForeignKey uses the answer of such an operation.
func (m *Machine) takeForeignKey(i int, e *exec, a Answer) Code {
	switch e.phase {
	case parentScan:
		return m.nextParent(e)
	case childScan:
		m.nextChildRow(e)
		return NoError
	case parentLock:
		return m.parentLocked(i, e, a)
	}
	return m.childLocked(i, e, a)
}

// nextParent looks at the next row that may be the one that is referenced.
func (m *Machine) nextParent(e *exec) Code {
	if !e.nextRow(parentLock) {
		return ForeignKeyViolation
	}
	return NoError
}

func (m *Machine) parentLocked(i int, e *exec, a Answer) Code {
	switch a.Result {
	case OK:
		e.phase = finished
		return NoError
	case Updated, Deleted:
		if m.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	return m.nextParent(e)
}

// nextChild checks the next key that the statement deleted.
func (m *Machine) nextChild(e *exec) {
	e.phase = childScan
	if int(e.child) == len(e.keys) {
		e.phase = finished
	}
}

// scanChildren collects the rows of c that reference the deleted key.
func (m *Machine) scanChildren(i int, e *exec) Answer {
	m.state.SubStatement(i)
	a := m.scan(i, e, Read{Kind: ReadTable, Table: tableC}, true)
	var rows []TID
	for _, t := range e.rows {
		if m.state.Row(t).Value == e.keys[e.child] {
			rows = append(rows, t)
		}
	}
	e.rows = rows
	return a
}

func (m *Machine) nextChildRow(e *exec) {
	if !e.nextRow(childLock) {
		e.child++
		m.nextChild(e)
	}
}

// childLocked fails the DELETE if the row still references the key.
func (m *Machine) childLocked(i int, e *exec, a Answer) Code {
	switch a.Result {
	case OK:
		if a.TID == e.at || m.state.Row(a.TID).Value == e.keys[e.child] {
			return ForeignKeyViolation
		}
	case Updated, Deleted:
		if m.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	m.nextChildRow(e)
	return NoError
}
