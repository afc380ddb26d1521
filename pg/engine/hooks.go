// Hooks: what is asked of the one who keeps user tables, and told.
//
// PostgreSQL's executor, its constraints and its triggers run as they are. Every version of a row that
// the instance knows lies in its heap and its indexes, with a place (TID) that stays; no version is ever
// changed or removed. Which of them a statement sees, and whether it may write, is decided by Hooks.
// Versions come into the heap by the instance's own statements (Inserted) or from outside (Call.Insert).

package engine

import "fmt"

// OID is an object identifier of PostgreSQL.
type OID uint32

// firstUser is the first identifier of objects that users make.
const firstUser = 16384

// TID is a version's place in its table's heap: block, then position in it.
type TID uint64

// NoTID is no place.
const NoTID TID = 0

// String is the identifier as PostgreSQL writes it: (block,offset).
func (t TID) String() string { return fmt.Sprintf("(%d,%d)", uint32(t>>16), uint16(t)) }

// ViewKind says what a read of PostgreSQL's wants to see.
type ViewKind uint32

// The kinds of views, with PostgreSQL's numbers (utils/snapshot.h).
const (
	MVCC        ViewKind = 0 // what a statement sees: a snapshot
	Self        ViewKind = 1 // everything committed and own, with the running command's writes
	Any         ViewKind = 2 // every version; not asked
	Dirty       ViewKind = 4 // uniqueness checks: also what is not committed
	Historic    ViewKind = 5
	NonVacuumed ViewKind = 6
)

// View is a snapshot as PostgreSQL passes it to a read.
type View struct {
	Kind    ViewKind
	Number  uint32 // tells snapshots of an instance apart; 0 for those that are no snapshot of a statement
	Command uint32 // own writes of commands before this one are seen

	// Referential says that a foreign key is checked or its action done: what has been committed last is wanted.
	Referential bool
}

// Version is a version of a row that lies in the heap.
type Version struct {
	Table OID
	TID   TID
	addr  uint32 // of the tuple, while the call lasts
}

// Insertion is a version that came into the heap by a statement.
type Insertion struct {
	Table       OID
	TID         TID
	Replaces    TID    // the version that it updates; NoTID for an insert
	Command     uint32 // the command of the transaction that did it
	Speculative bool   // INSERT … ON CONFLICT, before the uniqueness checks; Withdrawn may follow
}

// Write is an update or a delete that a statement wants to do.
type Write struct {
	Table   OID
	TID     TID // the version that the statement saw
	Command uint32
	View    View // the statement's
	Delete  bool
	Moves   bool // of a delete: the row goes to another partition
	Cross   View // of Kind MVCC: a version that it does not see counts as Updated
}

// LockMode is the strength of a row lock.
type LockMode uint32

// The strengths of row locks, with PostgreSQL's numbers (nodes/lockoptions.h).
const (
	LockKeyShare LockMode = iota
	LockShare
	LockNoKeyUpdate
	LockUpdate
)

// WaitPolicy says what a statement does about a row that another transaction has locked.
type WaitPolicy uint32

// The wait policies, with PostgreSQL's numbers.
const (
	WaitBlock WaitPolicy = iota
	WaitSkip             // SKIP LOCKED
	WaitError            // NOWAIT
)

// Lock is a row lock that a statement wants.
type Lock struct {
	Table   OID
	TID     TID
	Command uint32
	View    View
	Mode    LockMode
	Wait    WaitPolicy
	Follow  bool // a newer version than the statement's may be locked and given instead
	Newer   bool // versions that a running update has made are locked as well
}

// Code is the result of a write or lock, PostgreSQL's TM_Result.
type Code uint32

// The results. Where an update or delete gets Updated, the statement locks the row's newest version (Lock
// with Follow) and evaluates its condition again (EvalPlanQual); at REPEATABLE READ and above PostgreSQL
// answers 40001 instead. A Write may answer OK, SelfModified, Updated and Deleted, a Lock all of them.
const (
	OK            Code = 0
	Invisible     Code = 1
	SelfModified  Code = 2 // by the command Result.Command of the same transaction
	Updated       Code = 3
	Deleted       Code = 4
	BeingModified Code = 5
	WouldBlock    Code = 6 // the row is left out with SKIP LOCKED; with NOWAIT the statement fails with 55P03
)

// Result is the answer to a write or lock.
type Result struct {
	Code    Code
	Newest  TID    // of a lock with code OK: the version that is locked; of Updated: the newest one
	Command uint32 // with SelfModified
	Key     bool   // with Updated: the update changes a key, so that the newest version is locked by LockUpdate
}

// Scan is a scan of a table that begins, or begins again with other keys.
type Scan struct {
	Table   OID
	Index   OID // the index that is used; 0: the whole table is read
	View    View
	Keys    []ScanKey // conditions that all rows of the scan satisfy
	ByTID   bool      // rows are fetched by their places only
	Between bool      // rows between two places are looked for
	Samples bool      // TABLESAMPLE
	// Sole: no other scan, subquery or function of a user's in the statement's plan looks at rows by the same
	// snapshot, which is the statement's own. Triggers and constraints may.
	Sole bool
	Once bool // the statement's plan looks at the table in this place only, and no function of a user's looks at any
	addr uint32
}

// ScanKey is a condition of a scan on a column of its index.
type ScanKey struct {
	Column   int    // position in the index, from 1; 0: on several columns at once
	Strategy uint16 // in a btree: 1 less, 2 less or equal, 3 equal, 4 greater or equal, 5 greater
	Flags    uint32 // PostgreSQL's SK_…; 0 for a plain comparison
	Value    Value  // what is compared with, for a plain comparison with a value of the column's type
	Null     bool   // IS NULL, or a comparison with null, which nothing satisfies
	addr     uint32
}

// End is how a transaction or a part of it ends.
type End int

// The ends. PreCommit comes before a commit and may still Raise.
const (
	Begin End = iota
	PreCommit
	Commit
	Abort
)

// Hooks keep user tables. Calls come on the goroutine that runs Exchange, in the middle of it. They may
// take as long as they like, switch coroutines, and end the statement with Call.Raise. They may use the Call,
// not the Instance.
//
// System catalogs, TOAST tables and sequences stay with PostgreSQL.
type Hooks interface {
	// Scan comes before a scan. Versions that the scan is to consider must be in the heap when it returns.
	Scan(c *Call, s Scan)
	// Visible reports whether a read with the view sees the version. In a view it must
	// say yes to at most one version of a row.
	Visible(c *Call, v Version, w View) bool
	// Inserted tells of a new version. It is in the heap and not in the indexes yet: uniqueness is checked
	// after it.
	Inserted(c *Call, i Insertion)
	// Withdrawn tells that a speculative insertion is taken back.
	Withdrawn(c *Call, table OID, t TID)
	// Write is asked before an update or delete. After OK an update's new version is told by Inserted. Until then
	// Call.Row of the version NoTID of the table is what the update makes of the row.
	Write(c *Call, w Write) Result
	// Lock is asked before a row is locked.
	Lock(c *Call, l Lock) Result
	// Truncated tells that a table is empty now, or has a new heap that is.
	Truncated(c *Call, table OID)
	// Transaction tells of the transaction's end.
	Transaction(c *Call, e End)
	// Subtransaction tells of the begin and the end of a savepoint or an exception block.
	Subtransaction(c *Call, e End, id, parent uint32)
}

// RefusalHooks are Hooks that are told where a server would do something else than what happens here.
type RefusalHooks interface {
	Hooks
	// Refuse is told why. The statement ends with an error after it, which the client may catch.
	Refuse(c *Call, why string)
}

// StatementHooks are Hooks that also learn of snapshots and statements.
type StatementHooks interface {
	Hooks
	// Snapshot tells that the server takes the snapshot of that number, which views carry. nested
	// is false where a statement of the client's begins or the transaction ends, and true inside
	// a statement. latest is true of a snapshot that is taken although the transaction has one of
	// its own.
	Snapshot(c *Call, number uint32, nested, latest bool)
	// Executes tells that a plan is about to be executed.
	Executes(c *Call)
	// Next is asked before a sequence gives its next number. set is the state to which another
	// session has set the sequence, nil for nothing. skip is how many numbers the sequence leaves
	// out after that: others have had them.
	Next(c *Call, sequence OID) (set *Setting, skip int)
	// Set tells that setval has set a sequence.
	Set(c *Call, sequence OID, to Setting)
	// Advise locks or unlocks an advisory lock, and reports whether it could: whether it was free, or was held.
	Advise(c *Call, a Advisory) bool
	// LockTable tells that a table, an index or a sequence is about to be locked, until the end of the transaction.
	// With try the statement may fail and not wait.
	LockTable(c *Call, relation OID, mode TableMode, try bool)
	// Utility tells that a statement which has no plan is about to run, by its command tag, such as COMMIT.
	Utility(c *Call, tag string)
}
