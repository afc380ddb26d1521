package postgres

import (
	"math"

	"github.com/txmc/txmc/isolation/model"
)

// The state: the heap, transaction ids, sessions, queues. Every slice is either
// copied by CopyFrom or never changed in place, so that states do not share
// what changes.

const none = -1

// Level is an isolation level.
type Level uint8

// The levels, weakest first.
const (
	ReadCommitted Level = iota
	RepeatableRead
	Serializable
)

// Table describes a table. Its unique indexes are numbered in order of
// creation: PostgreSQL checks them in this order.
type Table struct {
	Unique int // number of unique indexes
	// Scanned says that some statement returns or locks several rows of the
	// table, so that the physical order of its rows can be seen.
	Scanned bool
	// Unkeyed are the indexes whose keys no row of another table can refer to, as
	// a set: to change such a key is no update of a key.
	Unkeyed uint32
	// Deferred are the unique indexes that take a key twice, as a set: a client checks them later.
	Deferred uint32
	// Parents are the tables whose rows the table's rows refer to, by their keys in the
	// first index: one for each foreign key, in order of creation.
	Parents []int
	// Shared says that some statement locks rows of the table FOR SHARE or FOR
	// KEY SHARE, so that a row can have several holders.
	Shared bool
	// Repeats says that an index of the table may have several entries with one key, whose
	// order a scan of it can see.
	Repeats bool
}

// Absent is the key of a row that an index with a condition leaves out.
const Absent int32 = math.MinInt32

// Row is the contents of a row. The slice is never changed.
type Row struct {
	Keys    []int32 // the key in each unique index; 0 is null and never a duplicate
	Indexed int32   // stands for the values of all other indexed columns
	Value   int32   // stands for the values of all columns that no index has
	Refs    []int32 // the key to which each foreign key refers; 0 is null. The slice is never changed
}

// TID names a row version: its place in the heap. PostgreSQL calls it ctid.
type TID = int32

// State is a state of the storage manager.
type State struct {
	tables []Table
	races  bool
	stored
	xids     []xid
	commits  int32 // transactions that wrote and committed
	sessions []session
	waits
	ssi         ssi
	truncations []truncation // that are not undone; never changed in place

	watched
	scratch []TID
}

// watched is what is noted of steps.
type watched struct {
	recording bool
	footprint Footprint
	looks     *model.Looks // nil: all counts as looked at
}

// stored are the versions of rows.
type stored struct {
	seed    *seed     // nil if there is none
	changed []change  // the versions of the seed that have been changed, ascending
	heap    []version // that came after the seed
	lockers []locker
}

// waits is who waits for what, and who goes on.
type waits struct {
	queue    []request
	advisory []advice
	woken    []task
	fresh    []int8 // sessions that began to wait and have not had their deadlock check
}

// session is a database session and its transaction, if one is open.
type session struct {
	open bool
	txn
	current int32 // the statement's snapshot
	cid     int32 // the statement's number in the transaction
	op      operation
	wait    waitState
	have    TID // the version whose tuple lock the operation holds
}

// idleSession is a session without a transaction.
var idleSession = session{txn: txn{snapshot: none, xid: none, record: none}, have: none}

// txn is the transaction of a session.
type txn struct {
	level    Level
	readOnly bool
	deferred bool    // DEFERRABLE: it waits until its snapshot is safe
	failed   bool    // an error ended the transaction or its innermost savepoint
	ordinal  int32   // transactions that the session has begun
	snapshot int32   // none before it is taken
	xid      int32   // none before the first write or row lock
	record   int32   // its record for serializability; none: not tracked
	saves    []int32 // xid of each savepoint's level, none before it writes; never changed in place
	reads    []Read  // what the transaction may read; never changed in place
}

// Options are the properties of a State that do not change.
type Options struct {
	Tables   []Table // at most 256, with at most 32 unique indexes each
	Sessions int     // at most 127
	// Races adds what only timing decides. Any waiter on a cycle may be a
	// deadlock's victim; without it, the one that closed the cycle. Who waited
	// for a row that has been updated races for the new version. A woken
	// statement may run before the transaction that woke it counts as ended for
	// serializability.
	Races bool
	// Record collects footprints.
	Record bool
}

// NewState is a state without rows and transactions.
func NewState(o Options) *State {
	s := &State{tables: o.Tables, races: o.Races, watched: watched{recording: o.Record}}
	s.xids = []xid{{session: none, record: none, status: committed}}
	s.sessions = make([]session, o.Sessions)
	for i := range s.sessions {
		s.sessions[i] = idleSession
	}
	s.ssi.globalXmin = none
	return s
}

// Load adds a row that was committed before all transactions.
func (s *State) Load(table int, r Row) TID {
	v := newVersion(table, r)
	v.indexed = uint8(s.tables[table].Unique)
	s.heap = append(s.heap, v)
	return s.versions() - 1
}

// CopyFrom makes s a copy of t.
func (s *State) CopyFrom(t *State) {
	s.tables, s.races, s.recording, s.looks = t.tables, t.races, t.recording, t.looks
	s.commits = t.commits
	s.seed = t.seed
	s.changed = append(s.changed[:0], t.changed...)
	s.heap = append(s.heap[:0], t.heap...)
	s.lockers = append(s.lockers[:0], t.lockers...)
	s.xids = append(s.xids[:0], t.xids...)
	s.sessions = append(s.sessions[:0], t.sessions...)
	s.queue = append(s.queue[:0], t.queue...)
	s.advisory = append(s.advisory[:0], t.advisory...)
	s.woken = append(s.woken[:0], t.woken...)
	s.fresh = append(s.fresh[:0], t.fresh...)
	s.ssi.copyFrom(&t.ssi)
	s.truncations = t.truncations
	s.footprint = append(s.footprint[:0], t.footprint...)
}

// Row is the contents of a version.
func (s *State) Row(t TID) Row { return s.at(t).row }

// Table is the table of a version.
func (s *State) Table(t TID) int { return int(s.at(t).table) }

// Code is the reason for which a statement or COMMIT fails.
type Code uint8

// The codes. Documentation, appendix A.
const (
	NoError              Code = iota
	SerializationFailure      // 40001
	DeadlockDetected          // 40P01
	UniqueViolation           // 23505
	ForeignKeyViolation       // 23503
	LockNotAvailable          // 55P03
	InFailedTransaction       // 25P02
	CardinalityViolation      // 21000
	NoSuchSavepoint           // 3B001
	ReadOnlyTransaction       // 25006
	QueryCanceled             // 57014
)

var codes = [...]string{"00000", "40001", "40P01", "23505", "23503", "55P03", "25P02", "21000", "3B001", "25006", "57014"}

// String is the SQLSTATE.
func (c Code) String() string { return codes[c] }

// Result is what an operation answers, as table access methods do (TM_Result).
type Result uint8

// The results.
const (
	OK           Result = iota
	Invisible           // made by this statement itself, or by a transaction that has not committed
	SelfModified        // changed by this statement itself
	Updated             // a committed transaction made a newer version
	Deleted             // a committed transaction deleted the row
	WouldBlock          // the operation may not wait and would have to
	Conflict            // Probe: a live row has the key
	Failed              // the statement fails with Code
	Blocked             // the operation waits; Resolve gives its answer
	Ready               // the statement has its snapshot now, and can begin
	beingModified
)

// Answer is the answer of an operation.
type Answer struct {
	Result Result
	Code   Code // Failed
	TID    TID  // the version that was locked, made or found
	Mode   Mode // Update, Delete: the row lock that the change needs
}

func answer(r Result, t TID) Answer { return Answer{Result: r, TID: t} }

func failure(c Code) Answer { return Answer{Result: Failed, Code: c, TID: none} }
