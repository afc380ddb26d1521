package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/access"
)

// Application begins the application_name of the proxy's connections.
const Application = "txmc"

// Schema is the schema of the proxy's own, in which it keeps copies of tables.
const Schema = "txmc_scratch"

// deadlockTimeout is the time after which a wait is looked at for a deadlock, in
// milliseconds, where it can be set.
const deadlockTimeout = 1

// Server is a database on a server, for one program at a time. Its methods are for one
// goroutine.
type Server struct {
	config  *pgconn.Config
	monitor *pgconn.PgConn // looks who waits, and puts rows back
	version string
	quick   bool          // deadlocks are found at once
	check   time.Duration // longer than a wait lasts before it is looked at for a deadlock

	idle    map[string][]*link // by the first message
	greeted map[string][]byte
	setUp   *link // makes schema and seed
	limit   time.Duration
	content content
	again   func(context.Context) error // makes schema and seed again
	changed bool                        // a session may have changed definitions
	slow    bool                        // rows cannot be put back: schema and seed run again
}

// Open connects to a database that is empty or of the proxy's own making. limit is how
// long a statement may run that waits for nobody.
func Open(ctx context.Context, dsn string, limit time.Duration) (*Server, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	s := &Server{config: config, limit: limit, idle: map[string][]*link{}, greeted: map[string][]byte{}}
	own := config.Copy()
	own.RuntimeParams["application_name"] = Application
	if s.monitor, err = pgconn.ConnectConfig(ctx, own); err != nil {
		return nil, fmt.Errorf("cannot connect to the server: %w", err)
	}
	if err := s.learn(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// learn asks the server what it is, and what it lets its user do.
func (s *Server) learn(ctx context.Context) error {
	rows, err := s.query(ctx, "SELECT current_setting('server_version'), extract(epoch FROM current_setting('deadlock_timeout')::interval) * 1000")
	if err != nil {
		return err
	}
	s.version = "PostgreSQL " + strings.Fields(rows[0][0])[0]
	var ms float64
	if _, err := fmt.Sscan(rows[0][1], &ms); err != nil {
		return err
	}
	s.quick = s.run(ctx, fmt.Sprintf("SET %s = %d", deadlockSetting, deadlockTimeout)) == nil
	if s.quick {
		ms = deadlockTimeout
	}
	s.check = time.Duration(4 * ms * float64(time.Millisecond))
	return nil
}

// Version is the server's, as PostgreSQL 15.18.
func (s *Server) Version() string { return s.version }

// Close ends all connections, also those on which a statement runs.
func (s *Server) Close() error {
	for _, list := range s.idle {
		for _, l := range list {
			l.conn.Close()
		}
	}
	s.idle = map[string][]*link{}
	if s.setUp != nil {
		s.setUp.conn.Close()
		s.setUp = nil
	}
	ended, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return s.monitor.Close(ended)
}

// take returns a connection of a session.
func (s *Server) take(ctx context.Context, startup string) (*link, error) {
	if list := s.idle[startup]; len(list) > 0 {
		s.idle[startup] = list[:len(list)-1]
		return list[len(list)-1], nil
	}
	return s.connect(ctx, startup)
}

// put takes a connection back on which nothing is open.
func (s *Server) put(l *link) {
	if l.status == 'I' && l.run("DISCARD ALL") == nil && l.status == 'I' {
		s.idle[l.startup] = append(s.idle[l.startup], l)
		return
	}
	l.conn.Close()
}

// Greet is what the server says to a new connection.
func (s *Server) Greet(startup string) ([]byte, error) {
	if g, ok := s.greeted[startup]; ok {
		return g, nil
	}
	l, err := s.connect(context.Background(), startup)
	var refused *pgconn.PgError
	if errors.As(err, &refused) { // as by a setting that is none
		return (&pgproto3.ErrorResponse{Severity: refused.Severity, Code: refused.Code, Message: refused.Message}).Encode(nil)
	}
	if err != nil {
		return nil, err
	}
	s.greeted[startup] = l.greeting
	s.idle[startup] = append(s.idle[startup], l)
	return l.greeting, nil
}

// Send answers what makes schema and seed.
func (s *Server) Send(q *access.Sent) (out []byte, err error) {
	if s.setUp == nil {
		if s.setUp, err = s.take(context.Background(), q.Startup); err != nil {
			return nil, err
		}
	}
	late := time.AfterFunc(s.limit, func() { s.setUp.conn.SetDeadline(time.Now()) })
	defer late.Stop()
	if out, err = s.setUp.exchange(q); err != nil {
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
		return nil, &program.Error{Kind: program.Misuse, Program: of.Name, Message: "the program has no database in SQL that a server could have: declare one by pg.New, or leave out --dsn and --confirm"}
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
	if err := s.clear(ctx); err != nil {
		return nil, err
	}
	c, err := of.OnServer(s, level)
	if s.setUp != nil {
		s.setUp.conn.Close()
		s.setUp = nil
	}
	return c, err
}

// run runs statements on the proxy's own connection.
func (s *Server) run(ctx context.Context, sql string) error {
	_, err := s.monitor.Exec(ctx, sql).ReadAll()
	return err
}

// query returns the rows of a statement, as text.
func (s *Server) query(ctx context.Context, sql string) (rows [][]string, err error) {
	results, err := s.monitor.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for _, cells := range r.Rows {
			row := make([]string, len(cells))
			for i, cell := range cells {
				row[i] = string(cell)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}
