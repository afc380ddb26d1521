package program

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc/program/behaviour"
)

// Database mode: a client whose transactions run on a model of a database's own
// concurrency control. A variable is a row of one table, which always exists; every
// operation of a transaction is a statement, and waits for the database's answer:
//
//	Get           SELECT value FROM t WHERE key = …            a value
//	GetForUpdate  SELECT value FROM t WHERE key = … FOR UPDATE  a value
//	Set           UPDATE t SET value = … WHERE key = …          Done
//	Update        UPDATE t SET value = f(value) WHERE key = … AND f accepts value
//	Commit        COMMIT                                        Done
//
// and each may be answered by an error instead. Update is two points of the tree: Find
// asks for the value that the statement finds, Change brings what the function makes of
// it. When the row changes before the statement can, it judges the newest version
// (EvalPlanQual in PostgreSQL): then the session goes on as if Find had found that. The
// value that the function made of the older one leaves no trace, as on a server.

// TxnOption is an option of [Session.Txn] and [Session.Begin].
type TxnOption func(*Tx)

// At chooses the level of the transaction, as BEGIN ISOLATION LEVEL does. It counts
// under a database's model; an axiomatic level holds for all transactions.
func At(level fmt.Stringer) TxnOption {
	return func(tx *Tx) { tx.level = level.String() }
}

// ReadOnly makes the transaction READ ONLY. An operation that writes fails, with 25006 of
// PostgreSQL and axiomatic levels, or 1792 of InnoDB. The transaction then goes on.
// [behaviour.ForUpdate] fails too, and so does [behaviour.ForShare] in PostgreSQL. At SERIALIZABLE, PostgreSQL
// gives a READ ONLY transaction fewer reasons to fail.
func ReadOnly(tx *Tx) { tx.mode.ReadOnly = true }

// Deferrable makes the transaction DEFERRABLE. In PostgreSQL a SERIALIZABLE and
// [ReadOnly] transaction then waits before its first statement until it cannot fail any
// more.
func Deferrable(tx *Tx) { tx.mode.Deferrable = true }

// Database returns a client of the same program in database mode. The two share
// nothing.
func (c *Client) Database() (*Client, error) { return c.DatabaseAt("") }

// DatabaseAt is Database. Transactions of a [Backend] that ask for no level have the
// given one, by the name that the levels of the database have.
func (c *Client) DatabaseAt(level string) (*Client, error) {
	opts := c.opts
	opts.Database, opts.Level = true, level
	return c.similar(opts, nil)
}

// DatabaseWith is DatabaseAt, with levels of transactions by their names in place of what
// they ask for: see Options.Levels.
func (c *Client) DatabaseWith(level string, levels map[string]string) (*Client, error) {
	opts := c.opts
	opts.Database, opts.Level, opts.Levels = true, level, levels
	return c.similar(opts, nil)
}

// Variables returns the number of variables that are known so far.
func (c *Client) Variables() int {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return len(c.keys)
}

// Err returns the error of the database that the transaction has met, a [*behaviour.DBError],
// or nil. From then on the transaction is in error, as in PostgreSQL: reads return
// zero values, writes do nothing, and it can only end, or go back to a savepoint. Commit
// and the Txn around it return the error, whatever else the function given to Txn
// returns; that function should return soon, for what it computes from zero values has
// no meaning. A panic or a failed assertion in it, after the error, does not count.
//
// Some errors of InnoDB undo the statement alone: a duplicate key (1062), a foreign key (1451
// and 1452), a write in a READ ONLY transaction (1792) and NOWAIT (1205). Then the transaction
// is not in error, and goes on. Err returns such an error, or [ErrNoRow], until the next
// operation. Under axiomatic levels the errors are 23505, 23503 and 25006.
func (tx *Tx) Err() error {
	tx.valid("Err")
	if tx.failed == nil {
		return tx.last
	}
	return tx.failed
}

// afterError leaves a function given to Txn that asserts something after an error of
// the database.
type afterError struct{}

// onDatabase reports whether the transaction's operations are answered by a
// database.
func (tx *Tx) onDatabase() bool {
	return tx.run.client.opts.Database && tx.run.store == nil && !tx.apart
}

// refuses reports whether the transaction is in error, and makes one of the writes of a
// READ ONLY one at an axiomatic level.
func (tx *Tx) refuses() bool {
	if tx.failed == nil && tx.mode.ReadOnly {
		tx.meet(behaviour.ErrorWith("25006"))
	}
	return tx.failed != nil
}

// statement asks the database. It reports false when the transaction is in error.
func (tx *Tx) statement(n *behaviour.Node) (answer behaviour.ValueID, ok bool) {
	if tx.failed != nil {
		return 0, false
	}
	n.Txn, n.Level, n.Auto, n.Mode = int32(tx.index), tx.level, tx.auto, tx.mode
	answer = tx.run.ask(n)
	if err := behaviour.ErrorOf(answer); err != nil {
		tx.meet(err)
		return 0, false
	}
	return answer, true
}

// meet notes an error of an operation.
func (tx *Tx) meet(err *behaviour.DBError) {
	if err.GoesOn() {
		tx.last = err
	} else {
		tx.failed = err
	}
}

// query is Get, GetForUpdate and their likes; nil when the transaction is in error.
func (tx *Tx) query(x behaviour.VarID, how behaviour.ReadOption, loc behaviour.Loc) any {
	v, ok := tx.statement(&behaviour.Node{Kind: behaviour.Read, Operation: behaviour.Operation{Var: x, Lock: how.Locks(), How: how}, Loc: loc})
	if !ok {
		return nil
	}
	if v == behaviour.NoRow {
		tx.last = ErrNoRow
		return nil
	}
	return tx.run.client.values.Get(v)
}

// set is UPDATE of a row to a value that does not depend on it.
func (tx *Tx) set(x behaviour.VarID, val behaviour.ValueID, loc behaviour.Loc) {
	if _, ok := tx.statement(&behaviour.Node{Kind: behaviour.Set, Operation: behaviour.Operation{Var: x, Val: val}, Loc: loc}); ok {
		tx.keep(x, val)
	}
}

// update is UPDATE of a row by a function, which gets what the statement finds.
func (tx *Tx) update(x behaviour.VarID, f func(old any) (any, bool), loc behaviour.Loc) (changed bool) {
	found, ok := tx.statement(&behaviour.Node{Kind: behaviour.Find, Operation: behaviour.Operation{Var: x}, Loc: loc})
	if !ok {
		return false
	}
	n := &behaviour.Node{Kind: behaviour.Change, Operation: behaviour.Operation{Var: x}, Loc: loc, OnDatabase: behaviour.OnDatabase{Joins: true}}
	var value any
	if value, n.Matches = f(tx.run.client.values.Get(found)); n.Matches {
		n.Val = tx.intern(x, value, loc)
	}
	answer, ok := tx.statement(n)
	if !ok || answer == behaviour.NoRow {
		return false
	}
	tx.keep(x, n.Val)
	return true
}

// ErrNoRow is the error of a transaction, by [Tx.Err], after a read of a variable that
// skips locked rows has found it locked.
var ErrNoRow = errors.New("txmc: no row: it is locked, and the read skips locked rows")

func together(options []behaviour.ReadOption) (o behaviour.ReadOption) {
	for _, x := range options {
		o |= x
	}
	return o
}
