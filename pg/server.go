package pg

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

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
		db.run = &server{log: &log{Backend: b}}
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
	s := &server{x: x, schema: db.base.defined, log: &log{Backend: b}}
	if m := db.base.model; m != nil {
		s.model, s.level = m.catalog.NewSession(m.heap, s.log), m.level
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
		return wire.Shorten(short(*text))
	}
	return ""
}

// open says what is open at the session's end, when that is not a transaction which
// the session has begun.
func (s *server) open() string {
	if s.hub.InTransaction() {
		return ""
	}
	return fmt.Sprintf("before the rows of the statement %q were read to the end: close them, as by defer rows.Close()", short(s.text))
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
	if err := s.log.Wanted(); err != nil {
		return err
	}
	if !s.hub.InTransaction() {
		s.log.Begins(false)
	}
	s.log.Here()
	if begins(text) {
		s.log.Begins(true)
		s.log.given = given{pending: true}
	}
	s.log.statement, s.text = text, text
	if s.model != nil {
		s.model.Statement()
	}
	if s.log.Open() {
		return s.log.note()
	}
	return nil
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
			"do it before the sessions, by pg.Schema or pg.SchemaFunc", short(s.text))
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

// log is a Backend as a storage.Log.
type log struct {
	*program.Backend
	statement string // that runs, until it is noted
	last      string // statement that was noted
	given     given
}

// Refuse ends the exploration.
func (l *log) Refuse(message string) error { return l.Fail("%s", message) }

// Begin begins a transaction, named after the function that has begun it.
func (l *log) Begin() error {
	name := l.Function()
	if name == "" {
		name = "transaction"
	}
	l.given.level = l.LevelOf()
	if err := l.Backend.Begin(name); err != nil {
		return err
	}
	return l.note()
}

// note tells the history which statement runs.
func (l *log) note() error {
	if l.statement == "" || control(l.statement) {
		return nil
	}
	text := short(l.statement)
	l.statement, l.last = "", text
	return l.Backend.Statement(text)
}

// short is a statement in one line, without the comments before it.
func short(sql string) string {
	const most = 64 << 10 // bytes: no report shows so much
	sql = withoutComment(sql)
	if len(sql) > most {
		sql = strings.ToValidUTF8(sql[:most], "") + "…"
	}
	return strings.Join(strings.Fields(sql), " ")
}

// withoutComment is a statement without the comments before it.
func withoutComment(sql string) string { return sql[wire.Blank(sql):] }

// first is a statement's first word in lower case.
func first(sql string) string {
	word := withoutComment(sql)
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	return strings.ToLower(word)
}

// begins reports whether a statement begins a transaction.
func begins(sql string) bool { return first(sql) == "begin" || first(sql) == "start" }

// control reports whether a statement only begins or ends a transaction.
func control(sql string) bool {
	if _, more, _ := strings.Cut(sql, ";"); withoutComment(more) != "" {
		return false
	}
	switch first(sql) {
	case "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release":
		return true
	}
	return false
}

// Again says by which statement a row has become known.
func (l *log) Again(table string, row rows.Content) error { return l.Backend.Again(l.last, table, row) }

// Read reads what the level allows; a Final sees the final state.
func (l *log) Read(key string) (any, error) {
	if l.Final() {
		return l.Lock(key)
	}
	return l.Backend.Read(key)
}

// Fits ends the exploration when a row is too large.
func (l *log) Fits(key string, bytes int) error {
	if most := l.MaxValueBytes(); bytes > most {
		return l.Fail("the row %s takes %d bytes and cannot be stored, the limit is %d: store less", key, bytes, most)
	}
	return nil
}

// Mark returns what goes back to the point where the transaction is.
func (l *log) Mark() func() error {
	at := l.Save()
	return func() error { return l.Restore(at) }
}

// String names the session, for the debugger.
func (l *log) String() string { return fmt.Sprintf("log of %s", l.Session()) }
