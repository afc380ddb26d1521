package innodb

import "github.com/txmc/txmc/isolation/model"

// Rows is InnoDB as model.Database has it: one table, whose rows are variables, with a
// clustered index on the key. Like a State it is copied, not undone.
type Rows struct {
	state State
	count int
	runs  []byKey
}

// byKey is a session: its transaction, and its statement in progress.
type byKey struct {
	trx    Trx
	open   bool // the client has a transaction; an error may have ended that one
	busy   bool // the statement is blocked, or has yet to go on
	phase  byKeyPhase
	value  int32
	cursor Cursor
	write  Write
}

type byKeyPhase uint8

const (
	idle      byKeyPhase = iota
	selecting            // SELECT: reads the row
	setting              // UPDATE: locks the row, which is written then
	finding              // UPDATE: locks the row, which the client evaluates then
	updating             // UPDATE: writes the row
)

// NewRows is a table without rows.
func NewRows(sessions int, o Options) *Rows {
	s, err := NewState(Schema{Tables: []Table{{Columns: 2, Indexes: []Index{{Columns: []int{0}, Unique: true}}}}}, nil, o)
	if err != nil {
		panic(err) // the schema is right
	}
	r := &Rows{state: *s, runs: make([]byKey, sessions)}
	for i := range r.runs {
		r.runs[i].trx = none
	}
	return r
}

// Load adds the row of the next variable. It was committed before all transactions.
func (r *Rows) Load(value int32) {
	r.state.load(0, Row{r.count, int(value)})
	r.count++
}

// Len is the number of variables.
func (r *Rows) Len() int { return r.count }

// CopyFrom makes r a copy of d.
func (r *Rows) CopyFrom(d model.Database) {
	q := d.(*Rows)
	r.state.CopyFrom(&q.state)
	r.count = q.count
	r.runs = append(r.runs[:0], q.runs...)
}

// Begin begins a transaction of the session.
func (r *Rows) Begin(sess int, l model.Level) {
	r.runs[sess] = byKey{trx: r.state.Begin(sess, Level(l)), open: true}
}

// Open reports whether the session has a transaction.
func (r *Rows) Open(sess int) bool { return r.runs[sess].open }

// InError reports whether an error has ended the session's transaction.
func (r *Rows) InError(sess int) bool { return r.runs[sess].open && r.runs[sess].trx == none }

// Blocked reports whether the session's statement waits.
func (r *Rows) Blocked(sess int) bool { return r.runs[sess].busy }

// WaitsFor is the set of the sessions that the session waits for: one.
func (r *Rows) WaitsFor(sess int) uint64 {
	if w, blocked := r.state.Waiting(r.runs[sess].trx); blocked {
		return 1 << r.state.Owner(w.For)
	}
	return 0
}

// Get is SELECT. At SERIALIZABLE it locks the row, as LOCK IN SHARE MODE.
func (r *Rows) Get(sess, x int) model.Reply {
	t := r.runs[sess].trx
	if r.state.LevelOf(t) == Serializable {
		return r.start(sess, x, selecting, Shared, model.ForLock)
	}
	r.state.View(t, nil)
	return r.start(sess, x, selecting, Snapshot, model.ForLock)
}

// GetLocked is SELECT … FOR UPDATE or LOCK IN SHARE MODE.
func (r *Rows) GetLocked(sess, x int, l model.Lock) model.Reply {
	if l.Share {
		return r.start(sess, x, selecting, Shared, l.Wait)
	}
	return r.start(sess, x, selecting, Exclusive, l.Wait)
}

// Set is UPDATE to a value that does not depend on the row.
func (r *Rows) Set(sess, x int, value int32) model.Reply {
	r.runs[sess].value = value
	return r.start(sess, x, setting, Exclusive, model.ForLock)
}

// Find begins an UPDATE that depends on the row. Change goes on with it.
func (r *Rows) Find(sess, x int) model.Reply {
	return r.start(sess, x, finding, Exclusive, model.ForLock)
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
	if run.cursor.Row[1] == int(run.value) {
		return r.complete(sess, model.Reply{Kind: model.NoRow})
	}
	run.phase, run.write = updating, Write{Key: run.cursor.Key, Row: Row{run.cursor.Row[0], int(run.value)}}
	return r.execute(sess)
}

var policies = [...]Wait{model.ForLock: WaitForLock, model.NoWait: NoWait, model.Skip: SkipLocked}

func (r *Rows) start(sess, x int, phase byKeyPhase, mode Mode, wait model.Wait) model.Reply {
	run := &r.runs[sess]
	r.state.LockTable(run.trx, 0, mode)
	run.phase = phase
	run.cursor = Cursor{Low: Tuple{x}, Exact: true, Mode: mode, Wait: policies[wait]}
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
		return r.fail(sess, a)
	case a == End:
		return r.complete(sess, model.Reply{Kind: model.NoRow})
	case run.phase == updating:
		return r.complete(sess, model.Reply{Kind: model.Done})
	case run.phase == setting:
		return r.update(sess)
	case run.phase == finding:
		return model.Reply{Kind: model.Value, Value: int32(run.cursor.Row[1])}
	}
	return r.complete(sess, model.Reply{Kind: model.Value, Value: int32(run.cursor.Row[1])})
}

func (r *Rows) complete(sess int, reply model.Reply) model.Reply {
	t := r.runs[sess].trx
	r.runs[sess] = byKey{trx: t, open: true}
	r.state.EndStatement(t)
	return reply
}

// fail ends the statement with an error. A deadlock, and a row that has changed since
// the view, end the transaction: the deadlock has done so.
func (r *Rows) fail(sess int, a Answer) model.Reply {
	t := r.runs[sess].trx
	r.runs[sess] = byKey{trx: none, open: true}
	switch a {
	case Deadlock:
	case Changed:
		r.state.Rollback(t)
	default: // nothing has been written
		r.runs[sess].trx = t
		r.state.EndStatement(t)
	}
	return model.Reply{Kind: model.Failure, Code: a.Code()}
}

// Commit ends the session's transaction.
func (r *Rows) Commit(sess int) model.Reply {
	if t := r.runs[sess].trx; t != none {
		r.state.Commit(t)
	}
	r.runs[sess] = byKey{trx: none}
	return model.Reply{Kind: model.Done}
}

// Rollback ends the session's transaction without effect.
func (r *Rows) Rollback(sess int) {
	if t := r.runs[sess].trx; t != none {
		r.state.Rollback(t)
	}
	r.runs[sess] = byKey{trx: none}
}

// Pending appends the choices that the last step has left open.
func (r *Rows) Pending(to []Choice) []Choice { return r.state.pending(to) }

// Resolve takes a choice of Pending.
func (r *Rows) Resolve(c Choice) (sess int, reply model.Reply) {
	t := r.runs[c.N].trx
	if c.Kind == FailVictim {
		r.state.Fail(t)
		return none, model.Reply{}
	}
	r.state.Resume(t)
	return int(c.N), r.execute(int(c.N))
}

// Committed is the value of a variable that all committed transactions have left.
func (r *Rows) Committed(x int) int32 {
	v := r.state.records[r.state.exact(0, Tuple{x})].newest
	for r.state.running(v.trx) {
		v = v.prev
	}
	return int32(v.row[1])
}

// NewKeyer makes a Keyer for tables of variables.
func (r *Rows) NewKeyer() model.Keyer { return &rowsKeyer{} }

type rowsKeyer struct{ Keyer }

// Key is the key of the state with some numbers of the client's.
func (k *rowsKeyer) Key(d model.Database, more []uint64) Key {
	r := d.(*Rows)
	k.Reset(&r.state)
	k.AddState()
	for i := range r.runs {
		run := &r.runs[i]
		k.bits(run.open, run.trx != none, run.busy)
		k.Add(int(run.phase)<<32 | int(uint32(run.value)))
		if run.phase != idle {
			k.AddCursor(&run.cursor)
		}
	}
	for _, n := range more {
		k.Add(int(n))
	}
	return k.Sum()
}

// Check returns the first invariant that does not hold.
func (r *Rows) Check() error { return r.state.Check() }

var _ model.Database = (*Rows)(nil)
