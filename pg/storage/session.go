package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// Session is the storage of one instance, on which the connections of one session
// run. It is the instance's [engine.Hooks].
type Session struct {
	store *Store
	log   Log
	owner string // names rows without a primary key

	heap
	views   map[uint32]view // by the number of a snapshot
	scanned map[announcement]bool
	sole    sight            // the last row that a lone scan by a unique key has read
	joined  map[sight]bool   // rows of which one read was for the scan and for the lock
	live    map[address]bool // what uniqueness checks see

	transaction
}

// transaction is what a session keeps of its open transaction.
type transaction struct {
	txn     int // counted from 0
	inserts int // into tables without a primary key
	own     []change
	locked  map[rowVar]*version // the newest version of what is locked; nil content: no row
	values  map[string]any      // of keys and unique values, by locking reads
	written []string            // keys and unique values
	placed  []placed
	marks   []mark
}

// placed is what stood for a content before the transaction wrote it.
type placed struct {
	held   held
	before engine.TID
}

// rowVar names a row.
type rowVar struct {
	table engine.OID
	id    string
}

// view is what a snapshot sees of the rows that it has read.
type view map[rowVar]string

// change is a row that the open transaction has written.
type change struct {
	row     rowVar
	command uint32
	tid     engine.TID // the new version; NoTID when it is deleted
}

// announcement is a scan of a table that a view has been told of.
type announcement struct {
	view  uint32
	table engine.OID
}

// mark is the begin of a savepoint.
type mark struct {
	id   uint32
	own  int
	keys int // of Session.written
	puts int // of Session.placed
	undo func() error
}

// NewSession returns the storage of an instance whose heap is empty.
func (s *Store) NewSession(owner string, log Log) *Session {
	return &Session{store: s, log: log, owner: owner,
		heap: newHeap(), views: map[uint32]view{}, live: map[address]bool{}, scanned: map[announcement]bool{}, joined: map[sight]bool{},
		transaction: transaction{locked: map[rowVar]*version{}, values: map[string]any{}}}
}

// begin begins a transaction of the log at the first thing that it has to do with
// rows.
func (s *Session) begin(c *engine.Call) {
	if !s.log.Open() {
		if a, ok := s.log.(rows.Asked); ok {
			s.check(c, a.Asks(int(c.Isolation()), c.Setting))
		}
		s.check(c, s.log.Begin())
	}
}

// check ends the statement when the log has failed.
func (s *Session) check(c *engine.Call, err error) {
	var known interface{ SQLState() string }
	switch {
	case errors.As(err, &known):
		c.Raise(known.SQLState(), strings.TrimSuffix(err.Error(), " (SQLSTATE "+known.SQLState()+")"))
	case err != nil:
		c.Raise("57P01", err.Error())
	}
}

// Refuse ends the exploration: a server would do something else.
func (s *Session) Refuse(_ *engine.Call, why string) { _ = s.log.Refuse(why) }

// scanner is the log, if it asks what scans look for.
func (s *Session) scanner() rows.Scanner {
	l, _ := s.log.(rows.Scanner)
	return l
}

// read reads the content of a row by the log's Read or Lock.
func (s *Session) read(c *engine.Call, t *table, r rowVar, by func(string) (any, error)) string {
	v, err := by(t.contentVar(r.id))
	s.check(c, err)
	return rows.KeyOf(v)
}

// put makes sure that the heap has a content of a row.
func (s *Session) put(c *engine.Call, t *table, h held) engine.TID {
	if tid := s.holding(h); tid != engine.NoTID {
		return tid
	}
	content, ok := t.rows.Content(h.content)
	switch {
	case !ok && s.scanner() != nil: // the server has forgotten it, as the transaction was open for too long
		c.Raise("40001", fmt.Sprintf("could not serialize access: the transaction has been open for too many others: %s is forgotten", t.contentVar(h.row.id)))
	case !ok:
		c.Raise("XX000", fmt.Sprintf("txmc: the content of %s is not known: %s", t.contentVar(h.row.id), h.content))
	}
	return s.bring(c, t, h, content)
}

// bring is put of a content that is at hand.
func (s *Session) bring(c *engine.Call, t *table, h held, content engine.Row) engine.TID {
	if tid := s.holding(h); tid != engine.NoTID {
		return tid
	}
	tid, err := c.Insert(t.OID, content, &s.store.entries)
	if err != nil {
		c.Raise("XX000", "txmc: "+err.Error())
	}
	s.keep(address{t.OID, tid}, &version{h, content})
	s.hold(h, tid)
	return tid
}

// add notes a version that lies in the heap. Among several with the same content the
// last one stands for it, unless it is undone: a statement that fails leaves a version
// that some indexes do not have.
func (s *Session) add(v *version, tid engine.TID) {
	s.keep(address{v.held.row.table, tid}, v)
	s.placed = append(s.placed, placed{v.held, s.holding(v.held)})
	s.hold(v.held, tid)
}

// displace makes what stood for contents stand for them again, as before the
// last versions were added, but for the first n.
func (s *Session) displace(n int) {
	for _, p := range slices.Backward(s.placed[n:]) {
		s.hold(p.held, p.before)
	}
	s.placed = s.placed[:n]
}

// changed is the open transaction's last change of a row before a command.
func (s *Session) changed(r rowVar, before uint32) *change {
	for i := len(s.own) - 1; i >= 0; i-- {
		if s.own[i].row == r && s.own[i].command < before {
			return &s.own[i]
		}
	}
	return nil
}

const anyCommand = ^uint32(0)

// identity names the row of a content.
func (s *Session) identity(c *engine.Call, t *table, content engine.Row) rowVar {
	if t.primary != nil {
		if id, null := s.store.text(c, t, t.primary, content); !null {
			return rowVar{t.OID, id}
		}
	}
	s.inserts++
	return rowVar{t.OID, fmt.Sprintf("%s.%d.%d", s.owner, s.txn, s.inserts)}
}
