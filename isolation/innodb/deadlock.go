package innodb

// Deadlocks.
//
// A waiter waits for one transaction: the owner of the first lock in the queue
// that conflicts with its request. InnoDB looks for a cycle when a wait begins
// and when a waiter's blocker changes. The victim is the transaction of the
// cycle with the least weight, on a tie the one whose wait was looked at. The
// weight is the number of undo records of rows plus the number of lock
// structures; a structure has all locks of one kind and mode on a page.
//
// Which structures there are depends on how records lie on their page. Where a
// record has changed its size they may differ from ours, so Options.Races makes
// every member of the cycle a choice.
//
// Source: MySQL manual, "Deadlock Detection"; InnoDB's trx_weight_ge and
// Deadlock::report.

// groups is a set of lock structures: for each index, mode and kind whether the
// transaction has one.
type groups [maxIndexes * 8 / 64]uint64

// groupOf is the structure that a granted lock belongs to.
func (s *State) groupOf(r int, x bool, kind lockKind) int {
	c := &s.records[r]
	if c.supremum && kind != intention {
		kind = nextKey
	}
	g := int(c.index)*8 + int(kind)
	if x {
		g += 4
	}
	return g
}

// count counts a granted lock. Behind a waiting one it makes a structure of its own.
func (s *State) count(t Trx, group int, queued bool) {
	x := &s.trxs[t]
	word, bit := group/64, uint64(1)<<(group%64)
	if !queued && x.groups[word]&bit != 0 {
		return
	}
	x.structs++
	x.groups[word] |= bit
}

// weight is the transaction's weight.
func (s *State) weight(t Trx) int {
	n := int(s.trxs[t].structs)
	for u := s.trxs[t].undo; u != nil; u = u.prev {
		if u.op == undoInsert || u.op == undoModify {
			n++
		}
	}
	return n
}

// waitsFor is the transaction that t waits for, or none.
func (s *State) waitsFor(t Trx) Trx {
	for i := range s.locks {
		if l := &s.locks[i]; l.trx == t && l.waiting {
			q := request{rec: int(l.rec), x: l.x, kind: l.kind}
			return s.blocker(t, &q, i)
		}
	}
	return none
}

// deadlock looks for a cycle through t and ends it, or leaves its victim to be
// chosen.
func (s *State) deadlock(t Trx) {
	if len(s.cycle) > 0 {
		s.recheck = append(s.recheck, t)
		return
	}
	var room [8]Trx
	cycle := append(room[:0], t)
	for n := s.waitsFor(t); n != t; n = s.waitsFor(n) {
		if n == none || len(cycle) > len(s.trxs) {
			return
		}
		cycle = append(cycle, n)
	}
	if s.options.Races {
		s.cycle = append(s.cycle[:0], cycle...)
		return
	}
	s.Fail(s.lightest(cycle))
}

func (s *State) lightest(cycle []Trx) Trx {
	victim := cycle[0]
	for _, c := range cycle[1:] {
		if s.weight(c) < s.weight(victim) {
			victim = c
		}
	}
	return victim
}

// Cycle lists the transactions of a deadlock whose victim is to be chosen.
// Until Fail has been called no transaction may go on.
func (s *State) Cycle() []Trx { return s.cycle }

// Fail makes a transaction the victim of a deadlock. Its wait is over; its
// operation answers Deadlock when it runs.
func (s *State) Fail(victim Trx) {
	s.cycle = s.cycle[:0]
	s.trxs[victim].victim = true
	s.wake(victim)
	s.cancel(victim)
	for len(s.cycle) == 0 && len(s.recheck) > 0 {
		t := s.recheck[0]
		s.recheck = append(s.recheck[:0], s.recheck[1:]...)
		if s.waitsFor(t) != none {
			s.deadlock(t)
		}
	}
}

// cancel takes back t's waiting lock.
func (s *State) cancel(t Trx) {
	for i := range s.locks {
		if l := s.locks[i]; l.trx == t && l.waiting {
			s.locks = append(s.locks[:i], s.locks[i+1:]...)
			s.trxs[t].structs--
			s.regrant(func(r int32) bool { return r == l.rec })
			return
		}
	}
}

// die is the answer of a deadlock's victim.
func (s *State) die(t Trx) Answer {
	s.Rollback(t)
	return Deadlock
}
