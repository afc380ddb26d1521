package innodb

// Transactions: begin, statements, commit and rollback.
//
// A transaction keeps its locks until it ends. An error rolls the statement
// back; a deadlock, or a changed row under innodb_snapshot_isolation, the whole
// transaction.
//
// Source: MySQL manual, "InnoDB Transaction Model", "InnoDB Error Handling";
// MariaDB manual, "innodb_snapshot_isolation".

import "slices"

// Trx is the number of a transaction in its state. Number 0 wrote the rows
// that were there before.
type Trx int32

// Level is the isolation level of a transaction.
type Level uint8

// The levels.
const (
	ReadCommitted Level = iota
	RepeatableRead
	SnapshotIsolation // REPEATABLE READ with innodb_snapshot_isolation=ON
	Serializable
	ReadUncommitted // as READ COMMITTED, but plain reads have no view
)

// recordsOnly reports whether the level locks no gaps.
func (l Level) recordsOnly() bool { return l == ReadCommitted || l == ReadUncommitted }

type status uint8

const (
	active status = iota
	committed
	rolledBack
)

// trx is a transaction. Which locks it holds is told by the queues.
type trx struct {
	owner      int32 // the number that Begin was given
	level      Level
	status     status
	duplicates bool // the statement updates duplicates: INSERT … ON DUPLICATE KEY UPDATE
	victim     bool // chosen to end a deadlock
	lost       bool // the record that it waited for was removed
	asked
	readView
	intentions
	commit int32 // committed: its place among the commits
	undo   *undo
	groups groups
}

// asked is what its request says, set anew by each.
type asked struct {
	hasty     bool // it waits for no lock
	unchecked bool // it checks no foreign key
	points
}

// points is where others may run before an operation goes on.
type points struct {
	acted  bool // it has taken or given back a lock
	paused bool // it is to be called again
}

// readView is the view of consistent reads.
type readView struct {
	view bool  // it has a read view
	seen int32 // the read view sees the first so many commits
}

// intentions are the transaction's intention locks, and the weight of all its locks.
type intentions struct {
	shared    uint64 // tables with an intention shared lock
	exclusive uint64 // tables with an intention exclusive lock
	structs   int32  // lock structures, for the weight
}

// Begin starts a transaction for the session with this number.
func (s *State) Begin(owner int, l Level) Trx {
	s.trxs = append(s.trxs, trx{owner: int32(owner), level: l})
	return Trx(len(s.trxs) - 1)
}

// Owner is the number that Begin was given.
func (s *State) Owner(t Trx) int { return int(s.trxs[t].owner) }

// LevelOf is the transaction's level.
func (s *State) LevelOf(t Trx) Level { return s.trxs[t].level }

// Holds reports whether the transaction has written rows or locked some.
func (s *State) Holds(t Trx) bool {
	return s.trxs[t].undo != nil || slices.ContainsFunc(s.locks, func(l lock) bool { return l.trx == t })
}

func (s *State) running(t Trx) bool { return s.trxs[t].status == active }

func (s *State) gapLocks(t Trx) bool { return !s.trxs[t].level.recordsOnly() }

// EndStatement ends a statement: at READ COMMITTED its read view.
func (s *State) EndStatement(t Trx) {
	x := &s.trxs[t]
	x.duplicates = false
	if x.level == ReadCommitted {
		x.view = false
	}
}

// Commit commits. It may wake others.
func (s *State) Commit(t Trx) {
	s.traceEnd(t, true)
	s.commits++
	s.trxs[t].commit = s.commits
	s.end(t, committed)
}

// Rollback undoes what the transaction wrote. It may wake others.
func (s *State) Rollback(t Trx) {
	s.traceEnd(t, false)
	s.undoTo(t, nil)
	s.end(t, rolledBack)
}

func (s *State) end(t Trx, st status) {
	x := &s.trxs[t]
	*x = trx{owner: x.owner, level: x.level, status: st, commit: x.commit}
	s.release(t)
}

// Mode is how a statement uses a table.
type Mode uint8

// The modes.
const (
	Snapshot  Mode = iota // reads from the read view, without locks
	Shared                // LOCK IN SHARE MODE
	Exclusive             // FOR UPDATE, UPDATE, DELETE, INSERT
)

// LockTable takes the table's intention lock, which no row operation ever
// waits for: it counts in the weight only.
func (s *State) LockTable(t Trx, table int, m Mode) {
	x := &s.trxs[t]
	bit := uint64(1) << (table % 64)
	switch {
	case m == Shared && (x.shared|x.exclusive)&bit == 0:
		x.shared |= bit
	case m == Exclusive && x.exclusive&bit == 0:
		x.exclusive |= bit
	default:
		return
	}
	x.structs++
}
