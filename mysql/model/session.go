package model

import (
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// Session is the storage of one run of a session.
type Session struct {
	cat *Catalog
	log access.Log

	begins  bool // the statement's first request is to come
	cursors int32
	views   bool // the statement has something that its end takes away
	limit   Limit
	waits   waits

	unchecked bool // foreign keys are

	// For the transaction:
	first    bool
	level    Level
	explicit bool // it has several statements
	holds    bool // it may have locked or written rows
}

// Level is the level of a transaction, as the model numbers them.
type Level uint8

// The levels.
const (
	ReadCommitted Level = iota
	RepeatableRead
	SnapshotIsolation // REPEATABLE READ with innodb_snapshot_isolation=ON
	Serializable
	ReadUncommitted
)

// RecordsOnly reports whether the level locks no gaps, nor what an INSERT or an UPDATE only reads.
func (l Level) RecordsOnly() bool { return l == ReadCommitted || l == ReadUncommitted }

// Limit is the time limit of waits for locks.
type Limit uint8

// The limits.
const (
	NoLimit Limit = iota
	Limited       // a wait may end with error 1205, whenever it does
	NoWait        // it does so at once
)

// NewSession is the storage of a run.
func (cat *Catalog) NewSession(log access.Log) *Session {
	return &Session{cat: cat, log: log, begins: true, first: true}
}

// Statement says that the client sends a statement. l is the level of the transaction,
// if the statement begins one. explicit says that this transaction goes on after the
// statement.
func (s *Session) Statement(l Level, explicit bool) {
	s.begins, s.views, s.cursors, s.waits.noWait = true, false, 0, false
	if s.first {
		s.level, s.explicit = l, explicit
	}
}

// Limit limits waits for locks from now on.
func (s *Session) Limit(l Limit) { s.limit = l }

// waits is how a wait of the statement may end.
type waits struct {
	timed  bool // by the time limit of statements
	noWait bool // not: what it scans has NOWAIT
}

// Timed says whether statements have a time limit from now on: a wait for a lock may end by it.
func (s *Session) Timed(on bool) { s.waits.timed = on }

// Unchecked says whether foreign keys are not checked from now on.
func (s *Session) Unchecked(on bool) { s.unchecked = on }

// expired is the error of a wait that has ended by a time limit, or of NOWAIT.
func (s *Session) expired() string {
	if s.waits.noWait && s.cat.product.IsMySQL() {
		return "3572"
	}
	if s.waits.timed && !s.waits.noWait && s.limit != NoWait {
		return "1969"
	}
	return "1205"
}

// Level is the level of the transaction.
func (s *Session) Level() Level { return s.level }

// Explicit reports whether the transaction has several statements.
func (s *Session) Explicit() bool { return s.explicit }

// Error is an error of the storage, by MariaDB's number.
type Error struct {
	Code   string
	hidden bool // the transaction has been rolled back, and the number does not say so
}

// Error names the number.
func (e *Error) Error() string { return "error " + e.Code + " of the storage" }

// Ends reports whether the transaction has been rolled back.
func (e *Error) Ends() bool { return e.Code == "1213" || e.Code == "1020" }

// Hides reports whether the transaction has been rolled back although the error does not
// tell it: a deadlock of AUTO-INC locks.
func (e *Error) Hides() bool { return e.hidden }

// ask asks the model.
func (s *Session) ask(q access.Request) (access.Answer, error) {
	if !s.log.Open() {
		if err := s.log.Begin(); err != nil {
			return access.Answer{}, err
		}
	}
	q.Level, q.First, q.Begins = uint8(s.level), s.first, s.begins
	if q.Kind != access.Advise { // which has a limit of its own
		q.Expires, q.Hasty = s.limit == Limited || s.waits.timed && s.limit == NoLimit, s.limit == NoWait
	}
	s.first, s.begins = false, false
	a, err := s.log.Ask(&q, !q.Begins)
	if err == nil && a.Result == access.Failed {
		if a.Code == "1205" {
			a.Code = s.expired()
		}
		err = &Error{a.Code, a.Count != 0}
	}
	return a, err
}

// Row is a row that a scan has found.
type Row struct {
	Row       sql.Row
	Hidden    int32 // its key, where the clustered index is hidden
	Committed bool  // somebody else has locked it; this is its last committed version
	Entry     bool  // it is an entry of an index: only the columns of the index mean something
}

func (s *Session) rowOf(a *access.Answer, i int) Row {
	v := a.Versions[i]
	return Row{Row: s.cat.row(v.Value).Copy(), Hidden: v.Name, Committed: a.Result == access.Committed, Entry: a.Result == access.Entry}
}

// Read lists the rows of a range from the transaction's view.
func (s *Session) Read(t *Table, index int, r *access.Range) (list []Row, err error) {
	s.views = true
	a, err := s.ask(access.Request{Kind: access.Read, Target: access.Target{Table: t.number, Index: uint8(index)}, InTrees: access.InTrees{Range: r}})
	for i := range a.Versions {
		list = append(list, s.rowOf(&a, i))
	}
	return list, err
}

// View makes the view of a transaction that begins, where its level has one.
func (s *Session) View() error {
	if s.level != RepeatableRead && s.level != SnapshotIsolation {
		return nil
	}
	_, err := s.ask(access.Request{Kind: access.Nothing, Asker: access.Asker{Snap: true}})
	return err
}

// Cursor is a locking scan of a range.
type Cursor struct {
	s      *Session
	number int32
	open   access.Request
	begun  bool
}

// Open opens a cursor. It locks nothing before its first row is asked for.
func (s *Session) Open(t *Table, index int, r *access.Range) *Cursor {
	return &Cursor{s: s, open: access.Request{Kind: access.Open, Target: access.Target{Table: t.number, Index: uint8(index)}, InTrees: access.InTrees{Range: r}}}
}

// Next goes to the next row; false behind the last one.
func (c *Cursor) Next(j access.Judgement) (Row, bool, error) {
	q := c.open
	c.s.waits.noWait = q.Range.Wait == access.NoWait
	if c.begun {
		q = access.Request{Kind: access.Step, Target: access.Target{Table: q.Table, Index: q.Index}, InTrees: access.InTrees{Cursor: c.number, Judged: j}}
	} else {
		c.begun, c.number = true, c.s.cursors
		c.s.holds = true
		c.s.cursors++
	}
	a, err := c.s.ask(q)
	if err != nil || a.Result == access.Ended {
		return Row{}, false, err
	}
	return c.s.rowOf(&a, 0), true, nil
}

// Conflict is a key that another row has.
type Conflict struct {
	Index int
	Row   sql.Row // that row, of an insertion
}

// Insert inserts a row. update: rows with the same keys are to be updated.
func (s *Session) Insert(ctx *sql.Context, t *Table, row sql.Row, shown rows.Content, update bool) (*Conflict, error) {
	m, err := s.interned(ctx, t, row, shown)
	if err != nil {
		return nil, err
	}
	s.views, s.holds = s.views || update, true
	a, err := s.ask(access.Request{Kind: access.Put, Target: access.Target{Table: t.number}, Row: m, InTrees: access.InTrees{Update: update, Unchecked: s.unchecked}})
	return s.conflict(a), err
}

func (s *Session) conflict(a access.Answer) *Conflict {
	if a.Result != access.Conflict {
		return nil
	}
	c := &Conflict{Index: int(a.Count)}
	if len(a.Versions) > 0 {
		c.Row = s.cat.row(a.Versions[0].Value).Copy()
	}
	return c
}

// Update replaces a row that the transaction has locked by another one.
func (s *Session) Update(ctx *sql.Context, t *Table, old Row, row sql.Row, was, shown rows.Content) (*Conflict, error) {
	m, err := s.interned(ctx, t, row, shown)
	if err != nil {
		return nil, err
	}
	key, err := s.key(ctx, t, old, was)
	if err != nil {
		return nil, err
	}
	if t.hidden {
		m.Columns[0] = key[0]
	}
	a, err := s.ask(access.Request{Kind: access.Write, Target: access.Target{Table: t.number}, InTrees: access.InTrees{Key: key, Unchecked: s.unchecked}, Row: m})
	return s.conflict(a), err
}

// Delete deletes a row that the transaction has locked.
func (s *Session) Delete(ctx *sql.Context, t *Table, old Row, was rows.Content) error {
	key, err := s.key(ctx, t, old, was)
	if err != nil {
		return err
	}
	_, err = s.ask(access.Request{Kind: access.Write, Target: access.Target{Table: t.number}, InTrees: access.InTrees{Key: key, Gone: true, Unchecked: s.unchecked}})
	return err
}

// At is the range of the clustered index that has one row.
func (s *Session) At(ctx *sql.Context, t *Table, row Row, shown rows.Content) (*access.Range, error) {
	key, err := s.key(ctx, t, row, shown)
	return &access.Range{Span: access.Span{Low: key, Exact: true}, Exclusive: true}, err
}

func (s *Session) key(ctx *sql.Context, t *Table, row Row, shown rows.Content) ([]int, error) {
	if t.hidden {
		return []int{int(row.Hidden)}, nil
	}
	m, err := s.interned(ctx, t, row.Row, shown)
	return t.key(m), err
}

// interned is a row as the model has it. A value that the model cannot have ends the
// exploration.
func (s *Session) interned(ctx *sql.Context, t *Table, row sql.Row, shown rows.Content) (access.Row, error) {
	m, err := s.cat.intern(ctx, t, row, shown)
	if err != nil {
		err = s.Refuse("table " + t.Name + ": " + err.Error())
	}
	return m, err
}

// Refuse ends the exploration because of what the model does not have.
func (s *Session) Refuse(what string) error {
	message := "the model of InnoDB does not have this: " + what
	return errors.Join(s.log.Refuse(message+": explore the program at an axiomatic level, such as rc, or leave this out of the test"), errors.New(message))
}

// Numbers takes the next numbers of AUTO_INCREMENT and returns the first one. All sessions
// share these numbers. bulk: the statement does not know how many it needs, and keeps
// others from taking any until it ends.
func (s *Session) Numbers(t *Table, many int, bulk bool) (uint64, error) {
	s.views = s.views || bulk
	a, err := s.ask(access.Request{Kind: access.Next, Numbering: access.Numbering{Sequence: int(t.number), Many: int32(many), Bulk: bulk}})
	return t.Auto + uint64(a.Count), err
}

// Skip takes the numbers up to one that a statement gives itself.
func (s *Session) Skip(t *Table, n uint64, bulk bool) error {
	if n < t.Auto {
		return nil
	}
	const most = 1<<31 - 2
	if n-t.Auto > most {
		return s.Refuse("a number of AUTO_INCREMENT that is far above the others")
	}
	s.views = s.views || bulk
	_, err := s.ask(access.Request{Kind: access.Next, Numbering: access.Numbering{Sequence: int(t.number), Floor: int32(n - t.Auto + 1), Bulk: bulk}})
	return err
}

// GiveBack gives the numbers back that were taken last.
func (s *Session) GiveBack(t *Table, many int) error {
	_, err := s.ask(access.Request{Kind: access.Restock, Numbering: access.Numbering{Sequence: int(t.number), Many: int32(many)}})
	return err
}

// Finish ends a statement of a transaction that goes on. At READ COMMITTED its view ends.
func (s *Session) Finish() error {
	if s.begins || !s.views || s.first {
		return nil
	}
	s.views = false
	_, err := s.ask(access.Request{Kind: access.Finish})
	return err
}

// Undo undoes what the statement has written. What it has locked stays locked.
func (s *Session) Undo() error {
	if s.begins || s.first {
		return nil
	}
	if _, err := s.ask(access.Request{Kind: access.Back}); err != nil {
		return err
	}
	return s.Finish()
}

// Save opens a savepoint.
func (s *Session) Save() error {
	begins := s.begins
	s.begins = false // it is no step
	_, err := s.ask(access.Request{Kind: access.Save})
	s.begins = begins
	return err
}

// Release closes the savepoint of that depth, from 1, and those in it.
func (s *Session) Release(depth int) error {
	if !s.log.Open() {
		return nil // an error has ended the transaction in a trigger
	}
	begins := s.begins
	s.begins = false
	_, err := s.ask(access.Request{Kind: access.Release, Depth: depth})
	s.begins = begins
	return err
}

// Back undoes what came after the savepoint of that depth, and keeps it.
func (s *Session) Back(depth int) error {
	if !s.log.Open() {
		return nil // as for Release
	}
	_, err := s.ask(access.Request{Kind: access.Back, Depth: depth})
	return err
}

// Commit ends the transaction, if there is one. Others may run between a statement in
// autocommit that has written or locked rows and its commit.
func (s *Session) Commit() error {
	defer s.ended()
	if !s.log.Open() {
		return nil
	}
	if s.holds {
		if err := s.Finish(); err != nil {
			return err
		}
	}
	s.log.Joins(!s.begins && !s.holds)
	return s.log.Commit()
}

// Abort ends the transaction without effect, if there is one.
func (s *Session) Abort() error {
	defer s.ended()
	if !s.log.Open() {
		return nil
	}
	s.log.Joins(!s.begins)
	return s.log.Abort("rollback")
}

func (s *Session) ended() {
	s.first, s.begins, s.views, s.holds = true, true, false, false
}
