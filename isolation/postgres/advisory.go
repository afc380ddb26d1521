package postgres

import "slices"

// Advisory locks: documentation section 13.3.5; LockAcquireExtended, ProcSleep and
// ProcLockWakeup of src/backend/storage/lmgr. A lock of a transaction ends with it, or
// with the savepoint in which it was taken. A lock of a session ends with the session,
// or when it has been given up as often as it was taken.

// advice is an advisory lock that a session holds or waits for. Those who wait are
// served in their order in State.advisory, unless they conflict.
type advice struct {
	key     int32
	session int8
	shared  bool
	owned   bool  // by the transaction
	mode    uint8 // as locks on tables have them: advisory ones are SHARE or EXCLUSIVE
	level   int16 // owned: the savepoint depth
	granted bool
}

func (a *advice) conflicts(b *advice) bool {
	return a.key == b.key && a.session != b.session && tableConflicts[a.mode]>>b.mode&1 == 1
}

// Advise takes an advisory lock. It answers WouldBlock where it may not wait and
// would have to.
func (s *State) Advise(sess int, key int32, shared, owned, wait bool) Answer {
	a := advice{key: key, session: int8(sess), shared: shared, owned: owned, mode: exclusive, level: int16(len(s.sessions[sess].saves))}
	if shared {
		a.mode = share
	}
	return s.acquire(a, wait, OK)
}

// acquire takes a lock (LockAcquireExtended). Who has to wait answers after it with the result.
func (s *State) acquire(a advice, wait bool, after Result) Answer {
	sess := int(a.session)
	s.access(Access{kind: uses, table: advisoryTable, index: none, key: a.key, shared: a.shared})
	at := s.joins(&a)
	a.granted = s.advisable(&a, at)
	switch {
	case !a.granted && !wait:
		return answer(WouldBlock, none)
	case !a.granted && at < len(s.advisory) && s.holdsAgainst(&a, s.advisory[at].session):
		return failure(DeadlockDetected)
	}
	s.advisory = slices.Insert(s.advisory, at, a)
	if a.granted {
		return answer(OK, none)
	}
	s.sessions[sess].op = operation{kind: opAnswer, saved: answer(after, none), tid: none}
	s.startWait(sess, waitState{kind: forAdvice, on: a.key})
	return answer(Blocked, none)
}

// joins is the place that a request takes: before those who wait for what its session holds
// already (ProcSleep), else at the end.
func (s *State) joins(a *advice) int {
	for i := range s.advisory {
		if b := &s.advisory[i]; !b.granted && b.key == a.key && s.awaits(b, a.session) {
			return i
		}
	}
	return len(s.advisory)
}

// awaits reports whether a request waits for what a session holds.
func (s *State) awaits(b *advice, session int8) bool {
	return slices.ContainsFunc(s.advisory, func(c advice) bool { return c.granted && c.session == session && c.conflicts(b) })
}

// holdsAgainst reports whether the session that waits for this one's locks holds what this one asks
// for: such a circle of two is found at once (JoinWaitQueue, early deadlock).
func (s *State) holdsAgainst(a *advice, waiter int8) bool {
	return slices.ContainsFunc(s.advisory, func(b advice) bool { return b.granted && b.session == waiter && b.conflicts(a) })
}

// advisoryTable stands for the advisory locks in footprints.
const advisoryTable = 255

// advisable reports whether a session can get a lock: it conflicts with no holder, and with
// nobody who waits before place i. A session that holds it in the same mode gets it again.
func (s *State) advisable(a *advice, i int) bool {
	if slices.ContainsFunc(s.advisory, func(b advice) bool {
		return b.granted && b.key == a.key && b.session == a.session && b.mode == a.mode
	}) {
		return true
	}
	for j := range s.advisory {
		if b := &s.advisory[j]; a.conflicts(b) && (b.granted || j < i) {
			return false
		}
	}
	return true
}

// Unadvise gives up an advisory lock of the session's own, taken last, and reports
// whether there was one.
func (s *State) Unadvise(sess int, key int32, shared bool) bool {
	s.access(Access{kind: uses, table: advisoryTable, index: none, key: key})
	for i := len(s.advisory) - 1; i >= 0; i-- {
		if a := &s.advisory[i]; int(a.session) == sess && a.key == key && a.shared == shared && a.granted && !a.owned {
			s.advisory = slices.Delete(s.advisory, i, i+1)
			s.wakeAdvised()
			return true
		}
	}
	return false
}

// UnadviseAll gives up all advisory locks of the session's own.
func (s *State) UnadviseAll(sess int) {
	s.dropAdvice(func(a advice) bool { return int(a.session) == sess && a.granted && !a.owned })
}

// endAdvice gives up the locks of the session's transaction that were taken at this
// savepoint depth and deeper.
func (s *State) endAdvice(sess, depth int) {
	s.dropAdvice(func(a advice) bool { return int(a.session) == sess && a.granted && a.owned && int(a.level) >= depth })
}

// leaveAdvice gives up what the session waits for.
func (s *State) leaveAdvice(sess int) {
	s.dropAdvice(func(a advice) bool { return int(a.session) == sess && !a.granted })
}

func (s *State) dropAdvice(gone func(advice) bool) {
	n := len(s.advisory)
	if s.advisory = slices.DeleteFunc(s.advisory, gone); len(s.advisory) < n {
		s.wakeAdvised()
	}
}

// wakeAdvised grants what can be granted now.
func (s *State) wakeAdvised() {
	for i := range s.advisory {
		if a := &s.advisory[i]; !a.granted && s.advisable(a, i) {
			a.granted = true
			s.wake(int(a.session))
		}
	}
}

// advisers are the sessions for which a session waits that waits for a lock.
func (s *State) advisers(sess int) (set uint64) {
	i := slices.IndexFunc(s.advisory, func(a advice) bool { return int(a.session) == sess && !a.granted })
	for j := range s.advisory {
		if b := &s.advisory[j]; i >= 0 && s.advisory[i].conflicts(b) && (b.granted || j < i) {
			set |= 1 << b.session
		}
	}
	return set
}

// addAdvice adds the locks to a key. The order of those who wait matters.
func (k *Keyer) addAdvice() {
	var held unordered
	for _, a := range k.s.advisory {
		n := uint64(uint32(a.key))<<32 | uint64(a.session)<<24 | uint64(a.mode)<<20 | uint64(uint8(a.level))<<8 | pack(a.shared, a.owned, a.granted)<<1 | 1
		if a.granted {
			held.add(n)
		} else {
			k.Add(n)
		}
	}
	k.addUnordered(held)
}
