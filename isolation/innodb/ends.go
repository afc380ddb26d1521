package innodb

// Where the locks of a scan end in MySQL 8.4.
//
// An ascending scan of a range of the clustered index does not lock the record behind the end of the range,
// only the gap before it; nothing where the record that is the end itself has been locked. A record that
// is found by the whole key of a unique secondary index is locked without the gap before it, unless it
// is deleted. MariaDB 10.11 locks the record behind the range, and the gap.
//
// At READ COMMITTED, a scan of a secondary index gives back the locks of what the statement does not want.
//
// Source: MySQL 8.0.18 release notes (Bug #29508068); MySQL 8.4 Reference Manual, 17.7.3; InnoDB's
// row_compare_row_to_range.

// stops reports whether the record ends a range, in MySQL alone: it is behind the range, or an
// end that is not in it.
func (s *State) stops(t Trx, c *Cursor, k Tuple) bool {
	if !s.options.MySQL || !s.gapLocks(t) || c.Acts || c.Exact || c.Descending || c.High == nil || !s.catalog.indexes[c.Index].clustered {
		return false
	}
	return c.outside(k)
}

// lockStop locks the gap before the record that ends a range.
func (s *State) lockStop(t Trx, c *Cursor, r int) Answer {
	if c.ended {
		return End
	}
	return s.lockEnd(t, c, r, gapOnly)
}

// foundAlone reports whether the record is the one that has the values of a unique index.
func (s *State) foundAlone(c *Cursor, rec *record) bool {
	return s.options.MySQL && !rec.marked && s.unique(c)
}

// reaches notes that the scan has locked the record that is the end of its range.
func (s *State) reaches(c *Cursor, k Tuple) {
	x := &s.catalog.indexes[c.Index]
	c.ended = s.options.MySQL && x.clustered && !c.Descending && len(c.High) == len(x.columns) && k.Compare(c.High) == 0
}

// unwantedEntry gives back the locks of an entry of a secondary index, and of its row, that READ COMMITTED does
// not want. MariaDB keeps them.
func (s *State) unwantedEntry(t Trx, c *Cursor) {
	x := &s.catalog.indexes[c.Index]
	r := s.exact(c.Index, c.pos)
	if !s.options.MySQL || r == none {
		return
	}
	row := s.exact(s.catalog.first[x.table], x.row(c.pos))
	if row != none && s.holder(row) == t {
		return // it is the transaction's own
	}
	entry := c.entry
	if c.AtEntry {
		entry = c.fresh
	} else if c.fresh && row != none {
		s.unlock(t, row, c.Mode == Exclusive)
	}
	if entry {
		s.unlock(t, r, c.Mode == Exclusive)
	}
	c.fresh, c.entry = false, false
}
