package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// Log is the session's side of a model: its transactions and what it asks. Errors of
// Ask and Begin end the statement.
type Log interface {
	Open() bool
	Begin() error
	Ask(q *access.Request, joins bool) (access.Answer, error)
	// Joins says whether the end of the transaction joins the step before.
	Joins(joins bool)
	Commit() error
	Abort(why string) error
	// Refuse ends the exploration: it says what the model does not have.
	Refuse(message string) error
}

// Session is the storage of one instance: its [engine.StatementHooks].
type Session struct {
	cat *Catalog
	log Log

	given   map[engine.OID]given   // by sequences of the instance
	heap    *Heap                  // before any session
	spots   map[int32][]engine.TID // where the heap has a content now, if not where it had it
	emptied map[engine.OID]bool    // tables that have another heap than before any session

	advisory map[string]int // how often each lock is taken that outlasts its transaction, by key

	ofStatement
	ofTransaction
}

// ofStatement is what a session knows while a statement runs.
type ofStatement struct {
	begins    bool // its first request is to come
	explicit  bool // it is LOCK TABLE
	truncates bool // it is TRUNCATE
	views     map[uint32]int32
	taken     int32    // views so far
	plain     []uint32 // snapshots since the last request, all alike
	latest    []uint32 // and those that are newer than the transaction's
	dirty     map[address]bool
	probed    map[engine.OID]uint32 // by table, the indexes that ON CONFLICT has looked at for the next row
	limit     limit                 // of its waits
	ofRow
}

// ofRow is what it knows of the row that it deals with.
type ofRow struct {
	update  int32   // the version that Write has made, for Inserted
	enters  bool    // it has to enter the indexes
	fetched address // what is being fetched by its place
}

// ofTransaction is what a session knows while a transaction is open.
type ofTransaction struct {
	first  bool
	number uint32 // of its snapshot, at REPEATABLE READ and above
	versions
	saves    []savepoint
	locks    []access.TableLock
	asked    int // of locks: those that a request has taken
	heaps    []heapBefore
	replaced map[address]engine.TID // by what the transaction has replaced a version: by the last one
	clashes  map[int32][]int32      // what may have the key of a version, in an index that is checked later
	holds    bool                   // it has declared a cursor, at READ COMMITTED
	locked   bool                   // it has locked a row
}

// versions are those that the transaction has met.
type versions struct {
	names    []version
	at       map[address]int32
	where    map[int32][]engine.TID
	listings map[listed]*listing
	killed   []int32 // versions that the transaction has updated or deleted, in order
}

// address is where a version lies.
type address struct {
	table engine.OID
	tid   engine.TID
}

// version is a version that the transaction has met.
type version struct {
	value int32
	own   bool
	dead  bool // updated or deleted by the transaction
}

// savepoint is an open savepoint.
type savepoint struct {
	id     uint32
	killed int // of Session.killed
	locks  int // of Session.locks
}

// Heap is what lies in the heap of an instance before any session.
type Heap struct {
	spots map[int32][]engine.TID // where it has a content, ascending
}

// NewSession is the storage of an instance with that heap.
func (cat *Catalog) NewSession(h *Heap, log Log) *Session {
	return &Session{cat: cat, log: log, given: map[engine.OID]given{}, heap: h, spots: map[int32][]engine.TID{}, emptied: map[engine.OID]bool{}, advisory: map[string]int{},
		ofStatement:   ofStatement{begins: true, views: map[uint32]int32{}, dirty: map[address]bool{}, probed: map[engine.OID]uint32{}},
		ofTransaction: ofTransaction{first: true, versions: versions{at: map[address]int32{}, where: map[int32][]engine.TID{}, listings: map[listed]*listing{}}}}
}

// spotsOf is where the heap has a content, ascending.
func (s *Session) spotsOf(value int32) []engine.TID {
	if list, own := s.spots[value]; own {
		return list
	}
	if len(s.emptied) > 0 && s.emptied[s.cat.of(value).OID] {
		return nil
	}
	return s.heap.spots[value]
}

// spot notes where the heap has a content, too.
func (s *Session) spot(value int32, tid engine.TID) {
	list := append(slices.Clip(s.spotsOf(value)), tid)
	slices.Sort(list)
	s.spots[value] = list
}

// Statement says that the client sends a statement.
func (s *Session) Statement() { s.begins, s.explicit, s.truncates = true, false, false }

// table is a table by its identifier.
func (s *Session) table(c *engine.Call, oid engine.OID) *table {
	t := s.cat.tables[oid]
	if t == nil {
		s.refuse(c, fmt.Sprintf("a table that was not there before the sessions (%v)", c.Table(oid)))
	}
	if t.refused != "" {
		s.refuse(c, t.refused)
	}
	return t
}

// Refuse ends the exploration: a server would do something else.
func (s *Session) Refuse(_ *engine.Call, why string) { _ = s.log.Refuse(why) }

// refuse ends the exploration because of what the model does not have, and the
// statement with it.
func (s *Session) refuse(c *engine.Call, what string) {
	message := "the model of PostgreSQL does not have this: " + what
	_ = s.log.Refuse(message + ": explore the program at an axiomatic level, such as si, or leave this out of the test")
	c.Raise("0A000", message)
}

func (s *Session) check(c *engine.Call, err error) {
	var known interface{ SQLState() string }
	switch {
	case errors.As(err, &known):
		c.Raise(known.SQLState(), err.Error())
	case err != nil:
		c.Raise("57P01", err.Error())
	}
}

// ask asks the model. w is the view of the read, nil for what is no read.
func (s *Session) ask(c *engine.Call, q access.Request, command uint32, w *engine.View) access.Answer {
	s.begin(c, &q)
	if s.begins {
		s.renew()
		s.limit = limitOf(c)
	}
	q.Expires, q.Whole = s.limit != noLimit, s.limit == ofWhole
	q.Begins, q.Keeps, s.begins = s.begins, s.holds, false
	q.Locks = s.tableLocks()
	s.snapshot(c, &q, w)
	q.Command = int32(command)
	return s.answer(c, &q, !q.Begins)
}

// renew forgets what an earlier statement has seen. Its snapshots and what it has found by them
// stay where cursors use them.
func (s *Session) renew() {
	clear(s.probed)
	if !s.holds {
		clear(s.views)
		s.taken = 0
		clear(s.listings)
	}
}

// begin begins the transaction with its first request.
func (s *Session) begin(c *engine.Call, q *access.Request) {
	if !s.log.Open() {
		s.check(c, s.log.Begin())
	}
	if s.first {
		q.First, s.first = true, false
	}
	q.Level = uint8(max(c.Isolation(), readCommitted) - readCommitted)
	q.ReadOnly = c.Setting("transaction_read_only") == "on"
	q.Deferrable = q.Level == serializable && q.ReadOnly && c.Setting("transaction_deferrable") == "on"
}

// PostgreSQL's READ COMMITTED (access/xact.h), and SERIALIZABLE of a Request.
const (
	readCommitted = 1
	serializable  = 2
)

// answer gets the answer to a request, and ends the statement where it fails.
func (s *Session) answer(c *engine.Call, q *access.Request, joins bool) access.Answer {
	a, err := s.log.Ask(q, joins)
	s.check(c, err)
	for _, v := range a.Versions {
		for int(v.Name) >= len(s.names) {
			s.names = append(s.names, version{})
		}
		s.names[v.Name].value = v.Value
	}
	if a.Result == access.Failed {
		s.fail(c, q, a.Code)
	}
	return a
}

// fail raises PostgreSQL's own error.
func (s *Session) fail(c *engine.Call, q *access.Request, code string) {
	switch code {
	case "57014":
		c.Raise(code, "canceling statement due to statement timeout")
	case "55P03":
		c.Raise(code, "canceling statement due to lock timeout")
	case "40001":
		if q.Kind == access.Lock && q.Last && q.Level == 0 {
			c.Raise(code, "tuple to be locked was already moved to another partition due to concurrent update")
		}
		c.RaiseDetail(code, "could not serialize access due to read/write dependencies among transactions", "", "The transaction might succeed if retried.")
	case "40P01":
		c.RaiseDetail(code, "deadlock detected", "", "See server log for query details.")
	}
	c.Raise(code, "the statement has failed")
}

// refused are statements without a plan that the model does not have. What changes
// definitions is refused where it is noticed.
var refused = map[string]bool{"ALTER SEQUENCE": true}

// Utility refuses statements that the model does not have.
func (s *Session) Utility(c *engine.Call, tag string) {
	s.begins, s.explicit, s.truncates = s.begins || alone[tag], tag == lockTable, tag == "TRUNCATE TABLE"
	switch {
	case refused[tag]:
		s.refuse(c, tag)
	case tag == discardAll && !c.InBlock():
		s.unused()
		if len(s.advisory) > 0 {
			s.Advise(c, engine.Advisory{Release: true, All: true})
		}
	case tag == "DISCARD SEQUENCES":
		s.unused()
	case tag == "DECLARE CURSOR" && c.Isolation() <= readCommitted:
		s.holds = true
		s.ask(c, access.Request{}, 0, nil) // the snapshot that it fetches by
	}
}

const (
	lockTable  = "LOCK TABLE"
	discardAll = "DISCARD ALL"
)

// alone are the statements that take no snapshot by which their beginning could be told.
var alone = map[string]bool{"COMMIT": true, "ROLLBACK": true, lockTable: true, discardAll: true, "FETCH": true, "MOVE": true}

// Transaction ends the model's transaction with the instance's.
func (s *Session) Transaction(c *engine.Call, e engine.End) {
	switch e {
	case engine.PreCommit:
		s.commit(c)
	case engine.Commit:
		s.keep()
		s.heaps = s.heaps[:0]
		s.ended()
	case engine.Abort:
		if s.log.Open() {
			s.log.Joins(!s.begins)
			_ = s.log.Abort("rollback") // the transaction has ended: an error has nowhere to go
		}
		s.restore(0)
		s.ended()
	}
}

func (s *Session) commit(c *engine.Call) {
	if !s.log.Open() {
		return
	}
	s.log.Joins(!s.begins && !s.locked && !s.writes() && !tracked(c))
	err := s.log.Commit()
	var failed *behaviour.DBError
	if errors.As(err, &failed) {
		s.fail(c, &access.Request{}, failed.SQLSTATE)
	}
	s.check(c, err)
}

// tracked reports whether others have to do with what the transaction reads, until it ends.
func tracked(c *engine.Call) bool { return c.Isolation() == serializable+readCommitted }

// writes reports whether the transaction has written a row.
func (s *Session) writes() bool {
	return len(s.killed) > 0 || slices.ContainsFunc(s.names, func(v version) bool { return v.own })
}

// keep keeps what the transaction has put into the heap for later ones.
func (s *Session) keep() {
	for p, name := range s.at {
		v := s.names[name]
		if v.own && !slices.Contains(s.spotsOf(v.value), p.tid) {
			s.spot(v.value, p.tid)
		}
	}
}

// ended forgets what belongs to a transaction.
func (s *Session) ended() {
	s.first, s.number = true, 0
	s.names, s.saves, s.killed = s.names[:0], s.saves[:0], s.killed[:0]
	s.plain, s.latest = s.plain[:0], s.latest[:0]
	s.explicit, s.holds, s.locked = false, false, false
	s.unlock(0)
	clear(s.at)
	clear(s.clashes)
	clear(s.replaced)
	clear(s.where)
	clear(s.listings)
	clear(s.views)
	clear(s.dirty)
}

// Subtransaction opens and closes savepoints. Opening and releasing one is no step.
func (s *Session) Subtransaction(c *engine.Call, e engine.End, id, _ uint32) {
	switch e {
	case engine.Begin:
		s.quiet(c, access.Request{Kind: access.Save})
		s.saves = append(s.saves, savepoint{id, len(s.killed), len(s.locks)})
	case engine.Commit:
		if n := s.saved(id); n >= 0 {
			s.quiet(c, access.Request{Kind: access.Release, Depth: n + 1})
			s.saves = s.saves[:n]
			s.rise(n)
		}
	case engine.Abort:
		if n := s.saved(id); n >= 0 {
			s.back(c, n)
		}
	}
}

func (s *Session) saved(id uint32) int {
	return slices.IndexFunc(s.saves, func(x savepoint) bool { return x.id == id })
}

// quiet asks for something that no other session can notice.
func (s *Session) quiet(c *engine.Call, q access.Request) {
	s.begin(c, &q)
	s.answer(c, &q, true)
}

// back undoes a savepoint.
func (s *Session) back(c *engine.Call, n int) {
	q := access.Request{Kind: access.Back, Depth: n + 1}
	if s.begins {
		s.renew()
	}
	q.Begins, q.Keeps, s.begins = s.begins, s.holds, false
	_, _ = s.log.Ask(&q, !q.Begins) // the savepoint has been undone: an error has nowhere to go
	for _, name := range s.killed[s.saves[n].killed:] {
		s.names[name].dead = false
	}
	s.killed = s.killed[:s.saves[n].killed]
	s.restore(n + 1)
	s.unlock(s.saves[n].locks)
	s.saves = s.saves[:n]
}

// Contents is how many contents have come to the instance's heap.
func (s *Session) Contents() int { return len(s.spots) }
