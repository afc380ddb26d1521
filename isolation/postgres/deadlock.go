package postgres

// Deadlocks: documentation section 13.3.4, DeadLockCheck. A waiter checks once,
// deadlock_timeout after its wait began, and fails if it is on a cycle. When
// every step takes longer than the timeout, the victim is the waiter that
// closed the cycle; with races it is any member.

// deadlocks appends a choice for each possible victim. Without cycles it
// appends nothing, and all checks are over.
func (s *State) deadlocks(to []Choice) []Choice {
	before := len(to)
	for _, i := range s.fresh {
		if !s.onCycle(int(i)) {
			continue
		}
		if s.races {
			return s.cycleMembers(to[:before])
		}
		to = append(to, Choice{Kind: FailVictim, N: i})
	}
	if len(to) == before {
		s.fresh = s.fresh[:0]
	}
	return to
}

func (s *State) cycleMembers(to []Choice) []Choice {
	for i := range s.sessions {
		if s.onCycle(i) {
			to = append(to, Choice{Kind: FailVictim, N: int8(i)})
		}
	}
	return to
}

// onCycle reports whether the session waits for itself.
func (s *State) onCycle(sess int) bool {
	if !s.Blocked(sess) || s.sessions[sess].wait.kind == forSafety {
		return false
	}
	var seen uint64
	reached := s.blockers(sess)
	for todo := reached; todo != 0; todo = reached &^ seen {
		for i := range s.sessions {
			if todo>>i&1 == 1 {
				seen |= 1 << i
				reached |= s.deadlockers(i)
			}
		}
	}
	return reached>>sess&1 == 1
}

// deadlockers is blockers, as DeadLockCheck sees them: it knows nothing of DEFERRABLE
// transactions that wait.
func (s *State) deadlockers(sess int) uint64 {
	if s.sessions[sess].wait.kind == forSafety {
		return 0
	}
	return s.blockers(sess)
}

// blockers is the set of sessions for which a session waits. For an xid this is its
// owner. For a tuple lock these are its holders and the earlier waiters that conflict.
// A DEFERRABLE transaction waits for the writers that it watches.
func (s *State) blockers(sess int) (set uint64) {
	switch w := s.sessions[sess].wait; w.kind {
	case forXid:
		return 1 << s.xids[w.on].session
	case forAdvice:
		return s.advisers(sess)
	case forSafety:
		for _, c := range s.ssi.watches {
			if c.reader == s.sessions[sess].record {
				set |= 1 << s.ssi.records[c.writer].session
			}
		}
	case forTuple:
		behind := false
		for _, r := range s.queue {
			if r.tid != w.on {
				continue
			}
			if int(r.session) == sess {
				behind = true
			} else if conflicts(r.mode, w.mode) && (r.granted || !behind) {
				set |= 1 << r.session
			}
		}
	}
	return set
}
