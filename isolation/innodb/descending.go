package innodb

// Descending scans: ORDER BY … DESC.
//
// Before the first record the scan locks the gap behind the range. It passes
// records with next-key locks, also the one before the range, which stays locked
// at READ COMMITTED too.
//
// Source: InnoDB's row_search_mvcc; MySQL's QUICK_SELECT_DESC.

// above is the place in the index's order behind where a descending scan starts.
func (s *State) above(c *Cursor) int {
	if c.High == nil {
		return len(s.order[c.Index])
	}
	return s.position(c.Index, c.High, !c.HighOpen)
}

// lockAbove locks the gap behind the range of a descending scan.
func (s *State) lockAbove(t Trx, c *Cursor) {
	if c.Descending && s.gapLocks(t) {
		s.lock(t, request{rec: s.at(c.Index, s.above(c)), x: c.Mode == Exclusive, kind: gapOnly})
	}
}

// seekDown is seek for a descending scan.
func (s *State) seekDown(c *Cursor) int {
	place := s.above(c)
	switch {
	case !c.started:
		c.started = true
	case c.pos == nil: // it has not stood anywhere yet
	default:
		place = s.position(c.Index, c.pos, !c.beyond)
	}
	if place == 0 {
		return none
	}
	return s.at(c.Index, place-1)
}
