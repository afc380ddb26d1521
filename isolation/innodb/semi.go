package innodb

// Semi-consistent reads.
//
// An UPDATE at READ COMMITTED that scans the clustered index does not wait for a locked
// row at once. It judges the row's last committed version. If that does not match, the
// row is left out. Else the UPDATE waits for the lock and judges again. DELETE and
// SELECT … FOR UPDATE wait for every row.
//
// Source: MySQL manual, "Transaction Isolation Levels", READ COMMITTED.

// semiConsistent answers with the last committed version of a locked row.
func (s *State) semiConsistent(c *Cursor, r int) Answer {
	rec := &s.records[r]
	v := rec.newest
	for v != nil && s.trxs[v.trx].status != committed {
		v = v.prev
	}
	if v == nil || v.deleted {
		return passOn
	}
	c.found(rec.key, v.row)
	c.Committed = true
	return Found
}
