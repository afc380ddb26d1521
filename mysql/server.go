package mysql

import (
	"database/sql"
	sqldriver "database/sql/driver"
	"net"
	"path/filepath"
	"regexp"

	"github.com/dolthub/vitess/go/sqltypes"
	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/door"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// server is the MySQL of one run of a session, with the log of its connections.
type server struct {
	hub *wire.Hub
	*rows.History
	door     door.Door
	database string // its name

	version  bool    // the statement asks for the server's version
	modelled bool    // a model of the database answers
	remote   *remote // a real server answers

	sent func(rows.Sent) // of each statement; nil: nobody is
}

// asksVersion finds statements that ask which server answers.
var asksVersion = regexp.MustCompile(`(?i)^\s*SELECT\s+(?:VERSION\s*\(\s*\)|@@(?:GLOBAL\.|SESSION\.)?VERSION(?:_COMMENT)?)(?:\s+(?:AS\s+)?\w+)?\s*;?\s*$`)

// Statement notes that the client sends a statement.
func (s *server) Statement(text string) error {
	s.version = asksVersion.MatchString(text)
	return s.History.Statement(text)
}

// show notes what the client has seen, for comparisons with another server, whose version
// may be another one.
func (s *server) show(seen string) {
	if !s.version {
		s.Showed(seen)
	}
}

// Answered notes what the database has answered to a statement: under a model that is all
// that the client has seen of it.
func (s *server) Answered(r *sqltypes.Result, err error) {
	if !s.modelled {
		return
	}
	answer, words := wire.Answer(r, err)
	if err == nil && s.Control() {
		words = ""
	}
	s.History.Answered(answer, words)
	s.show(wire.SeenOf(r, err))
}

// serve returns the server of this run, made at its first use.
func (db *DB) serve(b *program.Backend) *server {
	if s, ok := db.runs.Of(b); ok {
		s.Backend = b
		return s
	}
	s := db.begin(b)
	db.runs.Keep(b, s)
	return s
}

// begin makes the server of a run.
func (db *DB) begin(b *program.Backend) *server {
	b.Here()
	if db.base.remote != nil {
		return db.serveRemotely(b)
	}
	s := &server{History: rows.NewHistory(b), database: db.base.database, sent: db.base.changes.sent}
	run := engine.NewRun(storage.NewRun(b.Session(), b.Index(), s.History), uint64(b.Index()), true)
	run.Follow(s.Clock)
	if db.base.catalog != nil {
		s.modelled = true
		run.Ask(db.base.catalog.NewSession(s.History), db.base.levelOf(b.Session()))
	}
	s.hub = wire.NewHub(db.base.engine, run, s)
	s.hub.Rewrite = db.base.changes.rewrite(b.Session())
	b.AtEnd(s.end)
	return s
}

// Refuse ends the exploration with a message that names the statement.
func (s *server) Refuse(message string) error { return s.FailHere("%s", message) }

// end ends what the run has begun.
func (s *server) end() {
	s.door.Close()
	if s.hub != nil {
		s.hub.Close()
	}
}

// dial opens a connection. The server's goroutine is not of the session's run.
func (s *server) dial() (conn net.Conn, err error) {
	repeat.Apart(func() { conn, err = s.plain() })
	if err != nil {
		return nil, err
	}
	return apart{conn}, nil
}

// plain opens a connection.
func (s *server) plain() (net.Conn, error) {
	if s.remote != nil {
		return s.remote.dial()
	}
	return s.hub.Dial()
}

// open returns a [sql.DB] whose connections are the hub's.
func (s *server) open() *sql.DB { return sql.OpenDB(connector(s.dial)) }

// connector makes the driver dial by a function.
func connector(dial func() (net.Conn, error)) sqldriver.Connector {
	c, err := driver.NewConnector(driverConfig(dial))
	if err != nil {
		panic(err) // the configuration is right
	}
	return c
}

// dsn is the address of a socket that leads to the hub. Where dialling is overlaid
// there is none: drivers run the engine on the goroutine that calls them.
func (s *server) dsn() string {
	dir, err := s.front().Directory(socketName)
	if err != nil {
		s.Fail("%v", err)
	}
	return at(dir, s.database)
}

// address is the host and the port that lead to the hub.
func (s *server) address() (host string, port int) {
	host, port, err := s.front().Address(3306)
	if err != nil {
		s.Fail("%v", err)
	}
	return host, port
}

// front is where connections come in.
func (s *server) front() *door.Door {
	s.door.Dial = s.dial
	return &s.door
}

const socketName = "mysql.sock"

// at is the address of a database by the directory of its socket.
func at(dir, database string) string {
	return "root@unix(" + filepath.ToSlash(filepath.Join(dir, socketName)) + ")/" + database + "?parseTime=true"
}

// apart is a connection whose server has its own time and randomness: the session's
// stay where they were.
type apart struct{ net.Conn }

// Read lets the server answer.
func (c apart) Read(b []byte) (n int, err error) {
	repeat.Apart(func() { n, err = c.Conn.Read(b) })
	return n, err
}
