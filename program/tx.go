package program

import "fmt"

// Tx is a transaction of a session. It is valid from its beginning to its end,
// on the session's goroutine.
type Tx struct {
	run     *run
	name    string
	index   int // in its session
	began   Loc
	ended   Loc
	done    bool
	managed bool // by Txn, which commits or aborts it
	apart   bool // left out: it reads initial values, and nothing of it is recorded
	ops     int
	own     []Write // its writes so far, the last one of each variable
}

// Read returns the value of key as this transaction sees it: its own last
// write, or one that the isolation level allows. A key that nobody wrote reads
// nil.
func (tx *Tx) Read(key string) any {
	loc := tx.operation("Read")
	return tx.read(tx.run.client.variable(key), loc)
}

// Write stores a copy of v under key; others see it when the transaction
// commits.
func (tx *Tx) Write(key string, v any) {
	loc := tx.operation("Write")
	tx.write(tx.run.client.variable(key), v, loc)
}

// Commit ends a transaction started with [Session.Begin] and makes its writes
// visible. The error is always nil; it is there so that code shaped for
// database/sql reads the same.
func (tx *Tx) Commit() error {
	loc := tx.enter("Commit")
	if tx.managed {
		tx.run.misuse(loc, "Commit inside the function given to Txn: return nil to commit")
	}
	tx.run.commit(tx, loc)
	return nil
}

// Rollback ends a transaction started with [Session.Begin] without effect. After
// the transaction's end it returns [ErrTxDone], so that it may be deferred.
func (tx *Tx) Rollback() error {
	r := tx.valid("Rollback")
	if !r.own() {
		r.strayed("Rollback")
	}
	if tx.done || r.dead {
		return ErrTxDone
	}
	loc := r.client.caller()
	if tx.managed {
		r.misuse(loc, "Rollback inside the function given to Txn: return an error to abort")
	}
	r.abort(tx, loc, "")
	return nil
}

// Name returns the transaction's name.
func (tx *Tx) Name() string { return tx.name }

func (tx *Tx) read(x VarID, loc Loc) any {
	r := tx.run
	for _, w := range tx.own {
		if w.Var != x {
			continue
		}
		if !tx.apart {
			r.events = append(r.events, Event{Kind: OwnReadEvent, Var: x, Val: w.Val, Loc: loc})
		}
		return r.client.values.get(w.Val)
	}
	if tx.apart {
		return r.client.values.get(r.client.Initial(x))
	}
	return r.client.values.get(r.await(x, loc))
}

func (tx *Tx) write(x VarID, v any, loc Loc) {
	r := tx.run
	val, err := r.client.values.intern(v)
	if err != nil {
		r.misuse(loc, "write of %q: the value cannot be stored: %v", r.client.Key(x), err)
	}
	if !tx.apart {
		r.events = append(r.events, Event{Kind: WriteEvent, Var: x, Val: val, Loc: loc})
	}
	for i, w := range tx.own {
		if w.Var == x {
			tx.own[i].Val = val
			return
		}
	}
	tx.own = append(tx.own, Write{x, val})
}

func (tx *Tx) valid(what string) *run {
	if tx == nil || tx.run == nil {
		panic("txmc: " + what + " on a Tx that txmc did not make")
	}
	return tx.run
}

// enter guards the calls that need an open transaction and returns where the
// user made this one.
func (tx *Tx) enter(what string) Loc {
	r := tx.valid(what)
	r.enter(what)
	loc := r.client.caller()
	if tx.done {
		r.misuse(loc, "%s after the end of transaction %q (begun at %s, ended at %s): use a Tx only between its beginning and its end",
			what, tx.name, place(r.client.Location(tx.began)), place(r.client.Location(tx.ended)))
	}
	return loc
}

// operation is enter for reads and writes, which are counted.
func (tx *Tx) operation(what string) Loc {
	loc := tx.enter(what)
	tx.ops++
	if limit := tx.run.client.opts.MaxOps; tx.ops > limit {
		tx.run.unbounded(loc, fmt.Sprintf("transaction %q has more than %d operations", tx.name, limit))
	}
	return loc
}
