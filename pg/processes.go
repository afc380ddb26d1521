package pg

import (
	"context"
	"net"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/door"
	"github.com/txmc/txmc/program/repeat"
	"github.com/txmc/txmc/program/served"
)

// A connection is a process of the server's (documentation, 52.2): it has a transaction,
// settings, temporary tables, prepared statements and locks of its own. A session of a program
// may have several connections, and so several processes. When a connection has ended, the next
// one gets its process, as new. At axiomatic levels and in Finals all connections of a run share one
// process, which has one transaction at a time.

// processes are those of one run of a session.
type processes struct {
	served.Processes[*server]
	backend *program.Backend
	turn    served.Turn
	door    door.Door
	over    bool // the session's code has returned
}

// serve returns the processes of this run, with the first one, made at their first use.
func (db *DB) serve(b *program.Backend) *processes {
	if p, ok := db.runs.Of(b); ok {
		p.All()[0].log.Backend = b
		return p
	}
	p := &processes{backend: b}
	p.Alone, p.Begin = db.base.model == nil && db.base.remote == nil || b.Final(), func(number int) *server { return db.begin(p, b.Connection(number)) }
	p.Get()
	db.runs.Keep(b, p)
	b.Interruptible(p.running, p.cancel)
	b.OpenAtEnd(p.open)
	b.KeepsAtEnd(p.keeps)
	b.AtEnd(p.door.Close)
	return p
}

// dial opens a connection. A run that has been given up gets none: a driver whose statement ends there
// dials to cancel it, and nobody would give a process back that is made for this.
func (p *processes) dial() (*wire.Conn, error) {
	if p.backend.Over() {
		return nil, errOver
	}
	return p.Get().hub.Dial(), nil
}

// running is the statement that an instance evaluates, "" while there is none.
func (p *processes) running() string {
	for _, s := range p.All() {
		if text := s.running(); text != "" {
			return text
		}
	}
	return ""
}

// cancel ends the statement that an instance evaluates.
func (p *processes) cancel() {
	for _, s := range p.All() {
		if s.x != nil {
			s.x.CancelAll()
		}
	}
}

// open says what is open at the session's end, when that is not a transaction which
// the session has begun.
func (p *processes) open() string {
	for _, s := range p.All() {
		if s.log.Open() {
			return s.open()
		}
	}
	return ""
}

// keeps says which advisory lock a connection has when the session ends, and where it was taken.
func (p *processes) keeps() (at behaviour.Location, message string) {
	p.over = true
	for _, s := range p.All() {
		if s.model == nil || s.hub.Vacant() {
			continue
		}
		if held := s.model.Held(); len(held) > 0 {
			return s.took, served.Keeps("advisory lock " + held[0])
		}
	}
	return at, ""
}

// config is a configuration whose connections are those of the processes.
func (p *processes) config() *pgx.ConnConfig {
	c, err := pgx.ParseConfig(address)
	if err != nil {
		panic(err) // the address above is right
	}
	c.DialFunc = func(context.Context, string, string) (net.Conn, error) {
		c, err := p.dial()
		if err != nil {
			return nil, err
		}
		return apart{c}, nil
	}
	return c
}

// dsn is the address of a socket that leads to the processes. Where dialling is overlaid
// there is none: drivers run the engine on the goroutine that calls them.
func (p *processes) dsn() string {
	dir, err := p.front().Directory(socketName)
	if err != nil {
		p.backend.Fail("%v", err)
	}
	return at(dir)
}

// address is the host and the port that lead to the processes.
func (p *processes) address() (host string, port int) {
	host, port, err := p.front().Address(usualPort)
	if err != nil {
		p.backend.Fail("%v", err)
	}
	return host, port
}

// front is where connections come in.
func (p *processes) front() *door.Door {
	p.door.Dial = func() (net.Conn, error) {
		c, err := p.dial()
		if err != nil {
			return nil, err
		}
		c.Late = !repeat.On()
		return apart{c}, nil
	}
	return &p.door
}
