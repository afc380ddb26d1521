package innodb

// Wake-up: what becomes of waiting locks when others go away.
//
// Waiting locks are granted in the order of the queue when nothing before them
// conflicts. The transaction goes on, and looks at the record again. Who still
// waits may now wait for somebody else: that is a new edge for a deadlock.
//
// Source: InnoDB's lock_rec_dequeue_from_page.

// release drops all locks of a transaction.
func (s *State) release(t Trx) {
	var touched [64]bool
	kept := s.locks[:0]
	for _, l := range s.locks {
		if l.trx == t {
			touched[l.rec%64] = true
		} else {
			kept = append(kept, l)
		}
	}
	s.locks = kept
	s.regrant(func(r int32) bool { return touched[r%64] })
}

// regrant grants waiting locks on these records. It may look at more records
// than changed: their locks still wait for the same transactions.
func (s *State) regrant(on func(rec int32) bool) {
	for i := range s.locks {
		l := &s.locks[i]
		if !l.waiting || !on(l.rec) {
			continue
		}
		q := request{rec: int(l.rec), x: l.x, kind: l.kind}
		if s.blocker(l.trx, &q, i) == none {
			l.waiting = false
			s.count(l.trx, s.groupOf(q.rec, q.x, q.kind), true)
			s.trxs[l.trx].structs--
			s.trxs[l.trx].acted = l.kind != intention // it has the lock; an insert asks again
			s.wake(l.trx)
		}
	}
	s.recheckAll(on)
}

// recheckAll looks for deadlocks of those that still wait.
func (s *State) recheckAll(on func(rec int32) bool) {
	var room [8]Trx
	waiters := room[:0]
	for i := range s.locks {
		if l := &s.locks[i]; l.waiting && on(l.rec) {
			waiters = append(waiters, l.trx)
		}
	}
	for _, t := range waiters {
		if s.waitsFor(t) != none {
			s.deadlock(t)
		}
	}
}
