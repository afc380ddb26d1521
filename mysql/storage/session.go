package storage

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
)

// Session is a connection as the engine knows it.
type Session struct {
	*sql.BaseSession
	run   *Run
	saves []save
	underModel
	numbering
	replacing
	edits
	mode

	// Dup is the last key that was taken already.
	Dup Duplicate
}

// underModel is what a session knows of the statement that runs, under a model of the database.
type underModel struct {
	statement Statement
	planned   bool               // it has been planned: see Plans
	depths    int                // savepoints that it has
	hidden    map[string][]int32 // keys that nobody sees of rows that the statement has met
}

// numbering has the numbers of AUTO_INCREMENT of the statement that runs.
type numbering struct {
	// The first number that was made, the last one that was given, and what undoes the last
	// one until its row is inserted.
	made, given uint64
	unmade      func()
	reserve     reserve // under a model of the database
	// updated is the number of AUTO_INCREMENT of the row that ON DUPLICATE KEY UPDATE has
	// updated last; inserted, whether the number made first is of a row that has come.
	updated  uint64
	noted    uint64 // by LAST_INSERT_ID of an argument
	inserted bool
	aside    bool // a trigger of the statement's has inserted into a table with such numbers
}

// edits is what the statement has changed.
type edits struct {
	deleted map[string]bool // rows that a DELETE has deleted, by their keys
	// changes is how many rows of a table the statement has inserted and deleted.
	changes map[*Def]int
}

// Duplicate is a key that is taken.
type Duplicate struct{ Table, Index, Value string }

// save is a savepoint.
type save struct {
	name string
	mark Mark
}

var _ sql.TransactionSession = (*Session)(nil)

// NewSession returns a connection of a run.
func NewSession(base *sql.BaseSession, run *Run) *Session {
	return &Session{BaseSession: base, run: run}
}

// Run returns the storage that the connection is of.
func (s *Session) Run() *Run { return s.run }

// Begins is called before a statement.
func (s *Session) Begins(st Statement) {
	s.statement, s.hidden, s.planned = st, nil, st.Sets
	s.changes = nil
	s.made, s.given, s.unmade, s.reserve, s.Dup = 0, 0, nil, reserve{}, Duplicate{}
	s.updated, s.noted, s.inserted, s.aside, s.replacing, s.deleted = 0, 0, false, false, replacing{}, nil
	s.run.Begins()
}

// Plans reports whether the statement is to be planned now: once.
func (s *Session) Plans() bool {
	first := !s.planned
	s.planned = true
	return first
}

// Failed is called when the statement has failed. A row may not have reached the table,
// for instance because a CHECK forbids it. Then its number has not been taken.
func (s *Session) Failed() {
	if s.unmade != nil {
		s.unmade()
	}
}

// Changes is how many rows of a table the statement has inserted and deleted.
func (s *Session) Changes(table string) (n int) {
	for d, c := range s.changes {
		if strings.EqualFold(d.name, table) {
			n = c
		}
	}
	return n
}

func (s *Session) changed(d *Def) {
	if s.changes == nil {
		s.changes = map[*Def]int{}
	}
	s.changes[d]++
}

// InsertID is the statement's number of AUTO_INCREMENT, which the server returns with the
// number of rows. The statement may have several such numbers. They count in this order:
// the first number that was made for an inserted row, the argument of LAST_INSERT_ID, the
// number of a row that was updated in place of an insert, the last number that was given.
func (s *Session) InsertID() uint64 {
	switch {
	case s.made != 0 && (s.inserted || s.updated == 0):
		return s.made
	case s.noted != 0:
		return s.noted
	case s.updated != 0:
		return s.updated
	}
	return s.given
}

// Notes is LAST_INSERT_ID of an argument: the number is the statement's, unless one is made
// (MySQL 8.0 Reference Manual, 14.15).
func (s *Session) Notes(id uint64) { s.noted = id }

// Noted is the number of LAST_INSERT_ID of an argument; 0 for none.
func (s *Session) Noted() uint64 { return s.noted }

// Made is the first number of AUTO_INCREMENT that the statement has made for a row that was
// inserted; 0 for none.
func (s *Session) Made() uint64 {
	if s.inserted {
		return s.made
	}
	return 0
}

// Behind is what LAST_INSERT_ID returns behind the statement, where the engine has something else:
// it takes a trigger's numbers for the statement's.
func (s *Session) Behind(before int64) int64 {
	switch {
	case s.Made() != 0:
		return int64(s.Made())
	case s.noted != 0:
		return int64(s.noted)
	}
	return before
}

// Aside reports whether a trigger of the statement's has inserted into a table with AUTO_INCREMENT.
func (s *Session) Aside() bool { return s.aside }

// came notes that a row of the table has come: the number made for it stays.
func (s *Session) came(d *Def) { s.inserted = s.inserted || s.made != 0 && s.statement.into(d) }

// missed notes that a row has not come, because its key is taken. Where no other row has
// come before, the first number is the number of the next row.
func (s *Session) missed(d *Def) {
	if s.statement.into(d) && !s.inserted && !s.statement.Replaces {
		s.made = 0
	}
}

// instead notes the row that ON DUPLICATE KEY UPDATE updates.
func (s *Session) instead(d *Def, row sql.Row) {
	if s.statement.Into == "" || s.statement.Replaces {
		return
	}
	for i, c := range d.schema.Schema {
		if c.AutoIncrement {
			n, _ := strconv.ParseUint(fmt.Sprint(row[i]), 10, 64) // 0 for a negative one
			s.updated = n
		}
	}
}

func sessionOf(ctx *sql.Context) *Session { return ctx.Session.(*Session) }

func runOf(ctx *sql.Context) *Run { return sessionOf(ctx).run }

// transaction is the engine's handle of a transaction; what there is to it is the run's.
type transaction struct{ readOnly bool }

func (t *transaction) String() string   { return "transaction" }
func (t *transaction) IsReadOnly() bool { return t.readOnly }

// mode is the access mode of transactions.
type mode struct {
	readsOnly bool  // of those that ask for none
	next      *bool // of the next one alone
}

// ReadsOnly makes transactions that do not say otherwise READ ONLY.
func (m *mode) ReadsOnly(on bool) { m.readsOnly = on }

// Access is the access mode of the next transaction alone.
func (m *mode) Access(readOnly *bool) { m.next = readOnly }

// NextAccess is what Access has said of the next transaction, which has not begun.
func (m *mode) NextAccess() *bool { return m.next }

// ReadOnly reports whether the open transaction is READ ONLY.
func (s *Session) ReadOnly() bool {
	t := s.GetTransaction()
	return t != nil && t.IsReadOnly()
}

// StartTransaction implements sql.TransactionSession. The session knows the access mode.
func (s *Session) StartTransaction(*sql.Context, sql.TransactionCharacteristic) (sql.Transaction, error) {
	s.saves, s.depths = nil, 0
	readOnly := s.readsOnly
	if s.next != nil {
		readOnly = *s.next
	}
	s.next = nil
	return &transaction{readOnly: readOnly}, nil
}

// CommitTransaction implements sql.TransactionSession.
func (s *Session) CommitTransaction(*sql.Context, sql.Transaction) error {
	s.saves = nil
	return s.run.Commit()
}

// Rollback implements sql.TransactionSession.
func (s *Session) Rollback(*sql.Context, sql.Transaction) error {
	s.saves = nil
	return s.run.Abort()
}

// CreateSavepoint implements sql.TransactionSession. It replaces one of that name.
func (s *Session) CreateSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	if s.needless(name) {
		return nil
	}
	if err := s.run.begin(); err != nil {
		return err
	}
	if i, err := s.find(name); err == nil {
		s.saves = append(s.saves[:i:i], s.saves[i+1:]...)
	}
	mark, err := s.mark()
	s.saves = append(s.saves, save{name, mark})
	return err
}

// needless reports whether a savepoint is the engine's, for a statement with triggers. A model of the
// database undoes a statement that fails by itself.
func (s *Session) needless(name string) bool {
	return s.run.model != nil && strings.HasPrefix(name, rowexec.TriggerSavePointPrefix)
}

// Forget forgets the savepoints of a transaction that an error has ended.
func (s *Session) Forget() { s.saves, s.depths = nil, 0 }

func (s *Session) find(name string) (int, error) {
	for i, v := range s.saves {
		if strings.EqualFold(v.name, name) {
			return i, nil
		}
	}
	return 0, sql.ErrSavepointDoesNotExist.New(name)
}

// RollbackToSavepoint implements sql.TransactionSession.
func (s *Session) RollbackToSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	if s.needless(name) {
		return nil
	}
	i, err := s.find(name)
	if err != nil {
		return err
	}
	s.saves = s.saves[:i+1]
	if m := s.run.model; m != nil {
		s.depths = s.saves[i].mark.depth
		return m.Back(s.depths)
	}
	return s.run.Undo(s.saves[i].mark)
}

// ReleaseSavepoint implements sql.TransactionSession.
func (s *Session) ReleaseSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	if s.needless(name) {
		return nil
	}
	i, err := s.find(name)
	if err != nil {
		return err
	}
	depth := s.saves[i].mark.depth
	s.saves = s.saves[:i]
	if m := s.run.model; m != nil {
		s.depths = depth - 1
		return m.Release(depth)
	}
	return nil
}

// mark is the point where the transaction is.
func (s *Session) mark() (Mark, error) {
	if m := s.run.model; m != nil {
		s.depths++
		return Mark{depth: s.depths}, m.Save()
	}
	return s.run.Mark(), nil
}

// ErrLocked is the error of NOWAIT.
var ErrLocked = fmt.Errorf("a row is locked and NOWAIT is set")
