package innodb

// Descending scans: ORDER BY … DESC.
//
// Before the first record the scan locks the gap behind the range. It passes records with
// next-key locks, also the one before the range, which stays locked at READ COMMITTED too.
// Where the scan has one range of one value, and finds no row, it locks only the gap before
// the range. The search for the first row knows the value. The searches for further rows,
// and for the rows of several ranges, do not know it.
//
// Source: InnoDB's row_search_mvcc, whose match_mode is ROW_SEL_EXACT_PREFIX in the search
// of HA_READ_PREFIX_LAST alone; MySQL's QUICK_SELECT_DESC, which asks for HA_READ_PREFIX_LAST_OR_PREV.

// prefixed reports whether a descending scan is one of the keys that begin with Low.
func (c *Cursor) prefixed() bool {
	return c.Descending && !c.Among && len(c.Low) > 0 && !c.LowOpen && !c.HighOpen && len(c.Low) == len(c.High) && c.Low.Compare(c.High) == 0
}

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
