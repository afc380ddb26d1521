package program

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Tx is a transaction of a session. It is valid from its beginning to its end,
// on the session's goroutine.
type Tx struct {
	run     *run
	name    string
	index   int   // in its session
	conn    int32 // of the session, from 0
	began   behaviour.Loc
	ended   behaviour.Loc
	done    bool
	managed bool // by Txn, which commits or aborts it
	apart   bool // left out: it reads initial values, and nothing of it is recorded
	ops     int
	pending
	inDatabase
}

// pending is what a transaction has written so far.
type pending struct {
	own    []behaviour.Write // the last write of each variable
	points []savepoint
	// Writes may be undone since there was a savepoint. Settled are those before.
	undoable bool
	settled  []behaviour.Write
}

// inDatabase is what a transaction is under the model of a database.
type inDatabase struct {
	level  string // that it asks for, or ""
	mode   behaviour.Mode
	failed *behaviour.DBError // the transaction is in error
	last   error              // of the last operation, which has left the transaction as it was
	auto   bool               // it is one operation in autocommit
	alone  bool               // it is a statement of a Backend outside of a transaction
}

// Read returns the value of key as this transaction sees it: its own last
// write, or one that the isolation level allows. A key that nobody wrote reads
// nil.
func (tx *Tx) Read(key string) any {
	loc := tx.operation("Read")
	return tx.read(tx.variable(key, "Read", loc), 0, loc)
}

// ReadForUpdate is a locking read of key, as SELECT ... FOR UPDATE: it returns the
// transaction's own last write, or the last write of all transactions that are
// committed before this one, at every level. No other transaction writes the key
// in between.
func (tx *Tx) ReadForUpdate(key string) any {
	loc := tx.operation("ReadForUpdate")
	return tx.read(tx.variable(key, "ReadForUpdate", loc), behaviour.ForUpdate, loc)
}

// Write stores a copy of v under key; others see it when the transaction
// commits.
func (tx *Tx) Write(key string, v any) {
	loc := tx.operation("Write")
	tx.write(tx.variable(key, "Write", loc), v, loc)
}

// Commit ends a transaction started with [Session.Begin] and makes its writes
// visible. The error is nil or a [*behaviour.DBError]; then the transaction has been rolled
// back. Under axiomatic levels it is always nil.
func (tx *Tx) Commit() error {
	loc := tx.enter("Commit")
	if tx.managed {
		tx.run.misuse(loc, "Commit inside the function given to Txn: return nil to commit")
	}
	return tx.run.commitOrFail(tx, loc)
}

// Rollback ends a transaction started with [Session.Begin] without effect. After
// the transaction's end it returns [ErrTxDone], so that it may be deferred.
func (tx *Tx) Rollback() error {
	r := tx.valid("Rollback")
	if !r.own() {
		r.strayed("Rollback")
	}
	if tx.done || r.dead.Load() {
		return ErrTxDone
	}
	loc := r.caller()
	if tx.managed {
		r.misuse(loc, "Rollback inside the function given to Txn: return an error to abort")
	}
	r.abort(tx, loc, "")
	return nil
}

// Name returns the transaction's name.
func (tx *Tx) Name() string { return tx.name }

func (tx *Tx) read(x behaviour.VarID, how behaviour.ReadOption, loc behaviour.Loc) any {
	r := tx.run
	if tx.onDatabase() {
		return tx.query(x, how, loc)
	}
	if tx.failed != nil || how.Locks() && tx.refuses() {
		return nil
	}
	for _, w := range tx.own {
		if w.Var != x {
			continue
		}
		if !tx.apart && (!tx.undoable || slices.Contains(tx.settled, w)) { // else the write is no event yet
			r.happens(behaviour.Event{Kind: behaviour.OwnReadEvent, Var: x, Val: w.Val, Loc: loc})
		}
		return r.client.values.Get(w.Val)
	}
	if tx.apart {
		return r.client.values.Get(r.client.Initial(x))
	}
	return r.client.values.Get(r.await(x, how.Locks(), loc))
}

func (tx *Tx) write(x behaviour.VarID, v any, loc behaviour.Loc) {
	val := tx.intern(x, v, loc)
	if tx.onDatabase() {
		tx.set(x, val, loc)
		return
	}
	tx.put(x, val, loc)
}

// put writes at an axiomatic level.
func (tx *Tx) put(x behaviour.VarID, val behaviour.ValueID, loc behaviour.Loc) {
	if tx.refuses() {
		return
	}
	kind := behaviour.WriteEvent
	if tx.undoable {
		kind = behaviour.ChangeEvent
	}
	if !tx.apart {
		tx.run.happens(behaviour.Event{Kind: kind, Var: x, Val: val, Loc: loc})
	}
	tx.keep(x, val)
}

// intern returns the ID of a value that is to be stored under x.
func (tx *Tx) intern(x behaviour.VarID, v any, loc behaviour.Loc) behaviour.ValueID {
	c := tx.run.client
	val, err := c.values.Intern(v)
	if err != nil {
		tx.run.misuse(loc, "write of %q: the value cannot be stored: %v", c.Key(x), err)
	}
	return val
}

// keep makes val the transaction's last write of x.
func (tx *Tx) keep(x behaviour.VarID, val behaviour.ValueID) {
	for i, w := range tx.own {
		if w.Var == x {
			tx.own[i].Val = val
			return
		}
	}
	tx.own = append(tx.own, behaviour.Write{Var: x, Val: val})
}

func (tx *Tx) valid(what string) *run {
	if tx == nil || tx.run == nil {
		panic("txmc: " + what + " on a Tx that txmc did not make")
	}
	return tx.run
}

// enter guards the calls that need an open transaction and returns where the
// user made this one.
func (tx *Tx) enter(what string) behaviour.Loc {
	r := tx.valid(what)
	r.enter(what)
	loc := r.caller()
	if tx.done {
		r.misuse(loc, "%s after the end of transaction %q (begun at %s, ended at %s): use a Tx only between its beginning and its end",
			what, tx.name, behaviour.LineOf(r.client.Location(tx.began)), behaviour.LineOf(r.client.Location(tx.ended)))
	}
	return loc
}

// operation is enter for reads and writes, which are counted.
func (tx *Tx) operation(what string) behaviour.Loc {
	loc := tx.enter(what)
	tx.last = nil
	if tx.ops++; tx.auto && tx.ops > 1 {
		tx.run.misuse(loc, "%s is a second operation in autocommit: give Auto one operation, or use Txn", what)
	}
	if limit := tx.run.client.opts.MaxOps; tx.ops > limit {
		tx.run.unbounded(loc, fmt.Sprintf("transaction %q has more than %d operations", tx.name, limit))
	}
	return loc
}
