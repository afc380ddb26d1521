package postgres

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
)

// Rows is PostgreSQL as model.Database has it. Like a State it is copied, not undone;
// Pending and Resolve are those of its State. A row's number is its key in the primary
// index; tables.go has the statements on tables.
type Rows struct {
	state State
	keys  [][]int32 // by row; the elements are never changed
	runs  []byKey
	execs []exec  // statements on tables; none if there are no tables
	auto  uint64  // sessions whose transaction ends with its statement
	calls []call  // of executors, by session; none if there are none
	first int     // number of an executor's first table
	taken []taken // by sequence
}

// taken is how a sequence was set, and how many numbers it has given since.
type taken struct{ setting, numbers int32 }

// byKey is a statement in progress.
type byKey struct {
	phase byKeyPhase
	mode  Mode  // rejudging: the lock that the update needs
	at    TID   // the version that it works on
	value int32 // the new value
	judge bool  // the client has to judge a version that has changed
	wait  model.Wait
}

type byKeyPhase uint8

const (
	idle      byKeyPhase = iota
	selecting            // SELECT … FOR: locks the row
	found                // UPDATE: the client evaluates it
	updating             // UPDATE: changes the version
	rejudging            // UPDATE, EvalPlanQual: locks the newest version
)

// NewRows is a database without rows. tables are its tables beside the variables. Any
// statement may lock rows FOR SHARE: that the order of transactions counts makes about
// a tenth more states.
func NewRows(sessions int, tables []model.Table, races bool) *Rows {
	shapes := []Table{{Unique: 1, Shared: true}}
	for _, t := range tables {
		shapes = append(shapes, Table{Unique: 1 + t.Unique, Scanned: true, Shared: true, Parents: t.Parents})
	}
	r := &Rows{state: *NewState(Options{Tables: shapes, Sessions: sessions, Races: races}), runs: make([]byKey, sessions)}
	if len(tables) > 0 {
		r.execs = make([]exec, sessions)
	}
	return r
}

// Load makes the next row known. If it exists, it was committed before all transactions.
func (r *Rows) Load(row model.Row, exists bool) {
	x := len(r.keys)
	r.keys = append(r.keys[:x:x], []int32{int32(x) + 1})
	if exists {
		r.state.Load(row.Table, r.rowOf(row.Table, x, row.Value, row.Columns))
	}
}

// rowOf is the row of a number in a table with these contents.
func (r *Rows) rowOf(table, x int, value int32, columns []model.Entry) Row {
	row := Row{Keys: r.keys[x], Value: value}
	if len(columns) == 0 {
		return row
	}
	all := append(make([]int32, 0, 1+len(columns)), r.keys[x]...)
	for _, c := range columns {
		all = append(all, c.ID)
	}
	n := r.state.tables[table].Unique
	row.Keys, row.Refs = all[:n:n], all[n:]
	return row
}

// Len is the number of rows that are known.
func (r *Rows) Len() int { return len(r.keys) }

// Empty is what CopyFrom makes a copy of.
func (r *Rows) Empty() model.Database { return &Rows{} }

// CopyFrom makes r a copy of d.
func (r *Rows) CopyFrom(d model.Database) {
	q := d.(*Rows)
	r.state.CopyFrom(&q.state)
	r.keys = q.keys
	r.runs = append(r.runs[:0], q.runs...)
	r.execs, r.auto = append(r.execs[:0], q.execs...), q.auto
	r.calls, r.first, r.taken = append(r.calls[:0], q.calls...), q.first, append(r.taken[:0], q.taken...)
	for i := range r.execs {
		e := &r.execs[i]
		e.out = slices.Clip(e.out)
	}
}

// Begin begins a transaction of the session. BEGIN is no step: it takes neither
// snapshot nor lock.
func (r *Rows) Begin(sess int, t model.Transaction) {
	r.state.Begin(sess, Level(t.Level), t.ReadOnly, nil)
	if t.Deferrable {
		r.state.Defer(sess)
	}
	r.auto &^= 1 << sess
	if t.Auto {
		r.auto |= 1 << sess
	}
}

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
func (r *Rows) Get(sess, x int) model.Reply {
	t, code := r.find(sess, x, false)
	switch {
	case r.Blocked(sess):
		return model.Reply{Kind: model.Waits}
	case code != NoError:
		return r.fail(sess, code)
	}
	return r.complete(sess, model.Reply{Kind: model.Value, Value: r.state.Row(t).Value})
}

// GetLocked is SELECT … FOR UPDATE or FOR SHARE.
func (r *Rows) GetLocked(sess, x int, l model.Lock) model.Reply {
	mode := ForUpdate
	if l.Share {
		mode = Share
	}
	return r.start(sess, x, byKey{phase: selecting, mode: mode, wait: l.Wait})
}

// Set is UPDATE to a value that does not depend on the row.
func (r *Rows) Set(sess, x int, value int32) model.Reply {
	return r.start(sess, x, byKey{phase: updating, value: value})
}

// Find begins an UPDATE that depends on the row. Change goes on with it.
func (r *Rows) Find(sess, x int) model.Reply {
	t, code := r.find(sess, x, true)
	switch {
	case r.Blocked(sess):
		return model.Reply{Kind: model.Waits}
	case code != NoError:
		return r.fail(sess, code)
	}
	r.runs[sess] = byKey{phase: found, at: t, judge: true}
	return model.Reply{Kind: model.Value, Value: r.state.Row(t).Value}
}

// Change is what the client makes of the row that the UPDATE has found: a new value,
// or nothing when the condition does not hold of it.
func (r *Rows) Change(sess int, value int32, matches bool) model.Reply {
	if !matches {
		return r.complete(sess, model.Reply{Kind: model.NoRow})
	}
	run := &r.runs[sess]
	run.phase, run.value = updating, value
	return r.execute(sess, r.state.Update(sess, run.at, r.row(run)))
}

// Commit ends the session's transaction.
func (r *Rows) Commit(sess int) model.Reply {
	r.forget(sess)
	if a := r.state.Commit(sess); a.Result == Failed {
		return model.Reply{Kind: model.Failure, Code: a.Code.String()}
	}
	return model.Reply{Kind: model.Done}
}

// Rollback ends the session's transaction without effect.
func (r *Rows) Rollback(sess int) {
	r.forget(sess)
	r.state.Rollback(sess)
}

// Pending is State.Pending.
func (r *Rows) Pending(to []Choice) []Choice { return r.state.Pending(to) }

// Resolve takes a choice of Pending. The session's statement has gone on and
// replies; none if there is no such session.
func (r *Rows) Resolve(choice Choice, c model.Client) (sess int, reply model.Reply) {
	if choice.Kind == model.TimeOut {
		return int(choice.N), r.expire(int(choice.N))
	}
	sess, a := r.state.Resolve(choice)
	switch {
	case sess == none:
		return none, model.Reply{}
	case a.Result == Ready:
		return sess, model.Reply{Kind: model.Begins}
	case r.state.sessions[sess].wait.kind == forSafety:
		return sess, model.Reply{Kind: model.Waits}
	case len(r.calls) > 0 && r.calls[sess].request != nil:
		return sess, r.goOnCall(sess, a)
	case r.executing(sess):
		return sess, r.goOn(sess, c, a)
	}
	return sess, r.execute(sess, a)
}

// Committed is the value of a row that all committed transactions have left; false if
// there is no such row.
func (r *Rows) Committed(x int) (value int32, exists bool) {
	for i := range r.state.versions() {
		v := r.state.at(i)
		if v.row.Keys[0] == r.keys[x][0] && r.state.xids[v.xmin].status == committed && (v.xmax == none || r.state.xids[v.xmax].status != committed) {
			return v.row.Value, true
		}
	}
	return 0, false
}

// NewKeyer makes a Keyer for tables of variables.
func (r *Rows) NewKeyer() model.Keyer { return &rowsKeyer{} }

type rowsKeyer struct{ Keyer }

// Key is the key of the state with some numbers of the client's.
func (k *rowsKeyer) Key(d model.Database, more []uint64) Key {
	d.(*Rows).addTo(&k.Keyer)
	for _, n := range more {
		k.Add(n)
	}
	return k.Sum()
}

// addTo adds the state to a key.
func (r *Rows) addTo(k *Keyer) {
	k.Reset(&r.state)
	for i := range r.runs {
		if r.runs[i].phase != idle {
			k.Refer(r.runs[i].at)
		}
	}
	for i := range r.execs {
		if e := &r.execs[i]; e.active {
			e.refer(k)
		}
	}
	for i := range r.calls {
		r.calls[i].refer(k)
	}
	k.AddState()
	k.Add(r.auto)
	for i := range r.calls {
		r.calls[i].addTo(k)
	}
	for _, n := range r.taken {
		k.Add(uint64(uint32(n.setting))<<32 | uint64(uint32(n.numbers)))
	}
	for i := range r.execs {
		if e := &r.execs[i]; e.active {
			k.Add(uint64(i) | 1<<40)
			e.addTo(k)
		}
	}
	for i := range r.runs {
		run := &r.runs[i]
		k.Add(uint64(run.phase) | uint64(run.mode)<<4 | b2u(run.judge)<<8 | uint64(run.wait)<<9 | uint64(uint32(run.value))<<16)
		if run.phase != idle {
			k.AddTID(run.at)
		}
	}
}

// find begins a statement: the version that its snapshot sees. writes says that the
// statement writes or locks rows. A DEFERRABLE transaction may block.
func (r *Rows) find(sess, x int, writes bool) (TID, Code) {
	if r.state.Snapshot(sess) == Blocked {
		return none, NoError
	}
	if writes && r.state.ReadOnly(sess) {
		return none, ReadOnlyTransaction
	}
	list, code := r.state.ScanKey(sess, 0, 0, r.keys[x][0])
	if code != NoError {
		return none, code
	}
	return list[0], NoError
}

func (r *Rows) start(sess, x int, run byKey) model.Reply {
	t, code := r.find(sess, x, true)
	switch {
	case r.Blocked(sess):
		return model.Reply{Kind: model.Waits}
	case code != NoError:
		return r.fail(sess, code)
	}
	run.at = t
	r.runs[sess] = run
	if run.phase == selecting {
		flags := FindLast | LockNewer
		if run.wait != model.ForLock {
			flags |= NoWait
		}
		return r.execute(sess, r.state.Lock(sess, t, run.mode, flags))
	}
	return r.execute(sess, r.state.Update(sess, t, r.row(&run)))
}

func (r *Rows) row(run *byKey) Row {
	return Row{Keys: r.state.Row(run.at).Keys, Value: run.value}
}

// execute goes on with the session's statement after an answer of its operation.
func (r *Rows) execute(sess int, a Answer) model.Reply {
	run := &r.runs[sess]
	for {
		switch {
		case a.Result == Blocked:
			return model.Reply{Kind: model.Waits}
		case a.Result == Failed:
			return r.fail(sess, a.Code)
		case a.Result == WouldBlock && run.wait == model.Skip:
			return r.complete(sess, model.Reply{Kind: model.NoRow})
		case a.Result == WouldBlock:
			return r.fail(sess, LockNotAvailable)
		case a.Result != OK && r.state.Level(sess) != ReadCommitted:
			return r.fail(sess, SerializationFailure)
		case a.Result == OK && run.phase == selecting:
			return r.complete(sess, model.Reply{Kind: model.Value, Value: r.state.Row(a.TID).Value})
		case a.Result == OK && run.phase == updating:
			return r.complete(sess, model.Reply{Kind: model.Done})
		case a.Result == OK && run.judge:
			run.phase, run.at = found, a.TID
			return model.Reply{Kind: model.Again, Value: r.state.Row(a.TID).Value}
		case a.Result == OK:
			run.phase, run.at = updating, a.TID
			a = r.state.Update(sess, run.at, r.row(run))
		default:
			run.phase, run.mode = rejudging, a.Mode
			a = r.state.Lock(sess, run.at, run.mode, FindLast)
		}
	}
}

// complete ends a statement that succeeded. In autocommit it commits, unless it has written
// or locked rows, or has read at SERIALIZABLE: then the commit is a step of its own, before
// which others may run.
func (r *Rows) complete(sess int, reply model.Reply) model.Reply {
	r.runs[sess] = byKey{}
	r.state.EndStatement(sess)
	if r.auto>>sess&1 == 1 && !r.state.Holds(sess) {
		if end := r.Commit(sess); end.Kind == model.Failure {
			return end
		}
	}
	return reply
}

func (r *Rows) fail(sess int, c Code) model.Reply {
	r.runs[sess] = byKey{}
	r.state.Fail(sess)
	if r.auto>>sess&1 == 1 {
		r.state.Rollback(sess)
	}
	return model.Reply{Kind: model.Failure, Code: c.String()}
}

// Check returns the first invariant that does not hold.
func (r *Rows) Check() error { return r.state.Check() }

var _ model.Database = (*Rows)(nil)
