package mysql

import (
	sqldriver "database/sql/driver"
	"net"
	"regexp"

	"github.com/dolthub/vitess/go/sqltypes"
	driver "github.com/go-sql-driver/mysql"

	"github.com/txmc/txmc/mysql/engine"
	"github.com/txmc/txmc/mysql/storage"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/rows"
)

// server serves a connection in one run of a session, with the log of what it does.
type server struct {
	hub *wire.Hub
	*rows.History

	run   *engine.Run        // nil on a real server
	named int                // locks by name that it has
	took  behaviour.Location // where it has taken one last

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
	named := len(s.run.Named())
	if named > s.named {
		s.took = s.Place()
	}
	s.named = named
	answer, words := wire.Answer(r, err)
	if err == nil && s.Control() {
		words = ""
	}
	s.History.Answered(answer, words)
	s.show(wire.SeenOf(r, err))
}

// begin makes what serves a connection.
func (db *DB) begin(p *processes, b *program.Backend) *server {
	b.Here()
	if db.base.remote != nil {
		return db.serveRemotely(b)
	}
	s := &server{History: rows.NewHistory(b), sent: db.base.changes.sent}
	seed := uint64(b.Index())
	if n := b.Number(); n > 0 { // its random numbers are others
		seed = 1<<32*uint64(n) + seed
	}
	run := engine.NewRun(storage.NewRun(b.Session(), b.Index(), s.History), seed, true)
	run.Follow(s.Clock)
	s.run = run
	if db.base.catalog != nil {
		s.modelled = true
		run.Ask(db.base.catalog.NewSession(s.History), db.base.levelOf(b.Session()))
	}
	s.hub = wire.NewHub(db.base.engine, run, s)
	s.hub.Turn = &p.turn
	s.hub.Rewrite, s.hub.First = db.base.changes.rewrite(b.Session()), uint32(b.Number()*connectionsApart)
	b.AtEnd(s.hub.Close)
	return s
}

// Refuse ends the exploration with a message that names the statement.
func (s *server) Refuse(message string) error { return s.FailHere("%s", message) }

// connectionsApart is how many numbers of CONNECTION_ID() a server of a connection has.
const connectionsApart = 1000

// Vacant reports whether no connection is there.
func (s *server) Vacant() bool {
	if s.remote != nil {
		return s.remote.vacant()
	}
	return s.hub.Vacant()
}

// plain opens a connection.
func (s *server) plain() (net.Conn, error) {
	if s.remote != nil {
		return s.remote.dial()
	}
	return s.hub.Dial()
}

// connector makes the driver dial by a function.
func connector(dial func() (net.Conn, error)) sqldriver.Connector {
	c, err := driver.NewConnector(driverConfig(dial))
	if err != nil {
		panic(err) // the configuration is right
	}
	return c
}

// apart is a connection whose server has its own time and randomness: the session's
// stay where they were.
type apart struct{ net.Conn }

// Read lets the server answer.
func (c apart) Read(b []byte) (n int, err error) {
	repeat.Apart(func() { n, err = c.Conn.Read(b) })
	return n, err
}
