package mock

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/xdg-go/scram"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/server/mock/exact"
)

// Server is a PostgreSQL server on a [KV]. PostgreSQL evaluates the SQL. Each row that it
// looks at is a read, and any version that the level allows answers the read. At a level
// of PostgreSQL's it is one on the model of PostgreSQL (package exact).
type Server struct {
	options    Options
	store      under
	image      *pg.Image
	sequences  sequences
	advisories *advisories
	last       atomic.Int64 // number of a connection
	admission  Admission
	lock       *scram.Server // nil: there is no password
	databases  databases

	mu    sync.Mutex
	conns map[*connection]bool
	wait  sync.WaitGroup
}

// NewServer makes a server with a schema and initial rows, as pg.New has them.
func NewServer(o Options, schema ...pg.Option) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Server{options: o, advisories: newAdvisories(), conns: map[*connection]bool{}}
	if o.exact() {
		m, err := newModelled(o, schema)
		if err != nil {
			return nil, err
		}
		s.store, s.image = m, m.image
	} else {
		a, err := newAnswering(o, schema)
		if err != nil {
			return nil, err
		}
		s.store, s.image = a, a.image
	}
	s.store.redefinable(unlocked{s}, s.sequences.renew)
	return s, s.Admit(Admission{})
}

// Load gives keys the values that they have before all transactions. It is called
// before the store is used.
func (s *KV) Load(initial map[string]any) {
	for key, v := range initial {
		s.items.list[s.items.number(key)].versions[0].value = v
	}
	clear(s.items.empty)
}

// KV is the store below: for its counts, and for what is recorded. There is none at a level
// of PostgreSQL's.
func (s *Server) KV() *KV {
	if a, ok := s.store.(*answering); ok {
		return a.KV
	}
	return nil
}

// Record makes the server hand on each transaction that has ended, in the order of their
// ends. It is called before the server is used.
func (s *Server) Record(take func(*Transaction)) {
	s.databases.take = take
	s.store.Record(take)
}

// connection is a client's connection with its backend.
type connection struct {
	server     *Server
	backend    *pg.Backend
	session    session
	advisories []string // locks that end with the transaction
	cancel     context.CancelFunc
	client     net.Conn
	left       atomic.Bool
	asked      atomic.Bool // the client has sent what is not answered to the end
	key        key
	status     atomic.Int32                            // what the last answer says of the transaction: I, T or E
	idle       atomic.Bool                             // the client is, in a transaction, and may be for some time only
	statement  atomic.Pointer[context.CancelCauseFunc] // ends what the statement that runs waits for
}

func (c *connection) gone() bool { return c.left.Load() }

// Next and Advise are pg.Others.
func (c *connection) Next(sequence uint32) int { return c.server.sequences.next(sequence) }

// Advise locks or unlocks an advisory lock. Who gets one sees what has been committed.
func (c *connection) Advise(q engine.Advisory) bool {
	ok := c.server.advisories.advise(c, q)
	if l, is := c.session.(*log); is && ok && !q.Release {
		l.Sync()
	}
	return ok
}

// Commit ends the transaction and what belongs to it.
func (l *connectionLog) Commit() error {
	defer l.c.server.advisories.ended(l.c)
	return l.log.Commit()
}

// Abort ends the transaction and what belongs to it.
func (l *connectionLog) Abort(why string) error {
	defer l.c.server.advisories.ended(l.c)
	return l.log.Abort(why)
}

// Refuse says why the statement fails which would not fail on a server.
func (l *connectionLog) Refuse(why string) error { return l.c.refuse(why) }

func (c *connection) refuse(why string) error {
	return refused(c.server.options.Refused, fmt.Sprintf("the statement %q: %s", c.backend.Runs(), why))
}

// connectionLog is a log whose transactions end advisory locks.
type connectionLog struct {
	*log
	c *connection
}

// connect makes a connection with a backend of its own.
func (s *Server) connect(client net.Conn) (*connection, error) {
	s.mu.Lock()
	n := len(s.conns)
	s.mu.Unlock()
	if most := s.admission.Connections; n >= most {
		return nil, &Error{"53300", fmt.Sprintf("there are %d connections already: close some, or allow more", most)}
	}
	number := cmp.Or(s.databases.root, s).last.Add(1)
	name := strconv.FormatInt(number, 10)
	ctx, cancel := context.WithCancel(context.Background())
	c := &connection{server: s, client: client, cancel: cancel, key: key{uint32(number), rand.Uint32()}}
	var err error
	if c.session, err = s.store.connect(c, name); err != nil {
		cancel()
		return nil, err
	}
	c.session.During(ctx)
	c.backend.As(c.key.process, c)
	c.backend.Limit(s.admission.Statement, func(lock time.Duration) (context.Context, context.CancelCauseFunc) {
		during, end := context.WithCancelCause(exact.WithLockTimeout(ctx, lock))
		c.session.During(during)
		c.statement.Store(&end)
		return during, end
	})
	s.mu.Lock()
	s.conns[c] = true
	s.mu.Unlock()
	return c, nil
}

// cancelStatement ends the statement that runs, from any goroutine.
func (c *connection) cancelStatement(why error) {
	if end := c.statement.Load(); end != nil {
		(*end)(why)
	}
	c.backend.Cancel()
}

// close ends the connection, from any goroutine; the backend's statement ends first.
func (c *connection) close() {
	if !c.left.CompareAndSwap(false, true) {
		return
	}
	c.cancel()
	c.client.Close()
	c.backend.Cancel()
	c.server.advisories.left(c)
}

// end frees what the connection has, when no statement runs any more.
func (c *connection) end() {
	c.close()
	c.session.Close()
	_ = c.backend.Close() // nothing is done with it any more
	c.server.mu.Lock()
	delete(c.server.conns, c)
	c.server.mu.Unlock()
}

// Serve answers clients until ctx ends. Then it ends all connections, and returns when
// they have ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error { return s.accept(ctx, l) }

func (s *Server) accept(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	defer s.image.Close()
	defer s.wait.Wait()
	defer s.closeAll()
	defer s.closeDatabases()
	for {
		client, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			<-ctx.Done() // those that are served go on until then
			return nil
		case err != nil:
			return err
		}
		s.wait.Go(func() { s.answer(client) })
	}
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.close()
	}
}

// Close ends all connections, and returns when they have ended.
func (s *Server) Close() {
	s.closeDatabases()
	s.closeAll()
	s.wait.Wait()
	_ = s.image.Close() // nothing is done with it any more
}

// DB opens a database in the process: each connection is a session.
func (s *Server) DB() *sql.DB {
	return stdlib.OpenDB(*s.Config())
}

// Config is the configuration of connections in the process.
func (s *Server) Config() *pgx.ConnConfig {
	c, err := pgx.ParseConfig("postgres://postgres@/postgres?host=/txmc&sslmode=disable")
	if err != nil {
		panic(err) // the address is right
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		s.wait.Go(func() { s.answer(server) })
		return client, nil
	}
	return c
}

// Fatal is for tests: *testing.T and *testing.B.
type Fatal interface {
	Helper()
	Fatal(...any)
	Cleanup(func())
	Logf(string, ...any)
}

// Open gives a test a database that answers with everything that the level of o allows.
// A failure says the seed.
func Open(t Fatal, o Options, schema ...pg.Option) *sql.DB {
	t.Helper()
	s, err := NewServer(o, schema...)
	if err != nil {
		t.Fatal(err)
	}
	db := s.DB()
	t.Cleanup(func() {
		db.Close()
		s.Close()
		t.Logf("mock database at %s with seed %d: %s", o.Level, o.Seed, s.store.counted())
	})
	return db
}

// Listen listens on an address, of this machine only unless there is a password.
func Listen(address string, password bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen=%s: give HOST:PORT, such as 127.0.0.1:5432; port 0 picks one: %w", address, err)
	}
	if ip := net.ParseIP(host); !password && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen=%s: without --password the mock server listens on loopback addresses only, such as 127.0.0.1", address)
	}
	return net.Listen("tcp", address)
}

// DSN is the address of a listener for drivers.
func DSN(l net.Listener) string {
	return fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", l.Addr())
}
