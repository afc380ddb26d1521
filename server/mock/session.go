package mock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/txmc/txmc/program/behaviour"
)

// KV is a database of keys and values whose reads are answered at random. Its
// methods and those of its sessions may be called from several goroutines; a session
// runs one transaction at a time.
type KV struct {
	options Options
	recorder

	mu     sync.Mutex
	rand   *rand.Rand
	items  items
	window window
	underWay
	mark   mark
	forced forced
	tally
}

// recorder takes what transactions have done.
type recorder struct {
	record  func(*Transaction) // takes what has ended; nil: nobody
	forgets func(inUse)        // takes from time to time what is in use; nil: nobody
	ends    int                // transactions that have ended since then
}

// underWay are the sessions, and their transactions that are open.
type underWay struct {
	sessions map[*Session]bool
	slots    []*Session // by number in the window; nil when free
	open     []*txn
	ended    chan struct{} // closed when a transaction ends
	locks    map[behaviour.VarID]*txn
}

// tally counts what was done.
type tally struct {
	begun   int64
	written int64
	commits int64
	counts  counts
}

// NewKV returns an empty store.
func NewKV(o Options) (*KV, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &KV{options: o, rand: rand.New(rand.NewPCG(o.Seed, 0)), underWay: underWay{sessions: map[*Session]bool{}, ended: make(chan struct{}), locks: map[behaviour.VarID]*txn{}},
		items: items{numbers: map[string]behaviour.VarID{}, empty: map[behaviour.VarID]struct{}{}}}
	s.window.level = o.Level
	s.window.witness.valid = !o.Level.CausallyExtensible()
	s.window.reset(0)
	s.counts.patterns = map[uint64]struct{}{}
	return s, nil
}

// Session is a client's session: its transactions follow each other.
type Session struct {
	// Name names the session in what is recorded.
	Name   string
	store  *KV
	slot   int
	now    *txn
	gone   bool
	weak   Weak
	serial bool // its transactions are serializable
}

// Session opens a session.
func (s *KV) Session(name string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Session{Name: name, store: s, weak: s.options.Weak}
	s.sessions[c] = true
	for i, other := range s.slots {
		if other == nil {
			c.slot = i
			s.slots[i] = c
			return c
		}
	}
	c.slot = len(s.slots)
	s.slots = append(s.slots, c)
	s.rebuild()
	return c
}

// Close ends the session. An open transaction is rolled back.
func (c *Session) Close() {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return
	}
	if c.now != nil {
		s.abort(c.now)
	}
	c.gone = true
	delete(s.sessions, c)
	s.vacate()
}

// Begin begins a transaction.
func (c *Session) Begin() error {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.gone:
		return errClosed
	case c.now != nil:
		return &Error{"25001", "there is already a transaction in progress"}
	}
	s.begun++
	c.now = &txn{session: c, number: s.begun, span: s.spanOf(c)}
	s.open = append(s.open, c.now)
	return nil
}

// Open reports whether a transaction is open.
func (c *Session) Open() bool {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.now != nil
}

// current returns the open transaction, or why there is none.
func (c *Session) current() (*txn, error) {
	switch {
	case c.gone:
		return nil, errClosed
	case c.now == nil:
		return nil, errEnded
	case c.now.why != nil:
		err := c.now.why
		c.now.why = nil
		return nil, err
	case c.now.state == aborted:
		return nil, errFailed
	}
	return c.now, nil
}

// Read returns a value of the key that the level allows, nil where there is nothing.
// The transaction's own last write is the value if there is one.
func (c *Session) Read(key string) (any, error) {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := c.current()
	if err != nil {
		return nil, err
	}
	return s.read(t, s.items.number(key), false)
}

// Lock is Read for an update: of the version after which no other transaction can
// write until this one has ended. It waits for a transaction that has locked the key;
// the end of ctx ends the waiting. An error rolls the transaction back. With
// Options.NoLocks it is Read.
func (c *Session) Lock(ctx context.Context, key string) (any, error) {
	s := c.store
	if s.options.NoLocks {
		return c.Read(key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := c.current()
	if err != nil {
		return nil, err
	}
	x := s.items.number(key)
	if err := s.acquire(ctx, t, x); err != nil {
		return nil, err
	}
	return s.read(t, x, true)
}

// Write writes a value of the key; nil deletes it. An error rolls the transaction
// back.
func (c *Session) Write(key string, value any) error {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := c.current()
	if err != nil {
		return err
	}
	x := s.items.number(key)
	s.written++
	v := &version{id: s.written, value: value, writer: t}
	undo := t.put(x, v)
	t.note(s, Event{Write: true, Key: key, Version: v.id, Value: value})
	if !s.mayWrite(t) {
		undo()
		return s.fail(t, serialization(fmt.Sprintf("%q has been read or written by a concurrent transaction", key)))
	}
	return nil
}

// Commit ends the transaction, whose writes count from now on. It fails only when
// the transaction has failed before.
func (c *Session) Commit() error {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := c.current()
	if err != nil {
		c.now = nil
		return err
	}
	s.commit(t)
	return nil
}

// Rollback ends the transaction without effect.
func (c *Session) Rollback() error {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.gone:
		return errClosed
	case c.now == nil:
		return errEnded
	case c.now.state == open:
		s.abort(c.now)
	}
	c.now = nil
	return nil
}

// Mark returns what undoes the transaction's writes that come after it: a savepoint.
func (c *Session) Mark() (undo func() error) {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	t := c.now
	if t == nil || t.state != open {
		return func() error { return errEnded }
	}
	before := make(map[behaviour.VarID]*version, len(t.values))
	for x, v := range t.values {
		before[x] = v
	}
	writes := append([]behaviour.Write(nil), t.writes...)
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.state != open {
			return errFailed
		}
		s.window.remove(t)
		s.forced.stale = true
		t.values, t.writes = before, writes
		return nil
	}
}
