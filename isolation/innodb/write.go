package innodb

import "slices"

// Writing rows that the transaction has locked.
//
// UPDATE and DELETE write the clustered record first. In each secondary index whose
// entry changes, the old record is marked. This may have to wait for others' locks on
// the record. Then the new entry is inserted. A row whose clustered key changes is
// marked and inserted anew.
//
// Source: InnoDB's row_upd_step and row_upd_sec_index_entry; MySQL manual,
// "Clustered and Secondary Indexes".

// Write is an UPDATE or DELETE of one row. It is a value: copy it with the state.
type Write struct {
	Table int
	Key   Tuple // the row's clustered key; the transaction holds its record exclusively
	Row   Row   // the row as it will be; nil: it is deleted

	// Index is the index of a Duplicate.
	Index int

	old     Row
	begun   bool
	index   int  // the index in work
	unset   bool // its old record is marked
	checked bool // and not referenced
	mark    Savepoint
}

// Write writes a row. A row that would not change is not to be written. Where
// there is no such row the answer is End.
func (s *State) Write(t Trx, w *Write) Answer {
	if s.trxs[t].victim {
		return s.die(t)
	}
	s.trxs[t].lost = false
	a := s.write(t, w)
	switch a {
	case Duplicate, NoParent, Referenced:
		s.RollbackTo(t, w.mark)
	}
	return a
}

func (s *State) write(t Trx, w *Write) Answer {
	if !w.begun {
		if a := s.writeClustered(t, w); a != Done {
			return a
		}
	}
	for ; w.index < len(s.catalog.indexes) && s.catalog.indexes[w.index].table == w.Table; w.index++ {
		if a := s.writeEntry(t, w); a != Done {
			return a
		}
		w.unset, w.checked = false, false
	}
	return Done
}

// writeClustered makes the row's new version: a deletion if its key changes.
func (s *State) writeClustered(t Trx, w *Write) Answer {
	first := s.catalog.first[w.Table]
	r := s.exact(first, w.Key)
	if r == none || s.records[r].marked {
		return End
	}
	w.begun, w.index, w.mark = true, first, s.Savepoint(t)
	w.old = s.records[r].newest.row
	if w.Row != nil && slices.Equal(s.catalog.indexes[first].entry(w.Row), w.Key) {
		s.push(t, r, w.Row, false)
	} else {
		s.push(t, r, w.old, true)
	}
	return Done
}

// writeEntry replaces the row's entry in the index in work.
func (s *State) writeEntry(t Trx, w *Write) Answer {
	x := &s.catalog.indexes[w.index]
	old := x.entry(w.old)
	var entry Tuple
	if w.Row != nil {
		if entry = x.entry(w.Row); slices.Equal(entry, old) {
			return Done
		}
	}
	if !x.clustered && !w.unset {
		if a := s.markEntry(t, w.index, old); a != Done {
			return a
		}
		w.unset = true
	}
	if !w.checked {
		if a := s.checkChildren(t, w.index, old, entry); a != Done {
			return a
		}
		w.checked = true
	}
	if w.Row == nil {
		return Done
	}
	return s.replaceEntry(t, w, entry)
}

// replaceEntry inserts the row's new entry.
func (s *State) replaceEntry(t Trx, w *Write, entry Tuple) Answer {
	if a := s.checkParents(t, w.index, entry); a != Done {
		return a
	}
	w.Index = w.index
	if s.catalog.indexes[w.index].clustered {
		a, _ := s.insertClustered(t, w.Table, w.Row)
		return a
	}
	a, _ := s.insertEntry(t, w.index, entry)
	return a
}

// markEntry marks the secondary record as deleted.
func (s *State) markEntry(t Trx, index int, entry Tuple) Answer {
	r := s.exact(index, entry)
	if r == none {
		return Done
	}
	if s.lock(t, request{rec: r, x: true, kind: recordOnly, implicit: true}) == waits {
		return Blocked
	}
	s.traceValue(index, entry)
	s.log(t, undo{op: undoMark, rec: int32(r), writer: s.records[r].writer})
	s.records[r].marked, s.records[r].writer = true, t
	return Done
}
