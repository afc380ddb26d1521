// Package wire gives PostgreSQL's drivers connections to a server in the process.
//
// A connection's Read runs the server on the goroutine that reads (package served). The
// messages are those of PostgreSQL's documentation, chapter 55 (Frontend/Backend
// Protocol). They go to the server as they are, but for the names of statements and
// portals: each connection has these for itself.
package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync/atomic"

	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/program/served"
)

// Conn is a driver's connection. What is written is kept until somebody reads.
type Conn struct {
	*served.Conn
	hub     *Hub
	names   names
	begin   []byte      // the message that has begun the transaction, while nothing has come after it
	aside   []byte      // the same of a transaction that was set aside
	started bool        // the startup message has been answered
	begun   atomic.Bool // the server knows of it
	left    atomic.Bool // it has ended

	// Late: when the server learns of its end depends on time, as by a socket.
	Late bool
}

// answering is a Conn as what answers it.
type answering struct{ c *Conn }

// Whole is the length of the first message.
func (a answering) Whole(b []byte) (int, bool) {
	head := 1 // the message's type, which the first one does not have
	if !a.c.started {
		head = 0
	}
	if len(b) < head+4 {
		return 0, false
	}
	n := int(binary.BigEndian.Uint32(b[head:])) + head
	return n, n >= head+4 && n <= len(b)
}

// Answer answers the first message.
func (a answering) Answer(m []byte) ([]byte, error) {
	if a.c.started {
		return a.c.message(m)
	}
	return a.c.startup(m)
}

// Leave rolls back a transaction that is open on the connection.
func (a answering) Leave() error { return a.c.hub.leave(a.c) }

// Cancel ends the statement that runs, if the server can.
func (a answering) Cancel() { a.c.hub.cancel() }

// Codes of what may come in place of a startup message.
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssRequest    = 80877104
)

func (c *Conn) startup(m []byte) ([]byte, error) {
	switch binary.BigEndian.Uint32(m[4:]) {
	case sslRequest, gssRequest:
		return []byte{'N'}, nil
	case cancelRequest:
		return nil, io.EOF // a statement is never being run when this can be read
	}
	c.names = newNames(c.hub.conns.Add(1) - 1)
	if c.hub.Level != nil {
		m = WithLevel(m, c.hub.Level())
	}
	out, err := c.hub.greet(c, m)
	c.started = err == nil
	c.begun.Store(err == nil)
	return out, err
}

// WithLevel is a startup message that sets the level of transactions that ask for none. It
// leaves the message as it is when the message says something else. level is PostgreSQL's name
// of the level; "" is the server's default.
func WithLevel(startup []byte, level string) []byte {
	const setting = "default_transaction_isolation"
	if level == "" || bytes.Contains(startup, []byte(setting)) || len(startup) < 9 {
		return startup
	}
	m := append(bytes.Clone(startup[:len(startup)-1]), setting+"\x00"+level+"\x00\x00"...)
	binary.BigEndian.PutUint32(m, uint32(len(m)))
	return m
}

// message answers a message that has a type.
func (c *Conn) message(m []byte) ([]byte, error) {
	if m[0] == 'X' { // Terminate
		return nil, c.hang()
	}
	m, err := c.hub.rewritten(m)
	if err != nil {
		return nil, err
	}
	sent, err := c.names.rename(m)
	if err != nil {
		return nil, err
	}
	prepared, prepares := c.names.parsed(m)
	text, runs := c.names.statement(m)
	if err := c.hub.enter(prepared + text); err != nil { // it is one of the two
		return nil, err
	}
	defer c.hub.exit()
	if err := c.hub.takeUp(c); err != nil {
		return nil, err
	}
	c.begin = nil
	if prepares {
		if err := c.hub.beside(c, prepared); err != nil {
			return nil, err
		}
	}
	if runs {
		c.hub.sql, c.hub.args = c.names.parts(m)
		if err := c.hub.begins(c, text); err != nil {
			return nil, err
		}
	}
	was := c.hub.open
	out, err := c.hub.exchange(c, sent)
	if m[0] == 'Q' && was == nil && c.hub.open == c && rows.Begins(text) && rows.Control(text) {
		c.begin = m
	}
	c.names.answered(out)
	return out, err
}

// hang ends what the connection has begun and returns io.EOF.
func (c *Conn) hang() error {
	if err := c.hub.leave(c); err != nil {
		return err
	}
	return io.EOF
}
