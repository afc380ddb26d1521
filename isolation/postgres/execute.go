package postgres

import "github.com/txmc/txmc/isolation/statement"

// The executor: a statement is a sequence of operations on the storage manager.
// In each phase, call calls an operation, and take uses its answer to choose the
// next phase. An operation that blocked gives its answer later.

type phase uint8

const (
	scanning   phase = iota // collect the rows
	locking                 // SELECT ... FOR: lock the row at pos
	modifying               // UPDATE, DELETE: change the version
	rechecking              // EvalPlanQual: lock the newest version, judge it again
	entering                // enter the version made into the next index
	probing                 // ON CONFLICT: look for a conflicting row
	claiming                // ON CONFLICT DO UPDATE: lock it
	replacing               // and update it
	inserting               // put the new version in the heap
	parentScan              // foreign key: look for the row that is referenced
	parentLock              // and lock it
	childScan               // foreign key: look for rows that reference a deleted one
	childLock               // and lock them
	finished
)

// exec is a statement in progress.
type exec struct {
	active bool
	phase  phase
	mode   Mode  // rechecking: the lock that the update needs
	index  uint8 // entering
	local  int32
	pos    int32 // the row of rows that is worked on
	at     TID   // its version
	made   TID   // the version that the statement made
	n      int32 // rows so far
	sum    int32
	child  int32   // which of keys is checked
	keys   []int32 // DELETE: the keys of the deleted rows; only appended to
	rows   []TID   // what the scan found; never changed
	st     *statement.Statement
	out    []statement.IDValue // only appended to
}

func newExec(st *statement.Statement, local int) exec {
	e := exec{active: true, st: st, local: int32(local), at: none, made: none}
	if st.Op == statement.Insert || st.Op == statement.Child {
		e.phase = inserting
		if arbiters[st.Conflict] != 0 {
			e.phase = probing
		}
	}
	return e
}

// execute goes on with the session's statement after an answer of its operation.
func (m *Machine) execute(i int, a Answer) {
	e := &m.runs[i].exec
	for a.Result != Blocked {
		code := a.Code
		if a.Result != Failed {
			code = m.take(i, e, a)
		}
		if code != NoError {
			m.fail(i, code)
			return
		}
		if e.phase == finished {
			m.complete(i, e.result())
			return
		}
		a = m.call(i, e)
	}
}

// call calls the phase's operation.
func (m *Machine) call(i int, e *exec) Answer {
	s, st := &m.state, e.st
	switch e.phase {
	case scanning:
		return m.scan(i, e, readOf(st), false)
	case locking:
		flags := FindLast | LockNewer
		if st.Wait != "" {
			flags |= NoWait
		}
		return s.Lock(i, e.at, lockModes[st.Lock], flags)
	case modifying:
		if deletes(st) {
			return s.Delete(i, e.at)
		}
		return s.Update(i, e.at, m.newRow(e, e.at))
	case rechecking:
		return s.Lock(i, e.at, e.mode, FindLast)
	case entering:
		return s.Enter(i, e.made, int(e.index), arbiters[st.Conflict]>>e.index&1 == 0)
	case probing:
		return s.Probe(i, tableT, rowT(st.ID, st.C, st.U), arbiters[st.Conflict])
	case claiming:
		return s.Lock(i, e.at, NoKeyUpdate, 0)
	case replacing:
		return s.Update(i, e.at, m.newRow(e, e.at))
	case inserting:
		if st.Op == statement.Child {
			return s.Insert(i, tableC, rowC(st.C, st.ID))
		}
		return s.Insert(i, tableT, rowT(st.ID, st.C, st.U))
	}
	return m.callForeignKey(i, e)
}

// take uses the answer of the phase's operation. It returns the error with
// which the statement fails.
func (m *Machine) take(i int, e *exec, a Answer) Code {
	switch e.phase {
	case scanning:
		return m.scanned(i, e)
	case locking:
		return m.lockedRow(i, e, a)
	case modifying:
		return m.modified(i, e, a)
	case rechecking:
		return m.rechecked(i, e, a)
	case entering:
		return m.entered(i, e)
	case probing:
		return m.probed(i, e, a)
	case claiming:
		return m.claimed(i, e, a)
	case replacing:
		return m.replaced(e, a)
	case inserting:
		e.made, e.index, e.phase = a.TID, 0, entering
		return NoError
	}
	return m.takeForeignKey(i, e, a)
}

// scan collects the rows that the statement's snapshot sees and that match.
func (m *Machine) scan(i int, e *exec, of Read, latest bool) Answer {
	var found []TID
	var code Code
	if of.Kind == ReadKey {
		found, code = m.state.ScanKey(i, int(of.Table), indexID, of.Value)
	} else {
		found, code = m.state.ScanTable(i, of, latest)
	}
	if code != NoError {
		return failure(code)
	}
	rows := make([]TID, 0, len(found))
	for _, t := range found {
		if of.Kind != ReadFrom || m.state.Row(t).Value >= of.Value {
			rows = append(rows, t)
		}
	}
	e.rows, e.pos = rows, -1
	return answer(OK, none)
}

// matches evaluates the WHERE clause on a version.
func (m *Machine) matches(e *exec, t TID) bool {
	r := m.state.Row(t)
	return e.st.Matches(int(r.Keys[0]), int(r.Value))
}

// nextRow goes to the next row of the scan, in phase p. It reports false behind
// the last one.
func (e *exec) nextRow(p phase) bool {
	e.pos++
	if int(e.pos) == len(e.rows) {
		return false
	}
	e.at, e.phase = e.rows[e.pos], p
	return true
}

// ownSnapshot reports whether the session's transaction has one snapshot, so
// that a row that another transaction has changed is an error
// (IsolationUsesXactSnapshot).
func (m *Machine) ownSnapshot(i int) bool { return m.state.Level(i) != ReadCommitted }

// result is the result of a statement that has ended.
func (e *exec) result() statement.Result {
	switch e.st.Op {
	case statement.Get, statement.Scan:
		return statement.Result{Kind: statement.Rows, Rows: e.out}
	case statement.Agg:
		return statement.Result{Kind: statement.Aggregate, N: int(e.n), Sum: int(e.sum)}
	}
	return statement.Result{Kind: statement.Count, N: int(e.n)}
}
