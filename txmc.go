// Package txmc is what client programs import: it declares programs whose
// sessions run transactions, for exploration by the txmc command.
//
// An Explore function declares variables, sessions and what must hold. The
// command
//
//	txmc explore ./app --iso=si
//
// runs every func Explore*(p *txmc.Program) of a package through every history
// that the isolation level allows, each once.
//
// Nothing is implemented here: the names below stand for those of the packages
// program and program/behaviour.
package txmc

import (
	"cmp"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"

	// Whatever can build a client program can then build the command's harness
	// too, also from a vendor directory.
	_ "github.com/txmc/txmc/explore/harness"
)

type (
	// Program collects the declarations of an Explore function.
	Program = program.Program
	// Session is one client: it runs transactions one after another.
	Session = program.Session
	// Tx is a transaction: Read and Write by key, or Get and Set of a Var.
	Tx = program.Tx
	// Var is a typed shared variable.
	Var[T any] = program.Var[T]
	// Outcome is a complete history as an invariant sees it.
	Outcome = program.Outcome
	// SessionOutcome is what one session did and observed.
	SessionOutcome = program.SessionOutcome
	// TxnOutcome is a transaction's fate, and the values it read and wrote.
	TxnOutcome = program.TxnOutcome
	// Access is a key and the value read from it or written to it.
	Access = program.Access
	// Observation is a value recorded by Session.Observe.
	Observation = program.Observation
	// AssertionError is a failed assertion.
	AssertionError = program.AssertionError
	// DBError is what a database's model fails an operation or a commit with.
	DBError = behaviour.DBError
	// ReadOption is an option of a read: a locking clause, or a limit.
	ReadOption = behaviour.ReadOption
	// Row is a row of a Table.
	Row[K, T any] = program.Row[K, T]
	// Column is a column of a Table with a constraint: Unique or References.
	Column[T any] = program.Column[T]
	// TxnOption is an option of Session.Txn and Session.Begin.
	TxnOption = program.TxnOption
)

// Table is a table: rows of type T with a primary key of type K.
type Table[K cmp.Ordered, T any] = program.Table[K, T]

// ErrTxDone is returned by Tx.Rollback after the transaction's end.
var ErrTxDone = program.ErrTxDone

// ErrNoRow is what Tx.Err returns after a read of a variable has skipped it, as it is locked.
var ErrNoRow = program.ErrNoRow

// The options of reads.
const (
	ForUpdate  = behaviour.ForUpdate  // SELECT … FOR UPDATE
	ForShare   = behaviour.ForShare   // SELECT … FOR SHARE
	NoWait     = behaviour.NoWait     // NOWAIT
	SkipLocked = behaviour.SkipLocked // SKIP LOCKED
)

// Limit is LIMIT n.
func Limit(n int) ReadOption { return behaviour.Limit(n) }

// The levels of databases, for At.
const (
	PgRC  = isolation.PgRC
	PgRR  = isolation.PgRR
	PgSer = isolation.PgSer

	InnoRC   = isolation.InnoRC
	InnoRR   = isolation.InnoRR
	InnoRRSI = isolation.InnoRRSI
	InnoSer  = isolation.InnoSer
	InnoRU   = isolation.InnoRU
)

// At chooses the level of a transaction under a database's model.
func At(level isolation.Level) TxnOption { return program.At(level) }

// ReadOnly is an option of a transaction that reads only: BEGIN READ ONLY.
func ReadOnly(tx *Tx) { program.ReadOnly(tx) }

// Deferrable is an option of a transaction of PostgreSQL that is ReadOnly and SERIALIZABLE.
func Deferrable(tx *Tx) { program.Deferrable(tx) }

// NewVar declares the shared variable key with its initial value.
func NewVar[T any](p *Program, key string, initial T) *Var[T] {
	return program.NewVar(p, key, initial)
}

// NewTable declares a table, with its unique columns and foreign keys.
func NewTable[K cmp.Ordered, T any](p *Program, name string, columns ...Column[T]) *Table[K, T] {
	return program.NewTable[K](p, name, columns...)
}

// Unique is a unique column: of returns its value in a row, nil for NULL.
func Unique[T any](name string, of func(T) any) Column[T] { return program.Unique(name, of) }

// References is a foreign key: of returns the key of the row of parent to which a row refers, nil for
// NULL.
func References[T any, K cmp.Ordered, P any](name string, of func(T) any, parent *Table[K, P]) Column[T] {
	return program.References(name, of, parent)
}

// Assert returns an [AssertionError] unless cond holds. The message is made of
// args as by fmt.Sprint.
func Assert(cond bool, args ...any) error { return program.Assert(cond, args...) }

// Assertf returns an [AssertionError] unless cond holds. The message is
// formatted as by fmt.Sprintf.
func Assertf(cond bool, format string, args ...any) error {
	return program.Assertf(cond, format, args...)
}
