package innodb

// Duplicate checks.
//
// Before an entry goes into a unique index, the records with its values are
// locked: shared, or exclusively if the statement updates duplicates. The
// clustered index has at most one such record, also if it is deleted. A
// secondary index may have several deleted ones: next-key locks on each, up to
// and including the first with greater values, at READ COMMITTED too; in MySQL 8.4 only the gap before
// that one, unless the statement updates duplicates. Null is no duplicate of null.
//
// Source: MySQL manual, "Locks Set by Different SQL Statements in InnoDB",
// INSERT; InnoDB's row_ins_duplicate_error_in_clust and
// row_ins_scan_sec_index_for_duplicate.

// checkClustered checks against the record r of the same key.
func (s *State) checkClustered(t Trx, r int) Answer {
	if s.changed(t, r) && s.holder(r) == none {
		return Changed
	}
	if s.lock(t, request{rec: r, x: s.trxs[t].duplicates, kind: recordOnly}) == waits {
		return Blocked
	}
	if s.changed(t, r) {
		return Changed
	}
	if !s.records[r].marked {
		return Duplicate
	}
	return Done
}

// checkSecondary checks against the records of a unique index with the same values.
func (s *State) checkSecondary(t Trx, index int, entry Tuple) (Answer, int) {
	x := &s.catalog.indexes[index]
	values := entry[:x.unique]
	if x.unique == 0 || values.hasNull() {
		return Done, none
	}
	for r := s.find(index, values); ; r = s.successor(r) {
		same := !s.records[r].supremum && values.begins(s.records[r].key)
		if !same && r == s.find(index, values) {
			return Done, none
		}
		kind := nextKey
		if s.options.MySQL && !same && !s.trxs[t].duplicates {
			kind = gapOnly
		}
		if s.lock(t, request{rec: r, x: s.trxs[t].duplicates, kind: kind}) == waits {
			return Blocked, none
		}
		switch {
		case !same:
			return Done, none
		case !s.records[r].marked:
			return Duplicate, r
		}
	}
}
