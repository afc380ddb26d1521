package program

import "fmt"

// Tx is a transaction of a session. It is valid from its beginning to its end,
// on the session's goroutine.
type Tx struct {
	run     *run
	name    string
	began   Loc
	ended   Loc
	done    bool
	managed bool // by Txn, which commits or aborts it
	ops     int
	own     []Write // its writes so far, the last one of each variable
}

// Read returns the value of key as this transaction sees it: its own last
// write, or one that the isolation level allows. A key that nobody wrote reads
// nil.
func (tx *Tx) Read(key string) any {
	tx.run.enter("Read")
	return tx.read(tx.run.client.variable(key))
}

// Write stores a copy of v under key; others see it when the transaction
// commits.
func (tx *Tx) Write(key string, v any) {
	tx.run.enter("Write")
	tx.write(tx.run.client.variable(key), v)
}

// Commit ends a transaction started with [Session.Begin] and makes its writes
// visible. The error is always nil; it is there so that code shaped for
// database/sql reads the same.
func (tx *Tx) Commit() error {
	r := tx.run
	r.enter("Commit")
	loc := r.client.caller()
	tx.usable(loc, "Commit")
	if tx.managed {
		tx.misuse(loc, "Commit inside the function given to Txn: return nil to commit")
	}
	r.commit(tx, loc)
	return nil
}

// Rollback ends a transaction started with [Session.Begin] without effect. After
// the transaction's end it returns [ErrTxDone], so that it may be deferred.
func (tx *Tx) Rollback() error {
	r := tx.run
	if tx.done || r.dead {
		return ErrTxDone
	}
	r.enter("Rollback")
	loc := r.client.caller()
	if tx.managed {
		tx.misuse(loc, "Rollback inside the function given to Txn: return an error to abort")
	}
	r.abort(tx, loc, "")
	return nil
}

// Name returns the transaction's name.
func (tx *Tx) Name() string { return tx.name }

func (tx *Tx) read(x VarID) any {
	r := tx.run
	r.enter("Get")
	loc := r.client.caller()
	tx.usable(loc, "Read")
	tx.count(loc)
	for _, w := range tx.own {
		if w.Var == x {
			r.events = append(r.events, Event{Kind: OwnReadEvent, Var: x, Val: w.Val, Loc: loc})
			return r.client.values.get(w.Val)
		}
	}
	return r.client.values.get(r.await(x, loc))
}

func (tx *Tx) write(x VarID, v any) {
	r := tx.run
	r.enter("Set")
	loc := r.client.caller()
	tx.usable(loc, "Write")
	tx.count(loc)
	val, err := r.client.values.intern(v)
	if err != nil {
		tx.misuse(loc, "write of %q: the value cannot be stored: %v", r.client.Key(x), err)
	}
	r.events = append(r.events, Event{Kind: WriteEvent, Var: x, Val: val, Loc: loc})
	for i, w := range tx.own {
		if w.Var == x {
			tx.own[i].Val = val
			return
		}
	}
	tx.own = append(tx.own, Write{x, val})
}

func (tx *Tx) usable(loc Loc, what string) {
	if tx.done {
		tx.misuse(loc, "%s after the end of transaction %q (begun at %s, ended at %s): use a Tx only between its Begin and its end",
			what, tx.name, tx.run.client.Location(tx.began), tx.run.client.Location(tx.ended))
	}
}

func (tx *Tx) count(loc Loc) {
	tx.ops++
	if limit := tx.run.client.opts.MaxOps; tx.ops > limit {
		tx.run.unbounded(loc, fmt.Sprintf("transaction %q has more than %d operations", tx.name, limit))
	}
}

func (tx *Tx) misuse(loc Loc, format string, args ...any) { tx.run.misuse(loc, format, args...) }
