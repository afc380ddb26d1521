// Package model has what the models of databases share, so that one engine explores
// programs on each of them.
//
// A model is a database as a transition system over integers: it knows no Go value
// of users and no SQL text. A step is one statement, COMMIT or ROLLBACK of one
// session, with all that it releases and that goes on until it returns or waits
// again. What only timing decides is a choice as well. States are copied, not
// undone; a Keyer tells states that have the same future.
package model

import "github.com/txmc/txmc/program/access"

// ChoiceKind is the kind of a choice.
type ChoiceKind uint8

// The kinds of choices. All but the first are left to time alone.
const (
	RunSession ChoiceKind = iota // session N does its next action
	RunTask                      // the woken statement N goes on
	FailVictim                   // waiting session N is the victim of a deadlock
	RunPurge                     // InnoDB: purge removes the deleted records of one transaction
	TimeOut                      // the wait of session N for a lock ends with an error, by a time limit
)

// Choice is one way in which a state can go on.
type Choice struct {
	Kind ChoiceKind
	N    int8
}

// Key stands for a state. Equal keys are equal futures, but for collisions of a
// hash of 128 bits.
type Key [2]uint64

// Level is a level of a database, by the number that the database's package gives it.
type Level uint8

// Transaction is what BEGIN says of a transaction.
type Transaction struct {
	Level      Level
	Auto       bool // in autocommit: it ends with its statement
	ReadOnly   bool
	Deferrable bool // of PostgreSQL, where it is READ ONLY and SERIALIZABLE
}

// ReplyKind is the kind of a reply.
type ReplyKind uint8

// The kinds of replies.
const (
	Waits    ReplyKind = iota // Resolve gives the reply
	Done                      // the statement has ended
	Value                     // it has ended, or Find has, with a value
	Again                     // the row has changed: the client makes something of this value, and calls Change
	NoRow                     // it has ended, and has found or changed no row
	Rows                      // it has ended, with rows
	Count                     // it has ended, and Value rows have changed
	Failure                   // the statement or COMMIT has failed
	Answered                  // a request of an executor has an answer
	Begins                    // the session has its snapshot, and its statement is to be called again
	Pauses                    // others may run before the request goes on: it is to be called again
)

// Reply is what a statement replies.
type Reply struct {
	Kind  ReplyKind
	Value int32
	Rows  []Item        // of Rows; it is not changed
	Code  string        // of Failure: PostgreSQL's SQLSTATE, or MySQL's error number
	Found access.Answer // of Answered
}

// Database is a database with the rows of a program. In table 0 rows are variables: every
// row exists from the beginning, none is deleted and no key changes; its statements have
// the key in the WHERE clause. In the others, rows come and go. A row is a number, by
// which the client calls its key. Values are numbers that mean something to the client
// only. The client evaluates what an UPDATE makes of a value. Of a variable, Find gives
// the client the value that the statement finds, and Change takes the value that the
// client makes of it. Of other rows, a Client is asked.
type Database interface {
	// Empty is what CopyFrom makes a copy of.
	Empty() Database
	// CopyFrom makes this a copy of another one of the same tables.
	CopyFrom(Database)
	// Load makes the next row known. If it exists, it was committed before all
	// transactions.
	Load(r Row, exists bool)
	// Len is the number of rows that are known.
	Len() int

	// Begin begins a transaction of the session. BEGIN is no step: it takes neither
	// snapshot nor lock.
	Begin(sess int, t Transaction)
	// Open reports whether the session has a transaction, and InError whether an
	// error has ended it before its ROLLBACK.
	Open(sess int) bool
	InError(sess int) bool
	// Blocked reports whether the session's statement waits, and WaitsFor for whom:
	// a bit for each session.
	Blocked(sess int) bool
	WaitsFor(sess int) uint64

	// Get is SELECT, and GetLocked SELECT … FOR UPDATE or FOR SHARE.
	Get(sess, x int) Reply
	GetLocked(sess, x int, l Lock) Reply
	// Set is UPDATE to a value that does not depend on the row.
	Set(sess, x int, value int32) Reply
	// Find begins an UPDATE that depends on the row. Change goes on with it: it takes
	// what the client makes of the value, a new one, or nothing when the condition
	// does not hold of it.
	Find(sess, x int) Reply
	Change(sess int, value int32, matches bool) Reply
	// Run is a statement on a table.
	Run(sess int, q *Query, c Client) Reply
	// Savepoint opens a savepoint, RollbackTo undoes what came after the one at that
	// depth, from 1, and keeps it, Release forgets it and those behind it.
	Savepoint(sess int) Reply
	RollbackTo(sess, depth int) Reply
	Release(sess, depth int) Reply
	// Commit and Rollback end the session's transaction.
	Commit(sess int) Reply
	Rollback(sess int)

	// Pending appends the choices that the last step has left open, and Resolve takes
	// one of them. The session's statement has gone on and replies; none has if sess
	// is negative.
	Pending(to []Choice) []Choice
	Resolve(choice Choice, c Client) (sess int, reply Reply)

	// Committed is the value of a row that all committed transactions have left; false
	// if there is no such row.
	Committed(x int) (value int32, exists bool)
	// NewKeyer makes what computes keys.
	NewKeyer() Keyer
	// Check returns the first invariant that does not hold.
	Check() error
}

// Storage is a Database whose statements the executor of a server evaluates: it asks for
// what storage does.
type Storage interface {
	Database
	// Serve is a request of the session's executor. It begins a transaction if none is open.
	Serve(sess int, q *access.Request) Reply
	// Leave ends the session: it holds no lock of its own any more.
	Leave(sess int)
	// Sessions is the number of the server's sessions. Grow makes them so many, at least: a
	// client has opened another connection.
	Sessions() int
	Grow(sessions int)
	// Tables is the number of the executor's tables, and Left lists the contents that one
	// is left with, ascending.
	Tables() int
	Left(table int) []int32
}

// Stepwise is a Storage whose statements are not one step: others may run before a request.
type Stepwise interface {
	Storage
	// Apart reports whether the session's next request, in the middle of a statement, may
	// meet what other sessions do.
	Apart(sess int, q *access.Request) bool
	// Holds reports whether the session's transaction has what others can meet.
	Holds(sess int) bool
	// Woken reports whether the session's request has waited and is to look again: a RunTask.
	// Of -1, whether the end of a transaction has yet to count.
	Woken(sess int) bool
	// Paused reports whether the session is inside a request whose reply was Pauses.
	Paused(sess int) bool
	// Pause says that others may run before the session's statement goes on.
	Pause(sess int)
}

// Expiring is a Storage whose requests may wait with a time limit: TimeOut is a choice
// whenever nothing else is pending.
type Expiring interface {
	// Expires reports whether the session's request waits and has a time limit.
	Expires(sess int) bool
}

// Summed is a Storage that sums up what its tables are left with: a key stands for the
// contents of a table, whatever their order.
type Summed interface{ LeftKey(table int) Key }

// Keyer computes keys of states of one database. One goroutine may use it at a time.
type Keyer interface {
	// Key is the key of a state with some numbers of the client's.
	Key(d Database, more []uint64) Key
}

// Lock is a locking clause of SELECT.
type Lock struct {
	Share bool // FOR SHARE, else FOR UPDATE
	Wait  Wait
}

// Wait is what a locking clause does where it would wait.
type Wait uint8

// The policies.
const (
	ForLock Wait = iota // it waits
	NoWait              // NOWAIT: the statement fails
	Skip                // SKIP LOCKED: the row is left out
)

// Table is what a table has beside its key and its value: unique columns, and foreign keys
// without actions.
type Table struct {
	Unique int
	// Parents are the tables to whose keys the foreign keys refer, by number.
	Parents []int
}

// Entry is the value of a unique column, or the row that a foreign key refers to. Equal
// values have equal IDs, and Order orders them. The ID 0 is null; that of a row is one more
// than its number, and it has the row's Order.
type Entry struct {
	ID    int32
	Order int
}

// Row is a row of a table. Order orders the rows of a table by their keys.
type Row struct {
	Table   int
	Order   int
	Columns []Entry // the unique columns, then the foreign keys; never changed
	Value   int32
}

// Item is a row that a statement returns, by its number, with its value.
type Item struct{ X, Value int32 }

// Verb is what a statement does with rows.
type Verb uint8

// The verbs.
const (
	Select Verb = iota
	Update
	Delete
	Insert
)

// Conflict is what an INSERT does where the row, or another one with its unique values,
// exists.
type Conflict uint8

// The conflict clauses.
const (
	Fail    Conflict = iota
	Ignore           // ON CONFLICT DO NOTHING, INSERT IGNORE
	Replace          // ON CONFLICT DO UPDATE, ON DUPLICATE KEY UPDATE
)

// Query is a statement on a table. It is never changed.
type Query struct {
	Verb     Verb
	Table    int
	X        int      // the row, by its key; -1: all rows of the table are looked at
	Judged   bool     // the client says which of them are meant
	Locks    bool     // SELECT: with a locking clause
	Lock     Lock     // which is this one
	Limit    int      // SELECT: at most so many rows; 0: all
	Row      Row      // INSERT: the row of that number
	Conflict Conflict // INSERT
}

// Client evaluates the expressions of the statements of sessions.
type Client interface {
	// Judge says what the session's statement makes of a row with a value.
	Judge(sess, x int, value int32) Verdict
}

// Verdict is what a statement makes of a row: whether it is meant, and of UPDATE, its
// new contents.
type Verdict struct {
	Matches bool
	Value   int32
	Columns []Entry // as of Row
}
