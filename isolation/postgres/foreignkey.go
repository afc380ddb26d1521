package postgres

// Foreign keys without actions: the triggers RI_FKey_check_ins, RI_FKey_check_upd and
// RI_FKey_noaction_del of ri_triggers.c. They run queries after the statement, for one
// row after the other: SELECT 1 FROM parent WHERE key = $1 FOR KEY SHARE, and SELECT 1
// FROM child WHERE reference = $1 FOR KEY SHARE. The second one uses a snapshot taken
// now, at every level. A reference is no index: the query scans the child.

// check is a query of a foreign key that is due.
type check struct {
	foreign int8  // which of the child's; none: the parent is looked for
	table   uint8 // that is looked into
	key     int32 // of the parent
}

// inserted notes what a new version refers to.
func (e *exec) inserted(s *State, t TID) {
	v := s.at(t)
	for i, parent := range s.tables[v.table].Parents {
		if key := v.row.Refs[i]; key != 0 {
			e.checks = append(e.checks, check{none, uint8(parent), key})
		}
	}
}

// updated is inserted for the references of an updated row that have changed; of one that the
// transaction has inserted itself, for all of them (RI_FKey_fk_upd_check_required).
func (e *exec) updated(s *State, old, t TID) {
	v, w := s.at(t), s.at(old)
	for i, parent := range s.tables[v.table].Parents {
		own := s.xids[w.xmin].status == running // of this transaction, as it could update it
		if key := v.row.Refs[i]; key != 0 && (own || key != w.row.Refs[i]) {
			e.checks = append(e.checks, check{none, uint8(parent), key})
		}
	}
}

// deleted notes who may refer to a deleted version.
func (e *exec) deleted(s *State, t TID) {
	v := s.at(t)
	for child := range s.tables {
		for i, parent := range s.tables[child].Parents {
			if parent == int(v.table) {
				e.checks = append(e.checks, check{int8(i), uint8(child), v.row.Keys[indexID]})
			}
		}
	}
}

// nextCheck goes to the next query of a foreign key, or to the statement's end.
func (e *exec) nextCheck() {
	switch {
	case int(e.check) == len(e.checks):
		e.phase = finished
	case e.checks[e.check].foreign == none:
		e.phase = parentScan
	default:
		e.phase = childScan
	}
}

// callForeignKey calls the operation of a phase of a foreign key.
func (e *exec) callForeignKey(s *State, i int) Answer {
	switch c := e.checks[e.check]; e.phase {
	case parentScan:
		s.SubStatement(i)
		return e.scan(s, i, Read{Kind: ReadKey, Table: c.table, Value: c.key}, false, func(Row) bool { return true })
	case childScan:
		s.SubStatement(i)
		return e.scan(s, i, Read{Kind: ReadTable, Table: c.table}, true, c.refers)
	}
	return s.Lock(i, e.at, KeyShare, FindLast|LockNewer)
}

// refers reports whether a row refers to the key.
func (c check) refers(r Row) bool { return r.Refs[c.foreign] == c.key }

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
		e.check++
		e.nextCheck()
		return NoError
	case Updated, Deleted:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	return e.nextParent()
}

func (e *exec) nextChildRow() {
	if !e.nextRow(childLock) {
		e.check++
		e.nextCheck()
	}
}

// childLocked fails the DELETE if the row still references the key.
func (e *exec) childLocked(s *State, i int, a Answer) Code {
	switch a.Result {
	case OK:
		if a.TID == e.at || e.checks[e.check].refers(s.Row(a.TID)) {
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
