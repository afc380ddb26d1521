package postgres

import "github.com/txmc/txmc/isolation/model"

// SELECT, with and without row locks: nodeSeqscan.c, nodeIndexscan.c,
// nodeLockRows.c, nodeLimit.c.

// scanned begins to work on the rows that the scan found.
func (e *exec) scanned(s *State) {
	switch {
	case e.plan.verb != selects:
		e.nextModify()
	case e.plan.locks:
		e.nextLock()
	default:
		for _, t := range e.rows {
			if !e.full() {
				e.out = append(e.out, s.Row(t))
			}
		}
		e.phase = finished
	}
}

// full reports whether the statement has as many rows as it wants.
func (e *exec) full() bool { return e.plan.limit > 0 && len(e.out) == int(e.plan.limit) }

func (e *exec) nextLock() {
	if e.full() || !e.nextRow(locking) {
		e.phase = finished
	}
}

// lockedRow is the answer for a row of SELECT ... FOR (ExecLockRows). A row that
// moved is judged again; when it no longer matches, it is left out, and its lock
// stays.
func (e *exec) lockedRow(s *State, i int, j judge, a Answer) Code {
	switch a.Result {
	case OK:
		if a.TID == e.at || j.matches(s.Row(a.TID)) {
			e.out = append(e.out, s.Row(a.TID))
		}
	case WouldBlock:
		if e.plan.wait == model.NoWait {
			return LockNotAvailable
		}
	case Updated, Deleted:
		if s.ownSnapshot(i) {
			return SerializationFailure
		}
	}
	e.nextLock()
	return NoError
}
