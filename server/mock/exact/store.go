package exact

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/program/access"
)

// Catalog is what backends know of the rows.
type Catalog interface {
	// Forget forgets all contents and keys but those of the rows.
	Forget(rows []access.Initial)
	// Describe is a content for people, and Name the row that has it: its table, and its
	// primary key if it has one.
	Describe(value int32) string
	Name(value int32) (name string, keyed bool)
}

// Options say how statements are delayed.
type Options struct {
	Seed uint64
	// Delay is the mean of the delays. Half of the statements have none. 0: DefaultDelay.
	Delay time.Duration
	// Versions is how many row versions and transactions there may be before the store
	// waits for a moment at which it can forget some. 0: DefaultVersions.
	Versions int
}

// DefaultDelay is the mean of the delays.
const DefaultDelay = 5 * time.Millisecond

// DefaultVersions is how many versions and transactions there are about.
const DefaultVersions = 1000

// MaxOpen is how many transactions can be open at a time, sessions with advisory locks of
// their own included. The next one waits.
const MaxOpen = 64

// Store is a database under the model, which sessions share. Its methods, and those of its
// sessions, may be called from several goroutines.
type Store struct {
	options Options
	catalog Catalog

	mu       sync.Mutex
	random   *rand.Rand
	rows     *postgres.Rows
	slots    [MaxOpen]*Session // by number in rows; nil when free
	sessions map[*Session]bool
	turns
	forgetting
	records records
	counts  Counts
	begun   int64 // transactions
}

// turns says which session runs a step, and when the others do.
type turns struct {
	turn    *Session       // runs a step; nil: nobody
	queue   []*Session     // wait for their turn
	timer   *time.Timer    // when a delay is over
	held    *time.Timer    // when transactions that begin are held up no longer
	choices []model.Choice // scratch
}

// forgetting is how many versions there are before the store forgets some.
type forgetting struct {
	since time.Time // when the store began to wait for a moment to forget; zero: it does not
	limit int       // of versions, for now
}

// Counts say what was served.
type Counts struct {
	Committed  int64 // transactions, also those that only read
	RolledBack int64
	Statements int64 // and ends of transactions
	Waited     int64 // of them waited for others
	Deadlocks  int64 // 40P01
	Conflicts  int64 // 40001
}

// New makes a store of a database.
func New(o Options, db *access.Database, c Catalog) *Store {
	if o.Delay <= 0 {
		o.Delay = DefaultDelay
	}
	if o.Versions <= 0 {
		o.Versions = DefaultVersions
	}
	s := &Store{options: o, catalog: c, random: rand.New(rand.NewPCG(o.Seed, 0)), rows: postgres.NewRows(MaxOpen, nil, true),
		sessions: map[*Session]bool{}, forgetting: forgetting{limit: o.Versions}}
	s.rows.LoadTables(db)
	s.timer, s.held = s.alarm(), s.alarm()
	return s
}

// alarm is a timer that lets somebody have the turn.
func (s *Store) alarm() *time.Timer {
	t := time.AfterFunc(time.Hour, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.schedule()
	})
	t.Stop()
	return t
}

// Counts returns the counts so far.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Open is how many transactions are open.
func (s *Store) Open() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.sessions {
		if c.open {
			n++
		}
	}
	return n
}

// Session is a client's session: the log of its backend, pg.Turns.
type Session struct {
	// Name names the session in what is recorded.
	Name  string
	store *Store
	ctx   context.Context

	open bool // a transaction is
	slot int  // in rows; none when there is none
	request
	done recording
}

// request is the step that a session wants to make.
type request struct {
	working bool // its backend is answering messages
	queued  bool
	due     time.Time // queued: when its delay is over
	waits   bool      // for another transaction
	ends    bool      // the end of its transaction joins the step before
	asked   *access.Request
	replies chan model.Reply // what the step that waits answers
	granted chan struct{}    // it is its turn
}

const none = -1

// Session opens a session.
func (s *Store) Session(name string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Session{Name: name, store: s, ctx: context.Background(), slot: none,
		request: request{replies: make(chan model.Reply, 1), granted: make(chan struct{}, 1)}}
	s.sessions[c] = true
	return c
}

// During makes ctx end what the session waits for from now on. It is called between
// statements.
func (c *Session) During(ctx context.Context) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.ctx = ctx
}

// Close ends the session, whose backend runs no statement. An open transaction is rolled
// back.
func (c *Session) Close() {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sessions[c] {
		return
	}
	if c.slot != none {
		_ = c.enter(context.Background(), false) // which does not end
		s.turn = nil
	}
	c.rollBack()
	if c.slot != none {
		s.rows.Leave(c.slot)
		c.free()
	}
	delete(s.sessions, c)
	s.schedule()
}

// Works is called by the backend when it begins to answer messages, and when it has answered them.
func (c *Session) Works(yes bool) {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c.working = yes
	if !yes && s.turn == c {
		s.turn = nil
	}
	s.schedule()
}

// errCancelled is why a statement ends that waits, when nothing says more.
var errCancelled = errors.New("canceling statement: the connection ends")
