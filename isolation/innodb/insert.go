package innodb

// Inserting rows.
//
// INSERT enters the row into the clustered index, then into each secondary one.
// Where the gap is locked, an insert intention waits. A deleted record with the
// same key is used again. A duplicate undoes the row; the statement then fails,
// or leaves the row out (INSERT IGNORE), or updates the row that is there.
//
// Source: MySQL manual, "Locks Set by Different SQL Statements in InnoDB";
// InnoDB's row_ins_step.

// Insert is an INSERT of one row. It is a value: copy it with the state.
type Insert struct {
	Table  int
	Row    Row
	Update bool // duplicates are locked exclusively: ON DUPLICATE KEY UPDATE, REPLACE

	// Index is the index of a Duplicate, and Existing the clustered key of the
	// row that is there.
	Index    int
	Existing Tuple

	begun bool
	index int // the index in work
	mark  Savepoint
}

// Insert inserts a row.
func (s *State) Insert(t Trx, n *Insert) Answer {
	if s.trxs[t].victim {
		return s.die(t)
	}
	first := s.catalog.first[n.Table]
	n.index = max(n.index, first)
	s.trxs[t].lost, s.trxs[t].duplicates = false, n.Update
	if n.index == first && !n.begun {
		n.mark, n.begun = s.Savepoint(t), true
	}
	for ; n.index < len(s.catalog.indexes) && s.catalog.indexes[n.index].table == n.Table; n.index++ {
		a, existing := s.insertInto(t, n)
		switch a {
		case Done:
			continue
		case Duplicate:
			x := &s.catalog.indexes[n.index]
			n.Index, n.Existing = n.index, x.row(s.records[existing].key)
			s.RollbackTo(t, n.mark)
		case NoParent:
			s.RollbackTo(t, n.mark)
		}
		return a
	}
	return Done
}

// insertInto enters the row into the index in work.
func (s *State) insertInto(t Trx, n *Insert) (Answer, int) {
	x := &s.catalog.indexes[n.index]
	if a := s.checkParents(t, n.index, x.entry(n.Row)); a != Done {
		return a, none
	}
	if !x.clustered {
		return s.insertEntry(t, n.index, x.entry(n.Row))
	}
	return s.insertClustered(t, n.Table, n.Row)
}

// insertClustered enters a row into the clustered index. The answer Duplicate
// comes with the record that is there.
func (s *State) insertClustered(t Trx, table int, row Row) (Answer, int) {
	first := s.catalog.first[table]
	key := s.catalog.indexes[first].entry(row)
	r := s.exact(first, key)
	if r == none {
		next := s.find(first, key)
		if s.lock(t, request{rec: next, x: true, kind: intention, implicit: true}) == waits {
			return Blocked, none
		}
		r = s.insertRecord(record{index: int32(first), key: key, writer: t, newest: &version{trx: t, row: row}})
		s.log(t, undo{op: undoInsert, rec: int32(r)})
		return Done, none
	}
	if a := s.checkClustered(t, r); a != Done {
		return a, r
	}
	if s.lock(t, request{rec: r, x: true, kind: recordOnly, implicit: true}) == waits {
		return Blocked, none
	}
	s.push(t, r, row, false)
	return Done, none
}

// insertEntry enters a row into a secondary index. The answer Duplicate comes
// with the record that is there.
func (s *State) insertEntry(t Trx, index int, entry Tuple) (Answer, int) {
	s.traceValue(index, entry)
	if a, existing := s.checkSecondary(t, index, entry); a != Done {
		return a, existing
	}
	r := s.exact(index, entry)
	if r == none {
		next := s.find(index, entry)
		if s.lock(t, request{rec: next, x: true, kind: intention, implicit: true}) == waits {
			return Blocked, none
		}
		r = s.insertRecord(record{index: int32(index), key: entry, writer: t})
		s.log(t, undo{op: undoEntry, rec: int32(r)})
		return Done, none
	}
	if s.lock(t, request{rec: r, x: true, kind: recordOnly, implicit: true}) == waits {
		return Blocked, none
	}
	s.log(t, undo{op: undoUnmark, rec: int32(r), writer: s.records[r].writer})
	s.records[r].marked, s.records[r].writer = false, t
	return Done, none
}
