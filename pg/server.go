package pg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/model"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/program/served"
)

// server is a process of PostgreSQL's in one run of a session.
type server struct {
	of     *processes
	hub    *wire.Hub
	x      *loan
	schema string                 // what is defined in it
	text   string                 // the last statement
	runs   atomic.Pointer[string] // the statement that the instance evaluates
	log    *log
	sent   func(rows.Sent) // takes each statement; nil: nobody does

	// Under a database's model:
	model *model.Session
	took  behaviour.Location // where it has taken an advisory lock last
	level string             // of transactions that ask for none

	remote *remote // on a real server
}

// begin makes a process of a run.
func (db *DB) begin(p *processes, b *program.Backend) *server {
	b.Here()
	if db.base.plain != nil {
		s := &server{log: newLog(b)}
		db.base.plain(s)
		b.AtEnd(s.end)
		return s
	}
	if db.base.remote != nil {
		return db.serveRemotely(p, b)
	}
	x, err := db.base.lend(b.Index(), b.Number())
	if err != nil {
		b.Fail("%v", err)
	}
	s := &server{of: p, x: x, schema: db.base.defined, log: newLog(b)}
	s.log.written = x.Written
	if at := db.base.config.clock; at.After(engine.Epoch) {
		s.log.begins = at
	}
	if m := db.base.model; m != nil {
		s.model = m.catalog.NewSession(m.heap, s.log)
		if !b.Final() { // nobody runs beside a Final: what it has read matters to nobody
			s.level = m.level
		}
		x.Hook(s.model)
	} else {
		session := db.base.store.NewSession(b.Session(), s.log)
		session.On(db.base.heap)
		x.Hook(session)
	}
	s.hub = s.newHub(&p.turn)
	db.base.changes.apply(s, b.Session())
	b.AtEnd(s.end)
	return s
}

// newHub makes the hub, whose connections have the run's level.
func (s *server) newHub(t *served.Turn) *wire.Hub {
	h := wire.NewHubOf(t, s, s)
	h.Level = func() string { return s.level }
	return h
}

// running is the statement that the instance evaluates, "" while there is none.
func (s *server) running() string {
	if text := s.runs.Load(); text != nil {
		return wire.Shorten(rows.Short(*text))
	}
	return ""
}

// open says what is open at the session's end, when that is not a transaction which
// the session has begun.
func (s *server) open() string {
	if s.hub.InTransaction() {
		return ""
	}
	return fmt.Sprintf("before the rows of the statement %q were read to the end: close them, as by defer rows.Close()", rows.Short(s.text))
}

// end gives the instance back.
func (s *server) end() {
	if s.x != nil {
		s.x.end()
	}
}

// address is what drivers are told; nobody listens there.
const address = "postgres://postgres@/postgres?host=/txmc&sslmode=disable"

// dial opens a connection without a driver's conveniences.
func dial(ctx context.Context, h *wire.Hub) (*pgconn.PgConn, error) {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	return pgconn.ConnectConfig(ctx, c)
}

// Where a server of PostgreSQL is usually reached.
const (
	socketName = ".s.PGSQL.5432"
	usualPort  = 5432
)

// at is the address of a server by the directory of its socket.
func at(dir string) string { return "postgres://postgres@/postgres?host=" + dir + "&sslmode=disable" }

// apart is a connection whose server has its own time and randomness: the session's
// stay where they were.
type apart struct{ net.Conn }

// Read lets the server answer.
func (c apart) Read(b []byte) (n int, err error) {
	repeat.Apart(func() { n, err = c.Conn.Read(b) })
	return n, err
}

// Statement notes where the client's code runs a statement.
func (s *server) Statement(text string) error {
	if !s.hub.InTransaction() {
		s.log.Begins(false)
	}
	if rows.Begins(text) {
		s.log.given = given{pending: true}
	}
	s.text = text
	if s.model != nil {
		s.model.Statement()
	}
	if err := s.log.Statement(text); err != nil {
		return err
	}
	sql, args := s.hub.Sent()
	s.log.Notify(s.sent, sql, args)
	return nil
}

// Exchange lets the instance answer. A connection that ends in here would not end on a server: that
// ends the exploration.
func (s *server) Exchange(messages []byte) ([]byte, error) {
	if s.remote != nil {
		return s.remote.Exchange(messages)
	}
	out, err := s.exchange(messages)
	if err != nil && !errors.Is(err, program.ErrEnded) && !errors.Is(err, errOver) {
		err = s.log.Refuse(fellOver(err))
	}
	return out, err
}

// exchange lets the instance answer. Definitions that a session changes are seen by no other:
// that ends the exploration, too.
func (s *server) exchange(messages []byte) ([]byte, error) {
	if err := s.x.enter(); err != nil {
		return nil, err
	}
	defer s.x.leave()
	if s.model != nil {
		if err := s.give(messages); err != nil {
			return nil, err
		}
	}
	s.x.NotBefore(s.log.begins.Add(s.log.Clock()))
	text := s.text
	s.runs.Store(&text)
	held := s.held()
	s.log.noticed = 0
	out, err := s.x.Exchange(messages)
	s.runs.Store(nil)
	if s.held() > held {
		s.took = s.log.Place()
	}
	// What it answers is what the client sees. Nobody sees the hub's own: when that is sent
	// depends, by a socket, on when the end of another connection comes through.
	if s.model != nil && !bytes.Equal(messages, wire.Discard) {
		s.log.notices()
		s.log.Answered(out, wire.Words(out))
		s.log.Showed(wire.Seen(out))
	}
	if status := wire.Status(out); err != nil || status != 'I' && status != 'T' || !s.x.Redefined() {
		return out, err
	}
	defined, err := s.x.Definitions()
	switch {
	case err != nil:
		err = s.log.Fail("after the statement %q it cannot be known whether the schema has changed: %v", rows.Short(s.text), err)
	case defined != s.schema:
		err = s.log.Fail("the statement %q changes the schema in a session, where other sessions do not see it: "+
			"do it before the sessions, by pg.Schema, pg.SchemaFunc or pg.SchemaDSN", rows.Short(s.text))
	}
	return out, err
}

// Vacant reports whether the process has no connection.
func (s *server) Vacant() bool { return s.hub == nil || s.hub.Vacant() }

// held is how many advisory locks outlast their transactions.
func (s *server) held() int {
	if s.model == nil {
		return 0
	}
	return len(s.model.Held())
}

// Keeps reports whether the connection has such a lock while the session's code runs.
func (s *server) Keeps() bool { return !s.of.over && s.held() > 0 }

// Cancel ends the statement that runs.
func (s *server) Cancel() {
	if s.x != nil {
		s.x.Cancel()
	}
}

// fellOver says that the connection has ended, and why.
func fellOver(err error) string {
	why := err.Error()
	var crash *engine.CrashError
	if errors.As(err, &crash) {
		why = crash.Brief()
	}
	return fmt.Sprintf("PostgreSQL in this process has ended its connection, as a server would not (%s): run the program on a PostgreSQL server, or leave this out of the test", why)
}

// Refuse ends the exploration.
func (s *server) Refuse(message string) error { return s.log.FailHere("%s", message) }

// log is the history of a session, with the level of its transactions.
type log struct {
	*rows.History
	given  given
	begins time.Time // the clock of the database

	written func() []byte // what the instance has sent to the client
	noticed int           // bytes of it whose notices the history has
}

func newLog(b *program.Backend) *log { return &log{History: rows.NewHistory(b), begins: engine.Epoch} }

// notices tells the history of the notices that were sent.
func (l *log) notices() {
	var list []string
	if list, l.noticed = wire.Notices(l.written(), l.noticed); list == nil {
		return
	}
	for _, text := range list {
		l.Noticed(text)
	}
}

// Begin begins a transaction.
func (l *log) Begin() error {
	l.given.level = l.LevelOf()
	return l.History.Begin()
}
