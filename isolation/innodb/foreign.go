package innodb

import "slices"

// Foreign keys. Those with actions the SQL layer finds by a Cursor, and acts on.
//
// Before an entry goes into the index of a foreign key, the referenced entry is looked
// up and locked shared, as a record. If there is no such entry, the gap is locked and
// the row fails. When a referenced entry goes away, the children are looked up
// likewise, behind the change: one that is there is locked shared and fails the row.
// READ COMMITTED locks no gaps. Null references nothing. With foreign_key_checks=0 nothing is
// looked up.
//
// Source: MySQL manual, "FOREIGN KEY Constraints"; InnoDB's
// row_ins_check_foreign_constraint.

// ForeignKey is a foreign key. Index is an index of Table that begins with its
// columns, ParentIndex an index of Parent that begins with the referenced ones.
type ForeignKey struct {
	Table, Index        int
	Parent, ParentIndex int
	Columns             int // how many
	// Acts: the SQL layer does something about references to a row that goes away, so
	// that nobody looks for them here.
	Acts bool
}

// foreign is a foreign key, with indexes by their numbers.
type foreign struct {
	child, parent, columns int
	acts                   bool
}

func (c *catalog) addForeign(keys []ForeignKey) {
	for _, k := range keys {
		c.foreign = append(c.foreign, foreign{c.first[k.Table] + k.Index, c.first[k.Parent] + k.ParentIndex, k.Columns, k.Acts})
	}
}

// checkParents looks for what a new entry of an index references.
func (s *State) checkParents(t Trx, index int, entry Tuple) Answer {
	if s.trxs[t].unchecked {
		return Done
	}
	for _, f := range s.catalog.foreign {
		if f.child != index || entry[:f.columns].hasNull() {
			continue
		}
		switch a := s.reference(t, f.parent, entry[:f.columns]); a {
		case Found:
		case End:
			return NoParent
		default:
			return a
		}
	}
	return Done
}

// checkChildren looks for references to an entry of an index that goes away, or
// becomes another one.
func (s *State) checkChildren(t Trx, index int, old, entry Tuple) Answer {
	if s.trxs[t].unchecked {
		return Done
	}
	for _, f := range s.catalog.foreign {
		if f.acts || f.parent != index || old[:f.columns].hasNull() || entry != nil && slices.Equal(entry[:f.columns], old[:f.columns]) {
			continue
		}
		switch a := s.reference(t, f.child, old[:f.columns]); a {
		case Found:
			return Referenced
		case End:
		default:
			return a
		}
	}
	return Done
}

// reference looks an entry with these values up and locks it: Found or End.
func (s *State) reference(t Trx, index int, values Tuple) Answer {
	x := &s.catalog.indexes[index]
	s.LockTable(t, x.table, Shared)
	s.traceScan(&Cursor{Index: index, Span: Span{Low: values, Exact: true}, Mode: Shared})
	for r := s.find(index, values); ; r = s.successor(r) {
		c := &s.records[r]
		if c.supremum || !values.begins(c.key) {
			if s.gapLocks(t) {
				s.lock(t, request{rec: r, kind: gapOnly})
			}
			return End
		}
		kind := recordOnly
		if c.marked && s.gapLocks(t) {
			kind = nextKey
		}
		if x.clustered && s.changed(t, r) && s.holder(r) == none {
			return Changed
		}
		if s.lock(t, request{rec: r, kind: kind}) == waits {
			return Blocked
		}
		if x.clustered && s.changed(t, r) {
			return Changed
		}
		if !s.records[r].marked {
			return Found
		}
	}
}

// referring is the lock that a scan for the references of a foreign key with an action asks
// for. A record that is not deleted is locked without the gap, and exclusively, as it is
// written then.
func (c *Cursor) referring(marked, gaps bool, r int) request {
	q := request{rec: r, x: !marked, kind: recordOnly}
	if marked && gaps {
		q.kind = nextKey
	}
	return q
}
