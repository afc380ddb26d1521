package innodb

import "github.com/txmc/txmc/isolation/model"

// Rows is InnoDB as model.Database has it. Like a State it is copied, not undone.
// tables.go has the statements on tables, serve.go the requests of an executor.
type Rows struct {
	state  State
	slots  []slot // by row; the elements are never changed
	runs   []byKey
	execs  []running // statements on tables; none if there are no tables
	served           // of a storage whose executor evaluates statements
}

// slot is where a row is, or would be.
type slot struct{ table, order int }

// byKey is a session: its transaction, and its statement in progress on a variable.
type byKey struct {
	session
	busy   bool // the statement is blocked, or has yet to go on
	phase  byKeyPhase
	value  int32
	cursor Cursor
	write  Write
}

// session is the transaction of a session.
type session struct {
	trx      Trx
	open     bool   // the client has a transaction; an error may have ended that one
	auto     bool   // it ends with its statement
	readOnly bool   // a statement that writes fails, and does nothing
	used     bool   // it has used a table
	saves    []save // never changed in place
}
type byKeyPhase uint8

const (
	idle      byKeyPhase = iota
	selecting            // SELECT: reads the row
	setting              // UPDATE: locks the row, which is written then
	finding              // UPDATE: locks the row, which the client evaluates then
	updating             // UPDATE: writes the row
)

// The columns of a table: its key, as a number that orders it, the row's number, its
// value, unique columns, and foreign keys.
const (
	columnOrder = iota
	columnX
	columnValue
	columnsFixed
)

// NewRows is a database without rows. tables are its tables beside the variables. A
// table has a clustered index on its key, a unique index on each unique column, and an index
// on each foreign key.
func NewRows(sessions int, tables []model.Table, o Options) (*Rows, error) {
	var schema Schema
	for number, t := range append([]model.Table{{}}, tables...) {
		table := Table{Columns: columnsFixed + t.Unique + len(t.Parents), Indexes: []Index{{Columns: []int{columnOrder}, Unique: true}}}
		for i := range t.Unique + len(t.Parents) {
			table.Indexes = append(table.Indexes, Index{Columns: []int{columnsFixed + i}, Unique: i < t.Unique})
		}
		for i, parent := range t.Parents {
			schema.Foreign = append(schema.Foreign, ForeignKey{Table: number, Index: 1 + t.Unique + i, Parent: parent, Columns: 1})
		}
		schema.Tables = append(schema.Tables, table)
	}
	s, err := NewState(schema, nil, o)
	if err != nil {
		return nil, err
	}
	r := &Rows{state: *s, runs: make([]byKey, sessions)}
	for i := range r.runs {
		r.runs[i].trx = none
	}
	if len(tables) > 0 {
		r.execs = make([]running, sessions)
	}
	return r, nil
}

// Load makes the next row known. If it exists, it was committed before all transactions.
func (r *Rows) Load(row model.Row, exists bool) {
	x := len(r.slots)
	if row.Table == 0 {
		row.Order = x
	}
	r.slots = append(r.slots[:x:x], slot{row.Table, row.Order})
	if exists {
		r.state.load(row.Table, r.rowOf(x, row.Value, row.Columns))
	}
}

// rowOf is the row of a number with these contents.
func (r *Rows) rowOf(x int, value int32, columns []model.Entry) Row {
	row := append(make(Row, 0, columnsFixed+len(columns)), r.slots[x].order, x, int(value))
	for _, u := range columns {
		if u.ID == 0 {
			row = append(row, Null)
		} else {
			row = append(row, u.Order)
		}
	}
	return row
}

// Len is the number of rows that are known.
func (r *Rows) Len() int { return len(r.slots) }

// Empty is what CopyFrom makes a copy of.
func (r *Rows) Empty() model.Database { return &Rows{} }

// CopyFrom makes r a copy of d.
func (r *Rows) CopyFrom(d model.Database) {
	q := d.(*Rows)
	r.state.CopyFrom(&q.state)
	r.slots = q.slots
	r.runs = append(r.runs[:0], q.runs...)
	r.execs = append(r.execs[:0], q.execs...)
	r.served.copyFrom(&q.served)
}

// Begin begins a transaction of the session.
func (r *Rows) Begin(sess int, t model.Transaction) {
	r.runs[sess] = byKey{session: session{trx: r.state.Begin(sess, Level(t.Level)), open: true, auto: t.Auto, readOnly: t.ReadOnly}}
}

// Open reports whether the session has a transaction.
func (r *Rows) Open(sess int) bool { return r.runs[sess].open }

// InError reports whether an error has ended the session's transaction.
func (r *Rows) InError(sess int) bool { return r.runs[sess].open && r.runs[sess].trx == none }

// Blocked reports whether the session's statement waits.
func (r *Rows) Blocked(sess int) bool { return r.runs[sess].busy }

// WaitsFor is the set of the sessions that the session waits for: one, unless it waits for
// a name.
func (r *Rows) WaitsFor(sess int) uint64 {
	if set := r.namers(sess); set != 0 {
		return set
	}
	if w, blocked := r.state.Waiting(r.runs[sess].trx); blocked {
		return 1 << r.state.Owner(w.For)
	}
	return 0
}

// Get is SELECT.
func (r *Rows) Get(sess, x int) model.Reply {
	mode := r.plain(sess)
	if mode == Snapshot {
		r.state.View(r.runs[sess].trx, nil)
	}
	return r.start(sess, x, selecting, mode, model.ForLock)
}

// plain is how a plain SELECT uses its table: at SERIALIZABLE it locks, unless it is a
// transaction by itself.
func (r *Rows) plain(sess int) Mode {
	if run := &r.runs[sess]; r.state.LevelOf(run.trx) == Serializable && !run.auto {
		return Shared
	}
	return Snapshot
}

// GetLocked is SELECT … FOR UPDATE or LOCK IN SHARE MODE.
func (r *Rows) GetLocked(sess, x int, l model.Lock) model.Reply {
	if !l.Share && r.runs[sess].readOnly {
		return r.refuse(sess)
	}
	if l.Share {
		return r.start(sess, x, selecting, Shared, l.Wait)
	}
	return r.start(sess, x, selecting, Exclusive, l.Wait)
}

// Set is UPDATE to a value that does not depend on the row.
func (r *Rows) Set(sess, x int, value int32) model.Reply {
	if r.runs[sess].readOnly {
		return r.refuse(sess)
	}
	r.runs[sess].value = value
	return r.start(sess, x, setting, Exclusive, model.ForLock)
}

// Find begins an UPDATE that depends on the row. Change goes on with it.
func (r *Rows) Find(sess, x int) model.Reply {
	if r.runs[sess].readOnly {
		return r.refuse(sess)
	}
	return r.start(sess, x, finding, Exclusive, model.ForLock)
}

// refuse fails a statement that writes or locks for a write in a READ ONLY transaction, before
// it does anything (lock_tables_check).
func (r *Rows) refuse(sess int) model.Reply {
	if r.runs[sess].auto {
		r.Rollback(sess)
	}
	return model.Reply{Kind: model.Failure, Code: "1792"}
}

// Change is what the client makes of the row that the UPDATE has found and locked.
func (r *Rows) Change(sess int, value int32, matches bool) model.Reply {
	if !matches {
		return r.complete(sess, model.Reply{Kind: model.NoRow})
	}
	r.runs[sess].value = value
	return r.update(sess)
}

// update writes the row that the session's cursor has found. One that does not change
// is not written and does not count.
func (r *Rows) update(sess int) model.Reply {
	run := &r.runs[sess]
	if run.cursor.Row[columnValue] == int(run.value) {
		return r.complete(sess, model.Reply{Kind: model.NoRow})
	}
	run.phase, run.write = updating, Write{Key: run.cursor.Key, Row: r.rowOf(run.cursor.Row[columnX], run.value, nil)}
	return r.execute(sess)
}

// policies are the wait policies.
var policies = [...]Wait{model.ForLock: WaitForLock, model.NoWait: NoWait, model.Skip: SkipLocked}

func (r *Rows) start(sess, x int, phase byKeyPhase, mode Mode, wait model.Wait) model.Reply {
	run := &r.runs[sess]
	r.state.LockTable(run.trx, 0, mode)
	run.phase, run.used = phase, true
	run.cursor = Cursor{Span: Span{Low: Tuple{x}, Exact: true}, Mode: mode, Wait: policies[wait]}
	return r.execute(sess)
}

// execute goes on with the session's statement.
func (r *Rows) execute(sess int) model.Reply {
	run := &r.runs[sess]
	run.busy = false
	var a Answer
	if run.phase == updating {
		a = r.state.Write(run.trx, &run.write)
	} else {
		a = r.state.Next(run.trx, &run.cursor)
	}
	switch {
	case a == Blocked:
		run.busy = true
		return model.Reply{Kind: model.Waits}
	case a.Code() != "":
		return r.fail(sess, a, r.state.Savepoint(run.trx)) // nothing has been written
	case a == End:
		return r.complete(sess, model.Reply{Kind: model.NoRow})
	case run.phase == updating:
		return r.complete(sess, model.Reply{Kind: model.Done})
	case run.phase == setting:
		return r.update(sess)
	case run.phase == finding:
		return model.Reply{Kind: model.Value, Value: int32(run.cursor.Row[columnValue])}
	}
	return r.complete(sess, model.Reply{Kind: model.Value, Value: int32(run.cursor.Row[columnValue])})
}

// complete ends a statement that succeeded. In autocommit it commits, unless it has written
// or locked rows: then the commit is a step of its own, before which others may run.
func (r *Rows) complete(sess int, reply model.Reply) model.Reply {
	run := &r.runs[sess]
	*run = byKey{session: run.session}
	if r.state.EndStatement(run.trx); run.auto && !r.state.Holds(run.trx) {
		r.Commit(sess)
	}
	return reply
}

// fail ends the statement, which began there, with an error. A deadlock, and a row that
// has changed since the view, end the transaction: the deadlock has done so.
func (r *Rows) fail(sess int, a Answer, start Savepoint) model.Reply {
	run := &r.runs[sess]
	*run = byKey{session: run.session}
	switch a {
	case Deadlock:
		run.trx = none
	case Changed:
		r.state.Rollback(run.trx)
		run.trx = none
	default:
		r.state.RollbackTo(run.trx, start)
		r.state.EndStatement(run.trx)
	}
	if run.auto {
		r.Rollback(sess)
	}
	return model.Reply{Kind: model.Failure, Code: a.Code()}
}

// Commit ends the session's transaction.
func (r *Rows) Commit(sess int) model.Reply {
	if t := r.runs[sess].trx; t != none {
		r.state.Commit(t)
	}
	r.runs[sess] = byKey{session: session{trx: none}}
	return model.Reply{Kind: model.Done}
}

// Rollback ends the session's transaction without effect.
func (r *Rows) Rollback(sess int) {
	if t := r.runs[sess].trx; t != none {
		r.state.Rollback(t)
	}
	r.runs[sess] = byKey{session: session{trx: none}}
}

// Pending appends the choices that the last step has left open.
func (r *Rows) Pending(to []Choice) []Choice { return r.state.pending(to) }

// Resolve takes a choice of Pending.
func (r *Rows) Resolve(choice Choice, c model.Client) (sess int, reply model.Reply) {
	sess = int(choice.N)
	t := r.runs[sess].trx
	if choice.Kind == FailVictim {
		r.state.Fail(t)
		return none, model.Reply{}
	}
	if choice.Kind == TimeOut {
		return sess, r.expire(sess)
	}
	r.state.Resume(t)
	if len(r.calls) > 0 {
		return sess, r.goOnServing(sess)
	}
	if r.executing(sess) {
		return sess, r.goOn(sess, c)
	}
	return sess, r.execute(sess)
}

// Committed is the value of a row that all committed transactions have left; false if
// there is no such row.
func (r *Rows) Committed(x int) (value int32, exists bool) {
	at := r.slots[x]
	rec := r.state.exact(r.state.IndexOf(at.table, 0), Tuple{at.order})
	if rec == none {
		return 0, false
	}
	v := r.state.records[rec].newest
	for v != nil && r.state.running(v.trx) {
		v = v.prev
	}
	if v == nil || v.deleted {
		return 0, false
	}
	return int32(v.row[columnValue]), true
}

// NewKeyer makes a Keyer for tables of variables.
func (r *Rows) NewKeyer() model.Keyer { return &rowsKeyer{Keyer{variables: true}} }

type rowsKeyer struct{ Keyer }

// Key is the key of the state with some numbers of the client's.
func (k *rowsKeyer) Key(d model.Database, more []uint64) Key {
	r := d.(*Rows)
	k.Reset(&r.state)
	k.AddState()
	last := r.lastOpen()
	k.Add(last)
	for i := range last {
		run := &r.runs[i]
		k.bits(run.open, run.trx != none, run.busy, run.auto, run.used, run.readOnly)
		for _, p := range run.saves {
			k.bits(p.first)
			k.AddSavepoint(run.trx, p.at)
		}
		k.Add(int(run.phase)<<32 | int(uint32(run.value)))
		if run.phase != idle {
			k.AddCursor(&run.cursor)
		}
	}
	for i := range r.execs {
		if e := &r.execs[i]; e.active {
			k.Add(i)
			k.exec(r.runs[i].trx, &e.exec)
		}
	}
	r.addServed(&k.Keyer)
	for _, n := range more {
		k.Add(int(n))
	}
	return k.Sum()
}

// Check returns the first invariant that does not hold.
func (r *Rows) Check() error { return r.state.Check() }

var _ model.Storage = (*Rows)(nil)
