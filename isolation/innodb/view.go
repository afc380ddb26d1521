package innodb

// Read views.
//
// A plain SELECT reads from a view: what had committed when it was made, and
// the transaction's own writes. READ COMMITTED makes one a statement, the other
// levels one a transaction, with its first plain SELECT. So a transaction at
// REPEATABLE READ that updates rows which others have changed sees a mixture.
//
// READ UNCOMMITTED makes no view: it reads the newest version of a record, whoever has
// written it. An entry of a secondary index counts if it is that version's.
//
// Source: MySQL manual, "Consistent Nonlocking Reads"; InnoDB's row_search_mvcc and
// row_sel_get_clust_rec_for_mysql.

// View makes the read view where the transaction has none. reads is what it may
// read from the view: for the footprint only.
func (s *State) View(t Trx, reads []Access) {
	x := &s.trxs[t]
	if x.view || x.level == ReadUncommitted {
		return
	}
	x.view, x.seen = true, s.commits
	if s.options.Record {
		s.trace = append(s.trace, reads...)
	}
}

// sees reports whether t's view has what w wrote.
func (s *State) sees(t, w Trx) bool {
	o := &s.trxs[w]
	return t == w || o.status == committed && o.commit <= s.trxs[t].seen
}

// visible is the version of a clustered record that t's view has, or nil.
func (s *State) visible(t Trx, r int) *version {
	if s.trxs[t].level == ReadUncommitted {
		return s.records[r].newest
	}
	for v := s.records[r].newest; v != nil; v = v.prev {
		if s.sees(t, v.trx) {
			return v
		}
	}
	return nil
}

// changed reports whether innodb_snapshot_isolation forbids to lock the
// clustered record: the view does not see its newest version. Without a view
// nothing is checked.
func (s *State) changed(t Trx, r int) bool {
	x := &s.trxs[t]
	return x.level == SnapshotIsolation && x.view && !s.sees(t, s.records[r].writer)
}

// snapshotNext is Next for a plain SELECT.
func (s *State) snapshotNext(t Trx, c *Cursor) Answer {
	x := &s.catalog.indexes[c.Index]
	looks := s.trxs[t].level == ReadUncommitted // at what others write
	if looks && !c.started {
		s.traceScan(c)
	}
	for {
		r := s.seek(c)
		if looks && r != none {
			s.traceRecord(r, true)
		}
		if r == none || s.records[r].supremum || c.outside(s.records[r].key) {
			return End
		}
		entry := s.records[r].key
		c.pass(entry)
		rec := r
		if !x.clustered {
			if rec = s.exact(s.catalog.first[x.table], x.row(entry)); rec == none {
				continue
			}
			if looks {
				s.traceRecord(rec, true)
			}
		}
		v := s.visible(t, rec)
		if v == nil || v.deleted || !x.clustered && x.entry(v.row).Compare(entry) != 0 {
			continue
		}
		c.found(s.records[rec].key, v.row)
		return Found
	}
}
