package mysql

import (
	"database/sql"
	"net"
	"path/filepath"
	"strconv"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/door"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/served"
)

// A connection is a session of the server's (MySQL 8.0 Reference Manual, 7.1.12.1): it has a
// transaction, variables, temporary tables and locks of its own. A session of a program may have
// several. At axiomatic levels and in Finals all connections of a run share one server, which has one
// transaction at a time.

// processes serve the connections of one run of a session.
type processes struct {
	served.Processes[*server]
	backend  *program.Backend
	turn     served.Turn
	door     door.Door
	database string // its name
}

// serve returns what serves the connections of this run, made at its first use.
func (db *DB) serve(b *program.Backend) *processes {
	if p, ok := db.runs.Of(b); ok {
		p.All()[0].Backend = b
		return p
	}
	p := &processes{backend: b, database: db.base.database}
	p.Alone, p.Begin = db.base.catalog == nil && db.base.remote == nil || b.Final(), func(number int) *server { return db.begin(p, b.Connection(number)) }
	p.Get()
	db.runs.Keep(b, p)
	b.KeepsAtEnd(p.keeps)
	b.AtEnd(p.door.Close)
	return p
}

// keeps says which lock by name a connection has when the session ends, and where it was taken.
func (p *processes) keeps() (at behaviour.Location, message string) {
	for _, s := range p.All() {
		if s.run == nil || s.Vacant() {
			continue
		}
		if named := s.run.Named(); len(named) > 0 {
			return s.took, served.Keeps("lock " + strconv.Quote(named[0]))
		}
	}
	return at, ""
}

// dial opens a connection. The server's goroutine is not of the session's run.
func (p *processes) dial() (conn net.Conn, err error) {
	s := p.Get()
	repeat.Apart(func() { conn, err = s.plain() })
	if err != nil {
		return nil, err
	}
	return apart{conn}, nil
}

// open returns a [sql.DB] with these connections.
func (p *processes) open() *sql.DB { return sql.OpenDB(connector(p.dial)) }

// dsn is the address of a socket that leads to the connections. Where dialling is overlaid
// there is none: drivers run the engine on the goroutine that calls them.
func (p *processes) dsn() string {
	dir, err := p.front().Directory(socketName)
	if err != nil {
		p.backend.Fail("%v", err)
	}
	return at(dir, p.database)
}

// address is the host and the port that lead to the connections.
func (p *processes) address() (host string, port int) {
	host, port, err := p.front().Address(3306)
	if err != nil {
		p.backend.Fail("%v", err)
	}
	return host, port
}

// front is where connections come in.
func (p *processes) front() *door.Door {
	p.door.Dial = p.dial
	return &p.door
}

const socketName = "mysql.sock"

// at is the address of a database by the directory of its socket.
func at(dir, database string) string {
	return "root@unix(" + filepath.ToSlash(filepath.Join(dir, socketName)) + ")/" + database + "?parseTime=true"
}
