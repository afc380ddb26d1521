package postgres

// Foreign keys: the triggers RI_FKey_check_ins and RI_FKey_noaction_del of
// ri_triggers.c. They run queries after the statement: SELECT 1 FROM t WHERE id =
// $1 FOR KEY SHARE, and SELECT 1 FROM c WHERE tid = $1 FOR KEY SHARE. The second
// one uses a snapshot taken now, at every level.

// callForeignKey calls the operation of a phase of a foreign key.
func (e *exec) callForeignKey(s *State, i int) Answer {
	switch e.phase {
	case parentScan:
		return e.scan(s, i, *e.plan.parent, false, func(Row) bool { return true })
	case childScan:
		s.SubStatement(i)
		return e.scan(s, i, Read{Kind: ReadTable, Table: tableC}, true, func(r Row) bool { return r.Value == e.keys[e.child] })
	}
	return s.Lock(i, e.at, KeyShare, FindLast|LockNewer)
}

// takeForeignKey uses the answer of such an operation.
func (e *exec) takeForeignKey(s *State, i int, a Answer) Code {
	switch e.phase {
	case parentScan:
		return e.nextParent()
	case childScan:
		e.nextChildRow()
		return NoError
	case parentLock:
		return e.parentLocked(s, i, a)
	}
	return e.childLocked(s, i, a)
}

// nextParent looks at the next row that may be the one that is referenced.
func (e *exec) nextParent() Code {
	if !e.nextRow(parentLock) {
		return ForeignKeyViolation
	}
	return NoError
}

func (e *exec) parentLocked(s *State, i int, a Answer) Code {
	switch a.Result {
	case OK:
		e.phase = finished
		return NoError
	case Updated, Deleted:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	return e.nextParent()
}

// nextChild checks the next key that the statement deleted.
func (e *exec) nextChild() {
	e.phase = childScan
	if int(e.child) == len(e.keys) {
		e.phase = finished
	}
}

func (e *exec) nextChildRow() {
	if !e.nextRow(childLock) {
		e.child++
		e.nextChild()
	}
}

// childLocked fails the DELETE if the row still references the key.
func (e *exec) childLocked(s *State, i int, a Answer) Code {
	switch a.Result {
	case OK:
		if a.TID == e.at || s.Row(a.TID).Value == e.keys[e.child] {
			return ForeignKeyViolation
		}
	case Updated, Deleted:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	e.nextChildRow()
	return NoError
}
