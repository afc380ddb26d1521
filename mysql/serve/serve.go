// Package serve is a MySQL server that answers reads with any value that an isolation level
// allows: the store of package server/mock below go-mysql-server.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"

	vitess "github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/server/mock"
)

// Server is a MySQL server on a store.
type Server struct {
	kv        *mock.KV
	image     *mysql.Image
	admission mock.Admission

	// Says is where the server says which statements it cannot answer as MySQL does; standard
	// error by default.
	Says io.Writer

	mu    sync.Mutex
	last  int
	conns map[*client]bool
	said  map[string]bool
	wait  sync.WaitGroup
}

// NewServer makes a server with a schema and initial rows, as mysql.New has them.
func NewServer(o mock.Options, schema ...mysql.Option) (*Server, error) {
	kv, err := mock.NewKV(o)
	if err != nil {
		return nil, err
	}
	image, err := mysql.NewImage(schema...)
	if err != nil {
		return nil, err
	}
	kv.Load(image.Initial())
	kv.Forgets(image.Forget)
	s := &Server{kv: kv, image: image, Says: os.Stderr, conns: map[*client]bool{}, said: map[string]bool{}}
	return s, s.Admit(mock.Admission{})
}

// Admit says who is served from now on. It is called before clients come. Passwords are
// proved by mysql_native_password.
func (s *Server) Admit(a mock.Admission) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admission, err = a.Usual()
	return err
}

// KV is the store below: for its counts, and for what is recorded.
func (s *Server) KV() *mock.KV { return s.kv }

// Serve answers clients until hard ends. Then it ends all connections, and returns when they
// have ended. From the end of soft on it listens no more, and lets open transactions end.
func (s *Server) Serve(soft, hard context.Context, l net.Listener) error {
	ctx, cancel := context.WithCancel(hard)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { l.Close() })
	defer stop()
	drained := context.AfterFunc(soft, func() {
		l.Close()
		mock.Drain(ctx, s.closeIdle)
		cancel()
	})
	defer drained()
	err := s.accept(ctx, l)
	switch {
	case hard.Err() != nil:
		err = nil
	case soft.Err() != nil:
		<-ctx.Done()
		err = nil
	}
	s.closeAll()
	s.wait.Wait()
	return err
}

// accept takes clients in until the listener is closed.
func (s *Server) accept(ctx context.Context, l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		s.wait.Go(func() { s.answer(ctx, conn) })
	}
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.close()
	}
}

// closeIdle closes connections without a transaction, whose clients wait for no answer, and
// returns how many are left.
func (s *Server) closeIdle() (left int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if c.session.Open() || c.busy() {
			left++
		} else {
			c.close()
		}
	}
	return left
}

// enter numbers a client and gives it a session, unless there are too many.
func (s *Server) enter(c *client) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.admission.Connections {
		return false
	}
	s.last++
	c.number, c.session = s.last, s.kv.Session(strconv.Itoa(s.last))
	s.conns[c] = true
	return true
}

func (s *Server) leave(c *client) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	c.session.Close()
}

// answer serves a client until it leaves.
func (s *Server) answer(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &client{Conn: conn, cancel: cancel}
	if !s.enter(c) {
		refuse(conn, 0, vitess.ERConCount, fmt.Sprintf("Too many connections: there are %d already", s.admission.Connections))
		return
	}
	defer s.leave(c)
	l := &log{Log: mock.NewLog(ctx, c.session)}
	as := mysql.Client{Owner: strconv.Itoa(c.number), Number: c.number, Log: l, Password: s.admission.Password, Refused: s.refused, Statement: s.limited(ctx, l)}
	if c.connect(s.image, as) != nil {
		return
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		c.send(s.admission.MessageBytes)
		c.close() // the client has left
		c.inner.Close()
	})
	c.answer()
	conn.Close()
	sender.Wait()
}

// mostSaid bounds how many statements the server remembers to have said.
const mostSaid = 1000

// refused says, once, which statement fails here although a MySQL server may answer it.
func (s *Server) refused(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said[message] || len(s.said) >= mostSaid {
		return
	}
	s.said[message] = true
	fmt.Fprintf(s.Says, "txmc-mysql: %s\n", message)
}

// limited limits the time of statements.
func (s *Server) limited(connection context.Context, l *log) func(context.Context) (context.Context, func()) {
	limit := s.admission.Statement
	if limit <= 0 {
		return nil
	}
	return func(context.Context) (context.Context, func()) {
		why := vitess.NewSQLError(erQueryTimeout, "HY000", "Query execution was interrupted, maximum statement execution time exceeded: %v", limit)
		during, done := context.WithTimeoutCause(connection, limit, why)
		l.During(during)
		return during, done
	}
}

// erQueryTimeout is MySQL's ER_QUERY_TIMEOUT.
const erQueryTimeout = 3024

// log has MySQL's errors.
type log struct {
	mock.Log
	failed bool
}

// Failed implements mysql.Log.
func (l *log) Failed() bool {
	failed := l.failed
	l.failed = false
	return failed
}

// Read, Lock, Write and Commit are the store's.
func (l *log) Read(key string) (any, error) {
	v, err := l.Log.Read(key)
	return v, l.as(err)
}

// Lock locks a key and reads it.
func (l *log) Lock(key string) (any, error) {
	v, err := l.Log.Lock(key)
	return v, l.as(err)
}

// Write writes a key.
func (l *log) Write(key string, value any) error { return l.as(l.Log.Write(key, value)) }

// Commit ends the transaction.
func (l *log) Commit() error { return l.as(l.Log.Commit()) }

// as is an error as MySQL has it. A transaction that cannot go on is the victim of a
// deadlock, and is rolled back as a whole (error 1213, ER_LOCK_DEADLOCK).
func (l *log) as(err error) error {
	if err == nil {
		return nil
	}
	l.failed = true
	var e *mock.Error
	if !errors.As(err, &e) {
		return err
	}
	return vitess.NewSQLError(vitess.ERLockDeadlock, "40001", "%s", fmt.Sprintf("Deadlock found when trying to get lock; try restarting transaction: %s", e.Message))
}

// Known is how many rows the server remembers, also those that are gone.
func (s *Server) Known() int { return s.image.Known() }
