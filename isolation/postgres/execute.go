package postgres

import "github.com/txmc/txmc/isolation/model"

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

// verb is what a statement does with the rows that it finds.
type verb uint8

const (
	selects verb = iota
	updates
	deletes
	inserts
)

// plan is a statement as the executor sees it. It is never changed.
type plan struct {
	verb  verb
	read  Read       // SELECT, UPDATE, DELETE: the rows that are looked at
	locks bool       // SELECT … FOR
	lock  Mode       // with this lock
	wait  model.Wait // and this wait policy
	limit int32      // SELECT: at most so many rows; 0: all

	table    uint8
	row      Row    // INSERT
	arbiters uint32 // INSERT … ON CONFLICT: the indexes that decide
	replaces bool   // DO UPDATE

	judged    bool // of rows: the client says which ones are meant
	returning bool // UPDATE, DELETE: the rows are wanted as they were
}

// judge evaluates the expressions of a statement, which are the client's.
type judge interface {
	matches(r Row) bool // WHERE
	set(r Row) Row      // SET
}

// exec is a statement in progress.
type exec struct {
	active bool
	phase  phase
	mode   Mode  // rechecking: the lock that the update needs
	index  uint8 // entering
	pos    int32 // the row of rows that is worked on
	at     TID   // its version
	made   TID   // the version that the statement made
	n      int32 // rows so far
	rows   []TID // what the scan found; never changed
	plan   *plan
	out    []Row // the rows that are wanted; only appended to
	checking
}

// checking is how far the checks of a statement's foreign keys have come. They come
// behind its rows.
type checking struct {
	check  int32   // which of checks is under way
	checks []check // only appended to
}

func newExec(p *plan) exec {
	e := exec{active: true, plan: p, at: none, made: none}
	if p.verb == inserts {
		e.phase = inserting
		if p.arbiters != 0 {
			e.phase = probing
		}
	}
	return e
}

// start begins the statement.
func (e *exec) start(s *State, i int, j judge) (done bool, code Code) {
	return e.run(s, i, j, e.call(s, i, j))
}

// run goes on with the session's statement after an answer of its operation. It is
// done, fails with a code, or neither: then it waits.
func (e *exec) run(s *State, i int, j judge, a Answer) (done bool, code Code) {
	for a.Result != Blocked {
		code := a.Code
		if a.Result != Failed {
			code = e.use(s, i, j, a)
		}
		if code != NoError || e.phase == finished {
			return code == NoError, code
		}
		a = e.call(s, i, j)
	}
	return false, NoError
}

// call calls the phase's operation.
func (e *exec) call(s *State, i int, j judge) Answer {
	p := e.plan
	switch e.phase {
	case scanning:
		return e.scan(s, i, p.read, false, j.matches)
	case locking:
		flags := FindLast | LockNewer
		if p.wait != model.ForLock {
			flags |= NoWait
		}
		return s.Lock(i, e.at, p.lock, flags)
	case modifying:
		if p.verb == deletes {
			return s.Delete(i, e.at)
		}
		return s.Update(i, e.at, j.set(s.Row(e.at)))
	case rechecking:
		return s.Lock(i, e.at, e.mode, FindLast)
	case entering:
		return s.Enter(i, e.made, int(e.index), p.arbiters>>e.index&1 == 0)
	case probing:
		return s.Probe(i, int(p.table), p.row, p.arbiters)
	case claiming:
		return s.Lock(i, e.at, NoKeyUpdate, 0)
	case replacing:
		return s.Update(i, e.at, j.set(s.Row(e.at)))
	case inserting:
		return s.Insert(i, int(p.table), p.row)
	}
	return e.callForeignKey(s, i)
}

// use uses the answer of the phase's operation. It returns the error with
// which the statement fails.
func (e *exec) use(s *State, i int, j judge, a Answer) Code {
	switch e.phase {
	case scanning:
		e.scanned(s)
		return NoError
	case locking:
		return e.lockedRow(s, i, j, a)
	case modifying:
		return e.modified(s, i, a)
	case rechecking:
		e.rechecked(s, j, a)
		return NoError
	case entering:
		e.entered(s, i)
		return NoError
	case probing:
		return e.probed(s, i, a)
	case claiming:
		return e.claimed(s, i, a)
	case replacing:
		e.replaced(s, a)
		return NoError
	case inserting:
		e.made, e.index, e.phase = a.TID, 0, entering
		e.inserted(s, e.made)
		return NoError
	}
	return e.takeForeignKey(s, i, a)
}

// scan collects the rows that the statement's snapshot sees and that match.
func (e *exec) scan(s *State, i int, of Read, latest bool, matches func(Row) bool) Answer {
	var found []TID
	var code Code
	if of.Kind == ReadKey {
		found, code = s.ScanKey(i, int(of.Table), indexID, of.Value)
	} else {
		found, code = s.ScanTable(i, of, latest)
	}
	if code != NoError {
		return failure(code)
	}
	rows := make([]TID, 0, len(found))
	for _, t := range found {
		if matches(s.Row(t)) {
			rows = append(rows, t)
		}
	}
	e.rows, e.pos = rows, -1
	return answer(OK, none)
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
func (s *State) ownSnapshot(i int) bool { return s.Level(i) != ReadCommitted }
