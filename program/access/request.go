package access

import (
	"math"
	"slices"
	"sync"
)

// Kind is what a request asks for.
type Kind uint8

// The kinds of requests.
const (
	Nothing    Kind = iota // only the snapshot, if Snap is set
	ScanTable              // the versions of the table that the view sees
	ScanKey                // those with a key in a unique index
	ScanIndex              // those that Match; at SERIALIZABLE all that Match, to be met one by one
	Meet                   // whether the view sees the version that a scan of an index comes upon
	See                    // whether the view sees the version
	Insert                 // puts a row into the table and its indexes
	Enter                  // puts a version that Update has made into the indexes
	Update                 // replaces the version by a row
	Delete                 // deletes the version
	Lock                   // locks the version
	Probe                  // looks for a row with the key, whoever has written it
	Withdraw               // takes back what Insert has just inserted
	Recheck                // looks for another row with the version's key in the unique index, whoever has written it
	Truncate               // empties the table, which Locks have locked exclusively
	Next                   // takes a number of the sequence: how many have been taken before
	Renumber               // sets the sequence, from which numbers are counted anew
	LockTables             // only Locks
	Advise                 // takes the advisory lock
	Unadvise               // gives it up
	Save                   // opens a savepoint
	Release                // closes the savepoint of that depth and those in it
	Back                   // undoes the savepoint of that depth and those in it, and closes them
)

var kinds = [...]string{"take a snapshot", "scan a table", "look up a key", "scan an index", "meet a version", "look at a version",
	"insert", "enter the indexes", "update", "delete", "lock", "look for a conflict", "take an insert back", "check a key again", "empty a table", "take a number", "set a sequence", "lock a table", "take an advisory lock", "give up an advisory lock", "open a savepoint", "release a savepoint", "undo a savepoint",
	"read a range", "open a cursor", "go to the next row", "insert a row", "write a row", "end the statement", "give a number back"}

// String names the kind.
func (k Kind) String() string { return kinds[k] }

// changing are the requests that change rows.
var changing = map[Kind]bool{Insert: true, Update: true, Delete: true, Truncate: true, Put: true, Write: true}

// Changes reports whether the request changes rows.
func (q *Request) Changes() bool { return changing[q.Kind] }

// Request is what an executor asks. It is not changed after it has been asked.
type Request struct {
	Kind Kind
	Asker
	Target
	Row Row // Insert, Update, Probe, Put, Write
	Condition
	Moves    bool   // Delete: the row goes to another table
	Arbiters uint32 // Insert: the indexes whose duplicates are not waited for, a bit for each
	Depth    int    // Release, Back: from 1
	Locking
	AdvisoryLock
	Numbering
	InTrees
}

// Target is what a request is about.
type Target struct {
	Table   uint8 // number of the table
	Index   uint8 // number of the index in its table
	Version int32 // name of the version
}

// Condition says which contents a ScanIndex can come upon.
type Condition struct {
	Match func(value int32) bool
	Text  string // tells conditions apart
	Once  bool   // the statement's plan looks at the table in this place only
}

// Asker is the transaction and the statement that ask, and the view that they have.
type Asker struct {
	// Snap: a snapshot is taken first, and is the next view of the statement. Latest: it is new although the
	// transaction has one of its own.
	Snap, Latest bool
	First        bool  // of its transaction: the names of versions begin anew
	Begins       bool  // a statement: the views begin anew
	Keeps        bool  // the views of earlier statements of the transaction stay, for cursors
	Level        uint8 // of the transaction: 0 is READ COMMITTED, 1 REPEATABLE READ, 2 SERIALIZABLE
	ReadOnly     bool  // the transaction
	Deferrable   bool  // the transaction: it is SERIALIZABLE and READ ONLY
	Command      int32 // number of the command in the transaction
	View         int32 // of the statement, from 0
}

// Locking says what is locked, and how it waits.
type Locking struct {
	// Locks are taken first, on tables that the statement uses.
	Locks  []TableLock
	Mode   uint8 // Lock: 0 FOR KEY SHARE, 1 FOR SHARE, 2 FOR NO KEY UPDATE, 3 FOR UPDATE
	NoWait bool  // Lock, LockTables, Advise: answer WouldBlock instead of waiting
	Last   bool  // Lock: follow the chain of updates to the newest version
	Newer  bool  // Lock: lock newer versions too
	// Expires: the request's wait for a lock may end with an error, by a time limit; Whole: that
	// is the whole statement's. Hasty: it ends at once.
	Expires, Whole, Hasty bool
}

func (l *Locking) same(o *Locking) bool {
	return slices.Equal(l.Locks, o.Locks) && l.Mode == o.Mode && l.NoWait == o.NoWait && l.Last == o.Last && l.Newer == o.Newer &&
		l.Expires == o.Expires && l.Whole == o.Whole && l.Hasty == o.Hasty
}

// AdvisoryLock is an advisory lock, of Advise and Unadvise.
type AdvisoryLock struct {
	Advisory int32 // its key; 0 of Unadvise: all of the session's own
	Shared   bool  // not exclusive
	Owned    bool  // Advise: by the transaction, not the session
}

// Numbering says which numbers of a sequence are asked for, of Next, Renumber and Restock.
type Numbering struct {
	Sequence int   // number of the sequence
	Floor    int32 // Next: the number is given by the executor, and later ones are more. Renumber, of a Heap: how the sequence is set
	Many     int32 // Next, Restock: so many numbers
	Bulk     bool  // Next: the statement does not know how many it needs, and keeps the sequence to itself until it ends
}

// InTrees is what only a storage of Trees is asked.
type InTrees struct {
	Range  *Range    // Read, Open
	Cursor int32     // Step: number of the cursor in the statement, from 0
	Judged Judgement // Step: what the executor makes of the row before
	Key    []int     // Write: the row, by its columns of the clustered index
	Gone   bool      // Write: the row is deleted
	Update bool      // Put: rows with the same keys are locked exclusively, as they are to be updated
	// Unchecked: Put, Write: foreign keys are not checked.
	Unchecked bool
}

func (t *InTrees) same(o *InTrees) bool {
	return t.Range.same(o.Range) && t.Cursor == o.Cursor && t.Judged == o.Judged && equal(t.Key, o.Key) && t.Gone == o.Gone && t.Update == o.Update && t.Unchecked == o.Unchecked
}

// TableLock is a lock on a table.
type TableLock struct {
	Table uint8
	Mode  uint8 // as PostgreSQL numbers them: 1 is ACCESS SHARE, 8 ACCESS EXCLUSIVE
	Depth uint8 // of open savepoints when it was taken
}

// Absent is the key of a row that an index with a condition leaves out.
const Absent int32 = math.MinInt32

// Row is a row as a model of storage has it.
type Row struct {
	Keys    []int32 // the key in each index; 0 is null, and in an index that is not unique; Absent where it is not in the index
	Indexed int32   // stands for the values of all columns that an index has
	Value   int32   // stands for the whole content
	Columns []int   // of a storage of Trees: the columns that some index has, as numbers in the order of their values; Null is null
}

// Null is the null of a column. It is less than all values.
const Null = math.MinInt

func (r Row) same(o Row) bool {
	if !equal(r.Columns, o.Columns) || len(r.Keys) != len(o.Keys) || r.Indexed != o.Indexed || r.Value != o.Value {
		return false
	}
	for i, k := range r.Keys {
		if k != o.Keys[i] {
			return false
		}
	}
	return true
}

// Same reports whether both ask for the same.
func (r *Request) Same(o *Request) bool {
	if r == nil || o == nil {
		return r == o
	}
	return r.Kind == o.Kind && r.Asker == o.Asker && r.Table == o.Table && r.Index == o.Index && r.Version == o.Version && r.Row.same(o.Row) &&
		r.Text == o.Text && r.Once == o.Once && r.Moves == o.Moves && r.Arbiters == o.Arbiters && r.Depth == o.Depth && r.Locking.same(&o.Locking) &&
		r.AdvisoryLock == o.AdvisoryLock && r.Numbering == o.Numbering && r.InTrees.same(&o.InTrees)
}

// Table is a table of a database.
type Table struct {
	Name     string
	Indexes  int    // in the order in which they were created, at most 32
	Deferred uint32 // the unique indexes that are checked by a Recheck, not by Insert and Enter; a bit for each
	Keys     uint32 // the indexes whose keys others can refer to: an update of one locks as a delete does; a bit for each
	// For a storage of Trees:
	Trees   []Tree // the first one is the clustered index
	Columns int    // of a Row
	Hidden  bool   // the clustered index has the first column only, whose values the storage gives
}

// Initial is a row that is there before all transactions.
type Initial struct {
	Table uint8
	Row   Row
}

// Database is the storage of a program before any session.
type Database struct {
	Engine     Engine
	Product    Product // of a storage of Trees: whose locks it has
	Tables     []Table
	References []Reference // of a storage of Trees
	Rows       []Initial   // in physical order
	// Sequences is their number. A sequence gives a number once, whatever becomes of the transaction.
	Sequences int
	// Describe is the content that a number stands for, for reports, and Known reports
	// whether it stands for one.
	Describe func(value int32) string
	Known    func(value int32) bool

	// Kept has what models have made of the database, by keys of their own.
	Kept sync.Map
}

// Log is a session's side of a model: its transactions and what its executor asks. Errors
// of Ask and Begin end the statement.
type Log interface {
	// Open reports whether a transaction is open; Begin begins one.
	Open() bool
	Begin() error
	// Ask asks. joins says that the request is part of the step of what was asked before.
	Ask(q *Request, joins bool) (Answer, error)
	// Joins says whether the end of the transaction joins the step before.
	Joins(joins bool)
	Commit() error
	Abort(why string) error
	// Refuse ends the exploration: it says what the model does not have.
	Refuse(message string) error
}
