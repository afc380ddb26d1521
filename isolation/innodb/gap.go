package innodb

// Gaps: what happens to locks when a record is inserted or removed.
//
// A new record splits a gap: who has locked the gap holds both parts. A record
// that is removed joins two gaps: its locks become gap locks of its successor,
// and who waited for it looks again. Locks that READ COMMITTED takes for UPDATE
// and DELETE are not inherited; those of a duplicate check are.
//
// Source: InnoDB's lock_rec_inherit_to_gap and
// lock_rec_inherit_to_gap_if_gap_lock; MySQL manual, "InnoDB Locking", gap locks.

// insertRecord puts a record into its index.
func (s *State) insertRecord(n record) int {
	r := s.enter(n)
	next := s.successor(r)
	s.traceCreate(r)
	s.traceRecord(next, false)
	supremum := s.records[next].supremum
	for i := range len(s.locks) {
		l := s.locks[i]
		if int(l.rec) == next && l.kind != intention && (l.kind != recordOnly || supremum) {
			s.grant(l.trx, r, l.x, gapOnly)
		}
	}
	return r
}

// removeRecord takes a record out of its index for good.
func (s *State) removeRecord(r int) {
	next := s.successor(r)
	s.traceRecord(r, false)
	s.traceRecord(next, false)
	s.displace(r)
	var donors []lock
	kept := s.locks[:0]
	for _, l := range s.locks {
		if int(l.rec) == r {
			donors = append(donors, l)
		} else {
			kept = append(kept, l)
		}
	}
	s.locks = kept
	for _, l := range donors {
		if l.waiting {
			s.trxs[l.trx].lost = true
			s.wake(l.trx)
		}
		if s.inherits(&l) {
			s.grant(l.trx, next, l.x, gapOnly)
		}
	}
}

// inherits reports whether the successor of a removed record gets the lock.
func (s *State) inherits(l *lock) bool {
	t := &s.trxs[l.trx]
	return l.kind != intention && (!t.level.recordsOnly() || l.x == t.duplicates)
}
