package proxy

import (
	"context"
	"fmt"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// Application begins the name of the proxy's connections, where a server has names for
// them.
const Application = "txmc"

// Server is a database on a server, for one program at a time. Its methods are for one
// goroutine.
type Server struct {
	db      Database
	dialect *Dialect
	quick   bool          // deadlocks are found at once
	check   time.Duration // longer than a wait lasts before it is looked at for a deadlock

	idle    map[string][]Link // by the first message
	greeted map[string][]byte
	setUp   Link // makes schema and seed
	limit   time.Duration
	content Content
	remade
	freedom
}

// remade says how the database is made anew.
type remade struct {
	again   func(context.Context) error // makes schema and seed again
	changed bool                        // a session may have changed definitions
	slow    bool                        // rows cannot be put back: schema and seed run again
}

// On is a server for a database that is empty or of the proxy's own making. limit is how
// long a statement may run that waits for nobody.
func On(db Database, limit time.Duration) *Server {
	s := &Server{db: db, dialect: db.Dialect(), limit: limit, idle: map[string][]Link{}, greeted: map[string][]byte{}, freedom: freedom{usual: map[string]time.Duration{}}}
	s.check, s.quick = db.Deadlocks()
	return s
}

// Database is the name of the database that the server is.
func (s *Server) Database() string { return s.dialect.Name }

// Whole reports whether statements in autocommit go to the server as they are.
func (s *Server) Whole() bool { return s.free }

// Version is the server's, as PostgreSQL 15.18.
func (s *Server) Version() string { return s.db.Version() }

// Close ends all connections, also those on which a statement runs.
func (s *Server) Close() error {
	s.hangUp()
	s.unset()
	return s.db.Close()
}

// hangUp ends the connections that no session has.
func (s *Server) hangUp() {
	for _, list := range s.idle {
		for _, l := range list {
			l.Close()
		}
	}
	clear(s.idle)
}

// unset ends the connection that has made schema and seed.
func (s *Server) unset() {
	if s.setUp != nil {
		s.setUp.Close()
		s.setUp = nil
	}
}

// linkOf returns a connection of a session.
func (s *Server) linkOf(ctx context.Context, startup string) (Link, error) {
	if list := s.idle[startup]; len(list) > 0 {
		s.idle[startup] = list[:len(list)-1]
		return list[len(list)-1], nil
	}
	return s.db.Connect(ctx, startup)
}

// put takes a connection of those parameters back on which nothing is open.
func (s *Server) put(startup string, l Link) {
	if l.Status() == 'I' && s.db.Clean(l) {
		s.idle[startup] = append(s.idle[startup], l)
		return
	}
	l.Close()
}

// Greet is what the server says to a new connection.
func (s *Server) Greet(startup string) ([]byte, error) {
	if g, ok := s.greeted[startup]; ok {
		return g, nil
	}
	l, err := s.db.Connect(context.Background(), startup)
	if err != nil {
		if out := s.db.Refusal(err); out != nil { // as by a setting that is none
			return out, nil
		}
		return nil, err
	}
	s.greeted[startup] = l.Greeting()
	s.idle[startup] = append(s.idle[startup], l)
	return l.Greeting(), nil
}

// Send answers what makes schema and seed.
func (s *Server) Send(q *access.Sent) (out []byte, err error) {
	if s.setUp == nil {
		if s.setUp, err = s.linkOf(context.Background(), q.Startup); err != nil {
			return nil, err
		}
	}
	late := time.AfterFunc(s.limit, s.setUp.Interrupt)
	defer late.Stop()
	if out, err = s.setUp.Exchange(q); err != nil {
		err = fmt.Errorf("%q has not been answered: %w", q, err)
	}
	return out, err
}

// client is the program on the server, with an empty database that has run its schema
// and seed.
func (s *Server) client(ctx context.Context, of *program.Client, level string) (*program.Client, error) {
	c, err := s.made(ctx, of, level)
	if err != nil {
		return nil, err
	}
	if !c.UsesBackend() {
		return nil, &behaviour.Error{Kind: behaviour.Misuse, Program: of.Name, Message: "the program has no database in SQL that a server could have: declare one by " + s.dialect.Package + ".New, or leave out --dsn and --confirm"}
	}
	if isolation.DatabaseNamed(c.Model()) != s.dialect.Of {
		return nil, &behaviour.Error{Kind: behaviour.Misuse, Program: of.Name, Message: "the program's database is none of package " + s.dialect.Package + ", and the server is " + s.Version() + ": give the address of a server of the other kind"}
	}
	s.again = func(ctx context.Context) error {
		c, err := s.made(ctx, of, level)
		if err == nil {
			c.Park()
			err = s.capture(ctx)
		}
		return err
	}
	return c, s.capture(ctx)
}

// made is the program with a database that its schema and seed have made.
func (s *Server) made(ctx context.Context, of *program.Client, level string) (*program.Client, error) {
	s.hangUp()
	if err := s.db.Clear(ctx); err != nil {
		return nil, err
	}
	c, err := of.OnServer(s, level)
	s.unset()
	return c, err
}

// capture keeps what is in the database, from then on for all executions.
func (s *Server) capture(ctx context.Context) (err error) {
	if s.content, err = s.db.Capture(ctx); err != nil {
		return err
	}
	err = s.db.Reset(ctx)
	if s.slow = err == ErrRebuild; s.slow {
		return nil
	}
	return err
}

// first makes all be as schema and seed have left it.
func (s *Server) first(ctx context.Context) error {
	if s.slow || s.changed {
		s.changed = false
		return s.again(ctx)
	}
	return s.db.Reset(ctx)
}
