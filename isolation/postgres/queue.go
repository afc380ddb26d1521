package postgres

import "slices"

// Tuple locks: README.tuplock, "Locking tuples". A transaction that has to wait for the
// holder of a version first takes the version's heavyweight lock. So waiters come in
// order. Each version has a queue of its own: after an update, those who waited for the
// old version race for the new one.

// request is a tuple lock that a session holds or waits for. Requests for a
// version are granted in their order in State.queue, unless they conflict.
type request struct {
	tid     TID
	session int8
	mode    Mode
	granted bool
}

// hindered reports whether a request for the version in this mode has to wait
// for one of these.
func hindered(before []request, t TID, m Mode) bool {
	for _, r := range before {
		if r.tid == t && conflicts(r.mode, m) {
			return true
		}
	}
	return false
}

// enqueue takes the version's tuple lock, or waits for it if it may.
func (s *State) enqueue(sess int, t TID, m Mode, wait bool) Result {
	ses := &s.sessions[sess]
	if ses.have == t {
		return OK
	}
	free := !hindered(s.queue, t, m)
	if !free && !wait {
		return WouldBlock
	}
	s.queue = append(s.queue, request{t, int8(sess), m, free})
	if free {
		ses.have = t
		return OK
	}
	s.startWait(sess, waitState{kind: forTuple, on: t, mode: m})
	return Blocked
}

// unqueue gives up the tuple lock of the session's operation.
func (s *State) unqueue(sess int) {
	if t := s.sessions[sess].have; t != none {
		s.sessions[sess].have = none
		s.dequeue(sess, t)
	}
}

// leaveQueues gives up the session's tuple lock and its place in a queue.
func (s *State) leaveQueues(sess int) {
	ses := &s.sessions[sess]
	ses.have = none
	s.leaveAdvice(sess)
	for _, r := range s.queue {
		if int(r.session) == sess {
			s.dequeue(sess, r.tid)
			return
		}
	}
}

// dequeue removes the session's request for a version and wakes those who get
// the lock now, in the order of the queue.
func (s *State) dequeue(sess int, t TID) {
	s.queue = slices.DeleteFunc(s.queue, func(r request) bool { return int(r.session) == sess && r.tid == t })
	for i := range s.queue {
		if s.queue[i].tid == t {
			s.grant(i)
		}
	}
}

// grant gives a request the lock, if nothing stands against it any more.
func (s *State) grant(i int) {
	r := &s.queue[i]
	if !r.granted && s.grantable(i) {
		r.granted = true
		s.sessions[r.session].have = r.tid
		s.wake(int(r.session))
	}
}

// grantable reports whether request i conflicts with no holder and with no
// earlier waiter (LockCheckConflicts and ProcLockWakeup).
func (s *State) grantable(i int) bool {
	r := s.queue[i]
	for j, o := range s.queue {
		if o.tid == r.tid && j != i && (o.granted || j < i) && conflicts(o.mode, r.mode) {
			return false
		}
	}
	return true
}
