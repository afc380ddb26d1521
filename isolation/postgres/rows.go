package postgres

import "github.com/txmc/txmc/program/access"

// Rows is PostgreSQL with one table, whose rows are variables: every row exists from
// the beginning, none is deleted and no key changes. Its statements have the key in
// the WHERE clause. The values are numbers that mean something to the client only,
// and the client evaluates what an UPDATE makes of a value: Find gives it the value
// that the statement finds, Change takes what it makes of it.
//
// Like a State it is copied, not undone; Pending and Resolve are those of its State.
type Rows struct {
	state State
	keys  [][]int32 // by variable; the elements are never changed
	runs  []byKey
	calls []call  // of executors, by session
	taken []int32 // numbers that sequences have given, by sequence
}

// byKey is a statement in progress.
type byKey struct {
	phase byKeyPhase
	mode  Mode  // rejudging: the lock that the update needs
	at    TID   // the version that it works on
	value int32 // the new value
	judge bool  // the client has to judge a version that has changed
}

type byKeyPhase uint8

const (
	idle      byKeyPhase = iota
	selecting            // SELECT … FOR UPDATE: locks the row
	found                // UPDATE: the client evaluates it
	updating             // UPDATE: changes the version
	rejudging            // UPDATE, EvalPlanQual: locks the newest version
)

// ReplyKind is the kind of a reply.
type ReplyKind uint8

// The kinds of replies.
const (
	Waits    ReplyKind = iota // Resolve gives the reply
	Done                      // the statement has ended
	Value                     // it has ended, or Find has, with a value
	Again                     // the row has changed: the client makes something of this value, and calls Change
	Failure                   // the statement or COMMIT has failed
	Answered                  // a request of an executor has an answer
)

// Reply is what a statement replies.
type Reply struct {
	Kind  ReplyKind
	Value int32
	Code  Code          // of Failure
	Found access.Answer // of Answered
}

// NewRows is a table without rows.
func NewRows(sessions int, races bool) *Rows {
	return &Rows{
		state: *NewState(Options{Tables: []Table{{Unique: 1}}, Sessions: sessions, Races: races}),
		runs:  make([]byKey, sessions),
		calls: make([]call, sessions),
	}
}

// Load adds the row of the next variable. It was committed before all transactions.
func (r *Rows) Load(value int32) {
	key := []int32{int32(len(r.keys)) + 1}
	r.keys = append(r.keys[:len(r.keys):len(r.keys)], key)
	r.state.Load(0, Row{Keys: key, Value: value})
}

// Len is the number of variables.
func (r *Rows) Len() int { return len(r.keys) }

// CopyFrom makes r a copy of q.
func (r *Rows) CopyFrom(q *Rows) {
	r.state.CopyFrom(&q.state)
	r.keys = q.keys
	r.runs = append(r.runs[:0], q.runs...)
	r.calls = append(r.calls[:0], q.calls...)
	r.taken = append(r.taken[:0], q.taken...)
}

// Begin begins a transaction of the session. BEGIN is no step: it takes neither
// snapshot nor lock.
func (r *Rows) Begin(sess int, l Level) { r.state.Begin(sess, l, false, nil) }

// Open reports whether the session has a transaction.
func (r *Rows) Open(sess int) bool { return r.state.Open(sess) }

// InError reports whether an error has ended the session's transaction before its
// ROLLBACK.
func (r *Rows) InError(sess int) bool { return r.state.InError(sess) }

// Blocked reports whether the session's statement waits.
func (r *Rows) Blocked(sess int) bool { return r.state.Blocked(sess) }

// WaitsFor is the set of the sessions that the session waits for, a bit for each.
func (r *Rows) WaitsFor(sess int) uint64 { return r.state.blockers(sess) }

// Get is SELECT.
func (r *Rows) Get(sess, x int) Reply {
	t, code := r.find(sess, x)
	if code != NoError {
		return r.fail(sess, code)
	}
	return r.complete(sess, Reply{Kind: Value, Value: r.state.Row(t).Value})
}

// GetForUpdate is SELECT … FOR UPDATE.
func (r *Rows) GetForUpdate(sess, x int) Reply {
	return r.start(sess, x, byKey{phase: selecting})
}

// Set is UPDATE to a value that does not depend on the row.
func (r *Rows) Set(sess, x int, value int32) Reply {
	return r.start(sess, x, byKey{phase: updating, value: value})
}

// Find begins an UPDATE that depends on the row. Change goes on with it.
func (r *Rows) Find(sess, x int) Reply {
	t, code := r.find(sess, x)
	if code != NoError {
		return r.fail(sess, code)
	}
	r.runs[sess] = byKey{phase: found, at: t, judge: true}
	return Reply{Kind: Value, Value: r.state.Row(t).Value}
}

// Change is what the client makes of the row that the UPDATE has found: a new value,
// or nothing when the condition does not hold of it.
func (r *Rows) Change(sess int, value int32, matches bool) Reply {
	if !matches {
		return r.complete(sess, Reply{Kind: Done})
	}
	run := &r.runs[sess]
	run.phase, run.value = updating, value
	return r.execute(sess, r.state.Update(sess, run.at, r.row(run)))
}

// Commit ends the session's transaction.
func (r *Rows) Commit(sess int) Reply {
	r.calls[sess] = call{}
	if a := r.state.Commit(sess); a.Result == Failed {
		return Reply{Kind: Failure, Code: a.Code}
	}
	return Reply{Kind: Done}
}

// Rollback ends the session's transaction without effect.
func (r *Rows) Rollback(sess int) {
	r.calls[sess] = call{}
	r.state.Rollback(sess)
}

// Pending is State.Pending.
func (r *Rows) Pending(to []Choice) []Choice { return r.state.Pending(to) }

// Resolve takes a choice of Pending. The session's statement has gone on and
// replies; none if there is no such session.
func (r *Rows) Resolve(c Choice) (sess int, reply Reply) {
	sess, a := r.state.Resolve(c)
	if sess == none {
		return none, Reply{}
	}
	if r.calls[sess].request != nil {
		return sess, r.goOn(sess, a)
	}
	return sess, r.execute(sess, a)
}

// Committed is the value of a variable that all committed transactions have left.
func (r *Rows) Committed(x int) int32 {
	for i := range r.state.heap {
		v := &r.state.heap[i]
		if v.row.Keys[0] == r.keys[x][0] && r.state.xids[v.xmin].status == committed && (v.xmax == none || r.state.xids[v.xmax].status != committed) {
			return v.row.Value
		}
	}
	return 0
}

// AddTo adds the state to a key.
func (r *Rows) AddTo(k *Keyer) {
	k.Reset(&r.state)
	for i := range r.runs {
		if r.runs[i].phase != idle {
			k.Refer(r.runs[i].at)
		}
		r.calls[i].refer(k)
	}
	k.AddState()
	for i := range r.runs {
		run := &r.runs[i]
		k.Add(uint64(run.phase) | uint64(run.mode)<<4 | b2u(run.judge)<<8 | uint64(uint32(run.value))<<16)
		if run.phase != idle {
			k.AddTID(run.at)
		}
		r.calls[i].addTo(k)
	}
	for _, n := range r.taken {
		k.Add(uint64(n))
	}
}

// find begins a statement: the version that its snapshot sees.
func (r *Rows) find(sess, x int) (TID, Code) {
	r.state.Snapshot(sess)
	list, code := r.state.ScanKey(sess, 0, 0, r.keys[x][0])
	if code != NoError {
		return none, code
	}
	return list[0], NoError
}

func (r *Rows) start(sess, x int, run byKey) Reply {
	t, code := r.find(sess, x)
	if code != NoError {
		return r.fail(sess, code)
	}
	run.at = t
	r.runs[sess] = run
	if run.phase == selecting {
		return r.execute(sess, r.state.Lock(sess, t, ForUpdate, FindLast|LockNewer))
	}
	return r.execute(sess, r.state.Update(sess, t, r.row(&run)))
}

func (r *Rows) row(run *byKey) Row {
	return Row{Keys: r.state.Row(run.at).Keys, Value: run.value}
}

// execute goes on with the session's statement after an answer of its operation.
func (r *Rows) execute(sess int, a Answer) Reply {
	run := &r.runs[sess]
	for {
		switch {
		case a.Result == Blocked:
			return Reply{Kind: Waits}
		case a.Result == Failed:
			return r.fail(sess, a.Code)
		case a.Result != OK && r.state.Level(sess) != ReadCommitted:
			return r.fail(sess, SerializationFailure)
		case a.Result == OK && run.phase == selecting:
			return r.complete(sess, Reply{Kind: Value, Value: r.state.Row(a.TID).Value})
		case a.Result == OK && run.phase == updating:
			return r.complete(sess, Reply{Kind: Done})
		case a.Result == OK && run.judge:
			run.phase, run.at = found, a.TID
			return Reply{Kind: Again, Value: r.state.Row(a.TID).Value}
		case a.Result == OK:
			run.phase, run.at = updating, a.TID
			a = r.state.Update(sess, run.at, r.row(run))
		default:
			run.phase, run.mode = rejudging, a.Mode
			a = r.state.Lock(sess, run.at, run.mode, FindLast)
		}
	}
}

func (r *Rows) complete(sess int, reply Reply) Reply {
	r.runs[sess] = byKey{}
	r.state.EndStatement(sess)
	return reply
}

func (r *Rows) fail(sess int, c Code) Reply {
	r.runs[sess] = byKey{}
	r.state.Fail(sess)
	return Reply{Kind: Failure, Code: c}
}

// Check returns the first invariant that does not hold.
func (r *Rows) Check() error { return r.state.Check() }
