package pg

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/model"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// server is the PostgreSQL of one run of a session.
type server struct {
	hub    *wire.Hub
	x      *loan
	schema string                 // what is defined in it
	text   string                 // the last statement
	runs   atomic.Pointer[string] // the statement that the instance evaluates
	log    *log
	socket net.Listener
	served string // the directory that stands for the hub without a socket

	// Under a database's model:
	model *model.Session
	level string // of transactions that ask for none

	remote *remote // on a real server
}

// serve returns the server of this run, made at its first use.
func (db *DB) serve(b *program.Backend) *server {
	if db.run != nil {
		db.run.log.Backend = b
		return db.run
	}
	b.Here()
	if db.base.plain != nil {
		db.run = &server{log: newLog(b)}
		db.base.plain(db.run)
		b.AtEnd(db.run.end)
		return db.run
	}
	if db.base.remote != nil {
		db.run = db.serveRemotely(b)
		return db.run
	}
	x, err := db.base.lend(b.Index())
	if err != nil {
		b.Fail("%v", err)
	}
	s := &server{x: x, schema: db.base.defined, log: newLog(b)}
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
	s.hub = wire.NewHub(s, s)
	db.base.changes.apply(s, b.Session())
	db.run = s
	b.Interruptible(s.running, x.CancelAll)
	b.OpenAtEnd(s.open)
	b.AtEnd(s.end)
	return s
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
	if s.socket != nil {
		s.socket.Close()
	}
	if s.x != nil {
		s.x.end()
	}
}

// address is what drivers are told; nobody listens there.
const address = "postgres://postgres@/postgres?host=/txmc&sslmode=disable"

// config is a configuration whose connections are the hub's.
func (s *server) config() *pgx.ConnConfig {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		panic(err) // the address above is right
	}
	if s.level != "" {
		c.RuntimeParams[levelSetting] = s.level
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return apart{s.hub.Dial()}, nil }
	return c
}

// dial opens a connection without a driver's conveniences.
func dial(ctx context.Context, h *wire.Hub) (*pgconn.PgConn, error) {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) { return h.Dial(), nil }
	return pgconn.ConnectConfig(ctx, c)
}

// dsn is the address of a socket that leads to the hub. Where dialling is overlaid
// there is none: drivers run the engine on the goroutine that calls them.
func (s *server) dsn() string {
	if s.served == "" {
		s.served = repeat.Serve(func() (net.Conn, error) { return apart{s.hub.Dial()}, nil })
	}
	if s.served != "" {
		return s.at(s.served)
	}
	if s.socket == nil {
		dir, err := os.MkdirTemp("", "txmc")
		if err == nil {
			s.socket, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
		}
		if err != nil {
			s.log.Fail("no socket for the database: %v", err)
		}
		go accept(s.socket, s.hub)
	}
	return s.at(filepath.Dir(s.socket.Addr().String()))
}

// at is the address of the server by the directory of its socket.
func (s *server) at(dir string) string {
	address := "postgres://postgres@/postgres?host=" + dir + "&sslmode=disable"
	if s.level != "" {
		address += "&" + levelSetting + "=" + url.PathEscape(s.level)
	}
	return address
}

// levelSetting is the server's setting of the level of transactions that ask for none.
const levelSetting = "default_transaction_isolation"

// apart is a connection whose server has its own time and randomness: the session's
// stay where they were.
type apart struct{ net.Conn }

// Read lets the server answer.
func (c apart) Read(b []byte) (n int, err error) {
	repeat.Apart(func() { n, err = c.Conn.Read(b) })
	return n, err
}

// accept joins connections of a socket with connections of a hub.
func accept(l net.Listener, h *wire.Hub) {
	defer os.RemoveAll(filepath.Dir(l.Addr().String()))
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		inner := h.Dial()
		go relay(c, inner)
		go relay(inner, c)
	}
}

// relay copies until one side ends, and ends the other.
func relay(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
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
	return s.log.Statement(text)
}

// Exchange lets the instance answer. Definitions that a session changes are seen by
// no other: that ends the exploration.
func (s *server) Exchange(messages []byte) ([]byte, error) {
	if s.remote != nil {
		return s.remote.Exchange(messages)
	}
	if err := s.x.enter(); err != nil {
		return nil, err
	}
	defer s.x.leave()
	if s.model != nil {
		if err := s.give(messages); err != nil {
			return nil, err
		}
	}
	s.x.NotBefore(engine.Epoch.Add(s.log.Clock()))
	text := s.text
	s.runs.Store(&text)
	out, err := s.x.Exchange(messages)
	s.runs.Store(nil)
	if s.model != nil { // what it answers is what the client sees
		s.log.Answered(out, wire.Words(out))
		s.log.Showed(wire.Seen(out))
	}
	if status := wire.Status(out); err != nil || status != 'I' && status != 'T' || !s.x.Redefined() {
		return out, err
	}
	defined, err := s.x.Definitions()
	if err == nil && defined != s.schema {
		err = s.log.Fail("the statement %q changes the schema in a session, where other sessions do not see it: "+
			"do it before the sessions, by pg.Schema, pg.SchemaFunc or pg.SchemaDSN", rows.Short(s.text))
	}
	return out, err
}

// Cancel ends the statement that runs.
func (s *server) Cancel() {
	if s.x != nil {
		s.x.Cancel()
	}
}

// Refuse ends the exploration.
func (s *server) Refuse(message string) error { return s.log.Fail("%s", message) }

// log is the history of a session, with the level of its transactions.
type log struct {
	*rows.History
	given given
}

func newLog(b *program.Backend) *log { return &log{History: rows.NewHistory(b)} }

// Begin begins a transaction.
func (l *log) Begin() error {
	l.given.level = l.LevelOf()
	return l.History.Begin()
}
