package postgres

import "slices"

// Advisory locks: documentation section 13.3.5; LockAcquireExtended, ProcSleep and
// ProcLockWakeup of src/backend/storage/lmgr. A lock belongs to a transaction, and
// ends with it or with the savepoint in which it was taken, or to a session, and ends
// when it is given up as often as it was taken, or with the session.

// advice is an advisory lock that a session holds or waits for. Those who wait are
// served in their order in State.advisory, unless they conflict.
type advice struct {
	key     int32
	session int8
	shared  bool
	owned   bool  // by the transaction
	level   int16 // owned: the savepoint depth
	granted bool
}

func (a *advice) conflicts(b *advice) bool {
	return a.key == b.key && a.session != b.session && !(a.shared && b.shared)
}

// Advise takes an advisory lock. It answers WouldBlock where it may not wait and
// would have to.
func (s *State) Advise(sess int, key int32, shared, owned, wait bool) Answer {
	a := advice{key: key, session: int8(sess), shared: shared, owned: owned, level: int16(len(s.sessions[sess].saves))}
	s.access(Access{kind: uses, table: advisoryTable, index: none, key: key, shared: shared})
	a.granted = s.advisable(&a, len(s.advisory))
	if !a.granted && !wait {
		return answer(WouldBlock, none)
	}
	s.advisory = append(s.advisory, a)
	if a.granted {
		return answer(OK, none)
	}
	s.sessions[sess].op = operation{kind: opAnswer, saved: answer(OK, none), tid: none}
	s.startWait(sess, waitState{kind: forAdvice, on: key})
	return answer(Blocked, none)
}

// advisoryTable stands for the advisory locks in footprints.
const advisoryTable = 255

// advisable reports whether a lock conflicts with nobody who holds it, and with
// nobody who waits before place i. Who holds the lock already goes before those who
// wait.
func (s *State) advisable(a *advice, i int) bool {
	holds := slices.ContainsFunc(s.advisory, func(b advice) bool { return b.granted && b.key == a.key && b.session == a.session })
	for j := range s.advisory {
		b := &s.advisory[j]
		if a.conflicts(b) && (b.granted || j < i && !holds) {
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

// addAdvice adds the locks to a key.
func (k *Keyer) addAdvice() {
	for _, a := range k.s.advisory {
		k.Add(uint64(uint32(a.key))<<32 | uint64(a.session)<<24 | uint64(a.level)<<8 | pack(a.shared, a.owned, a.granted)<<1 | 1)
	}
}
