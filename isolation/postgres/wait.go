package postgres

import "slices"

// Waits and wake-up. An operation waits for the end of a transaction
// (XactLockTableWait) or for a tuple lock. When the wait ends, the session
// becomes a task, and its operation looks again at what it waited for. With
// several tasks their order is a choice.

type waitKind uint8

const (
	notWaiting waitKind = iota
	forXid
	forTuple
	forAdvice
	forSafety // a DEFERRABLE transaction waits for the writers that may make its snapshot unsafe
	forTurn   // others who were woken may run first
)

// waitState is what a session waits for.
type waitState struct {
	kind waitKind
	mode Mode  // forTuple
	on   int32 // the xid, the version or the key of an advisory lock
}

// task is a woken session, or the end of a record for serializability that is
// late.
type task struct {
	session int8 // none: the end of a record
	commit  bool
	record  int32
}

// operationKind is the operation that a session has called.
type operationKind uint8

const (
	noOperation operationKind = iota
	opLock
	opUpdate
	opDelete
	opEnter
	opProbe
	opRecheck
	opAnswer
	opSnapshot
)

// operation is a call in progress. A wait ends with "look again", and these
// fields are what a second look must know.
type operation struct {
	kind operationKind
	mode Mode
	lockRequest
	check bool // Enter
	moves bool // Delete: the row goes to another table
	table uint8
	index uint8
	mask  uint32 // Probe: the indexes that arbitrate
	tid   TID
	row   Row    // Update, Probe
	saved Answer // opAnswer
}

// lockRequest is how far a Lock has come.
type lockRequest struct {
	flags  LockFlags
	chase  bool  // following the chain
	looked bool  // the first look is over
	alone  bool  // do not queue
	slept  bool  // it has waited for an updater
	prior  int32 // the transaction that made the version that is looked at
}

// startWait blocks the session's operation. Its deadlock check is due.
func (s *State) startWait(sess int, w waitState) {
	s.access(Access{kind: startsWait})
	s.sessions[sess].wait = w
	if !slices.Contains(s.fresh, int8(sess)) {
		s.fresh = append(s.fresh, int8(sess))
	}
}

// waitFor blocks the session's operation until x ends.
func (s *State) waitFor(sess int, x int32) Result {
	s.startWait(sess, waitState{kind: forXid, on: x})
	return Blocked
}

// wake ends the session's wait.
func (s *State) wake(sess int) {
	s.sessions[sess].wait = waitState{}
	s.woken = append(s.woken, task{session: int8(sess), record: none})
}

// wakeWaiters wakes who waits for x.
func (s *State) wakeWaiters(x int32) {
	for i := range s.sessions {
		if w := s.sessions[i].wait; w.kind == forXid && w.on == x {
			s.wake(i)
		}
	}
}

// yield lets others who were woken run before the session's operation goes on,
// if the state has races.
func (s *State) yield(sess int) bool {
	if !s.races || len(s.woken) == 0 {
		return false
	}
	s.wake(sess)
	s.sessions[sess].wait = waitState{kind: forTurn}
	return true
}

// Blocked reports whether the session's operation waits.
func (s *State) Blocked(sess int) bool { return s.sessions[sess].wait.kind != notWaiting }

// Pending appends the choices that are due before another session may begin an
// operation: which woken session runs, or who fails in a deadlock. None are due
// when nothing is appended.
func (s *State) Pending(to []Choice) []Choice {
	for i := range s.woken {
		to = append(to, Choice{Kind: RunTask, N: int8(i)})
	}
	if len(s.woken) > 0 {
		return to
	}
	return s.deadlocks(to)
}

// Resolve takes a choice of Pending. The victim of a deadlock does not fail where another order
// of those who wait ends the circle. It returns the session whose operation has
// answered or blocked again, none if there is none.
func (s *State) Resolve(c Choice) (sess int, a Answer) {
	if c.Kind == FailVictim && s.rearrange(int(c.N)) {
		return none, Answer{}
	}
	if c.Kind == FailVictim {
		return int(c.N), failure(DeadlockDetected)
	}
	t := s.woken[c.N]
	s.woken = slices.Delete(s.woken, int(c.N), int(c.N)+1)
	if t.session == none {
		s.endRecord(t.record, t.commit)
		return none, Answer{}
	}
	s.sessions[t.session].wait = waitState{}
	return int(t.session), s.resume(int(t.session))
}

// resume goes on with the session's operation.
func (s *State) resume(sess int) Answer {
	switch op := &s.sessions[sess].op; op.kind {
	case opLock:
		return s.lock(sess)
	case opUpdate, opDelete:
		return s.modify(sess)
	case opEnter:
		return s.enter(sess)
	case opProbe:
		return s.probe(sess)
	case opRecheck:
		return s.recheck(sess)
	case opSnapshot:
		return s.awaitSafety(sess)
	default:
		return op.saved
	}
}
