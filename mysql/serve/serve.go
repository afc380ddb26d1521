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

// MaxConnections is how many clients there may be at a time.
const MaxConnections = 1000

// Server is a MySQL server on a store.
type Server struct {
	kv    *mock.KV
	image *mysql.Image

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
	return &Server{kv: kv, image: image, conns: map[net.Conn]context.CancelFunc{}}, nil
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
	if len(s.conns) >= MaxConnections {
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
		return
	}
	defer s.leave(client)
	name := strconv.Itoa(number)
	session := s.kv.Session(name)
	defer session.Close()
	inner, err := s.image.Connect(name, number, &log{Log: mock.NewLog(ctx, session), session: session})
	if err != nil {
		return
	}
	var sender sync.WaitGroup
	sender.Go(func() {
		copyTo(inner, client) // the client has left
		cancel()
		inner.Close()
	})
	copyTo(client, inner)
	client.Close()
	sender.Wait()
}

// copyTo copies until one side ends.
func copyTo(to, from net.Conn) {
	b := make([]byte, 1<<13)
	for {
		n, err := from.Read(b)
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// log has MySQL's errors.
type log struct {
	mock.Log
	session *mock.Session
	failed  bool
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
	var e *mock.Error
	if !errors.As(err, &e) {
		return err
	}
	l.failed = true
	return vitess.NewSQLError(vitess.ERLockDeadlock, "40001", "%s", fmt.Sprintf("Deadlock found when trying to get lock; try restarting transaction: %s", e.Message))
}
