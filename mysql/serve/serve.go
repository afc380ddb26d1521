// Package serve is a MySQL server that answers reads with any value that an isolation level
// allows: the store of package server/mock below go-mysql-server.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
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

	mu    sync.Mutex
	last  int
	conns map[net.Conn]context.CancelFunc
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
	s := &Server{kv: kv, image: image, conns: map[net.Conn]context.CancelFunc{}}
	return s, s.Admit(mock.Admission{})
}

// Admit says who is served from now on. It is called before clients come. Passwords are
// proved by mysql_native_password.
func (s *Server) Admit(a mock.Admission) (err error) {
	s.admission, err = a.Usual()
	return err
}

// KV is the store below: for its counts, and for what is recorded.
func (s *Server) KV() *mock.KV { return s.kv }

// Serve answers clients until ctx ends. Then it ends all connections, and returns when they
// have ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() {
		l.Close()
		s.closeAll()
	})
	defer stop()
	defer s.wait.Wait()
	for {
		client, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		s.wait.Go(func() { s.answer(ctx, client) })
	}
}

func (s *Server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, cancel := range s.conns {
		cancel()
		c.Close()
	}
}

// enter numbers a client, unless there are too many.
func (s *Server) enter(client net.Conn, cancel context.CancelFunc) (number int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.admission.Connections {
		return 0, false
	}
	s.last++
	s.conns[client] = cancel
	return s.last, true
}

func (s *Server) leave(client net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, client)
}

// answer serves a client until it leaves.
func (s *Server) answer(ctx context.Context, client net.Conn) {
	defer client.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	number, ok := s.enter(client, cancel)
	if !ok {
		refuse(client, 0, vitess.ERConCount, fmt.Sprintf("Too many connections: there are %d already", s.admission.Connections))
		return
	}
	defer s.leave(client)
	name := strconv.Itoa(number)
	session := s.kv.Session(name)
	defer session.Close()
	l := &log{Log: mock.NewLog(ctx, session)}
	inner, err := s.image.Connect(mysql.Client{Owner: name, Number: number, Log: l, Password: s.admission.Password, Statement: s.limited(ctx, l)})
	if err != nil {
		return
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		send(inner, client, s.admission.MessageBytes)
		cancel() // the client has left
		client.Close()
		inner.Close()
	})
	answer(client, inner)
	client.Close()
	sender.Wait()
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

// as is an error as MySQL has it: a transaction that cannot go on is a deadlock, whose
// transaction is rolled back as a whole (error 1213, ER_LOCK_DEADLOCK).
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
