package program

import "fmt"

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
// and each may be answered by an error instead. Update is two points of the tree:
// Find asks for the value that the statement finds, Change brings what the function
// makes of it. When the row changes before the statement can, it judges the newest
// version (EvalPlanQual in PostgreSQL): then the session goes on as if Find had
// found that. What the function made of the older value leaves no trace, as it leaves
// none in a server.

// Done is the answer of an operation that has succeeded and returns no value.
const Done ValueID = -1

// sqlstates are the errors that an operation may return.
var sqlstates = [...]struct{ code, message string }{
	{"40001", "could not serialize access"},
	{"40P01", "deadlock detected"},
	{"55P03", "could not obtain lock"},
	{"25P02", "current transaction is aborted"},
}

// Failed is the answer that stands for the error of that SQLSTATE. It reports false
// when no operation of a client program can return it.
func Failed(sqlstate string) (ValueID, bool) {
	for i, s := range sqlstates {
		if s.code == sqlstate {
			return Done - 1 - ValueID(i), true
		}
	}
	return 0, false
}

// ErrorOf is the error that an answer stands for, nil for values and Done.
func ErrorOf(answer ValueID) *DBError {
	if answer >= Done || int(Done-1-answer) >= len(sqlstates) {
		return nil
	}
	s := &sqlstates[Done-1-answer]
	return &DBError{SQLSTATE: s.code, Message: s.message}
}

// DBError is an error of the database: what the driver of a real one returns. The
// transaction in which an operation got it is in error: see [Tx.Err].
type DBError struct {
	SQLSTATE string // such as 40001, as in PostgreSQL's documentation, appendix A
	Message  string
}

// Error returns the message and the SQLSTATE.
func (e *DBError) Error() string {
	return fmt.Sprintf("%s (SQLSTATE %s)", e.Message, e.SQLSTATE)
}

// TxnOption is an option of [Session.Txn] and [Session.Begin].
type TxnOption func(*Tx)

// At chooses the level of the transaction, as BEGIN ISOLATION LEVEL does. It counts
// under a database's model; an axiomatic level holds for all transactions.
func At(level fmt.Stringer) TxnOption {
	return func(tx *Tx) { tx.level = level.String() }
}

// Database returns a client of the same program in database mode. The two share
// nothing.
func (c *Client) Database() (*Client, error) {
	opts := c.opts
	opts.Database = true
	return NewClient(c.Name, c.explore, opts)
}

// Variables returns the number of variables that are known so far.
func (c *Client) Variables() int {
	c.varMu.RLock()
	defer c.varMu.RUnlock()
	return len(c.keys)
}

// Err returns the error of the database that the transaction has met, a [*DBError],
// or nil. From then on the transaction is in error, as in PostgreSQL: reads return
// zero values, writes do nothing, and it can only end. Commit and the Txn around it
// return the error, whatever else the function given to Txn returns; that function
// should return soon, for what it computes from zero values has no meaning. A panic
// or a failed assertion in it, after the error, does not count. Under axiomatic
// levels operations never fail.
func (tx *Tx) Err() error {
	tx.valid("Err")
	if tx.failed == nil {
		return nil
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

// statement asks the database. It reports false when the transaction is in error.
func (tx *Tx) statement(n *Node) (answer ValueID, ok bool) {
	if tx.failed != nil {
		return 0, false
	}
	n.Txn, n.Level = int32(tx.index), tx.level
	answer = tx.run.ask(n)
	if err := ErrorOf(answer); err != nil {
		tx.failed = err
		return 0, false
	}
	return answer, true
}

// query is Get, GetForUpdate and their likes; nil when the transaction is in error.
func (tx *Tx) query(x VarID, lock bool, loc Loc) any {
	v, ok := tx.statement(&Node{Kind: Read, Var: x, Lock: lock, Loc: loc})
	if !ok {
		return nil
	}
	return tx.run.client.values.get(v)
}

// set is UPDATE of a row to a value that does not depend on it.
func (tx *Tx) set(x VarID, val ValueID, loc Loc) {
	if _, ok := tx.statement(&Node{Kind: Set, Var: x, Val: val, Loc: loc}); ok {
		tx.keep(x, val)
	}
}

// update is UPDATE of a row by a function, which gets what the statement finds.
func (tx *Tx) update(x VarID, f func(old any) (any, bool), loc Loc) (changed bool) {
	found, ok := tx.statement(&Node{Kind: Find, Var: x, Loc: loc})
	if !ok {
		return false
	}
	n := &Node{Kind: Change, Var: x, Loc: loc}
	var value any
	if value, n.Matches = f(tx.run.client.values.get(found)); n.Matches {
		n.Val = tx.intern(x, value, loc)
	}
	if _, ok = tx.statement(n); !ok {
		return false
	}
	if n.Matches {
		tx.keep(x, n.Val)
	}
	return n.Matches
}
