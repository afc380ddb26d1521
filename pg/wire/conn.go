// Package wire gives PostgreSQL's drivers connections to a server in the process.
//
// A connection's Read runs the server on the goroutine that reads, so that a
// statement runs where the client's code waits for it, with the client's frames
// on its stack. There is no other goroutine, no socket and no time-out. The
// messages are those of PostgreSQL's documentation, chapter 55
// (Frontend/Backend Protocol); they go to the server as they are but for the
// names of statements and portals, which each connection has for itself.
package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/txmc/txmc/program/rows"
)

// Conn is a driver's connection. What is written is kept until somebody reads.
type Conn struct {
	hub    *Hub
	number int // counted from 0: in its hub
	names  names
	begin  []byte      // the message that has begun the transaction, while nothing has come after it
	aside  []byte      // the same of a transaction that was set aside
	begun  atomic.Bool // the server knows of it

	mu       sync.Mutex
	changed  *sync.Cond // of all that follows
	in       []byte
	out      []byte
	serving  bool // somebody's Read runs the server
	started  bool // the startup message has been answered
	closed   bool
	deadline bool // Reads return at once
}

func newConn(h *Hub, number int) *Conn {
	c := &Conn{hub: h, number: number, names: newNames(number)}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Write takes what the driver sends. It never blocks.
func (c *Conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.in = append(c.in, b...)
	c.changed.Broadcast()
	return len(b), nil
}

// Read lets the server answer what has been written and returns the answer. It
// waits for a Write when there is nothing to answer.
func (c *Conn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case len(c.out) > 0:
			n := copy(b, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.closed:
			return 0, io.EOF
		case c.deadline:
			return 0, os.ErrDeadlineExceeded
		case !c.serving && c.whole() > 0:
			if err := c.serve(); err != nil {
				return 0, err
			}
		default:
			c.changed.Wait()
		}
	}
}

// whole is the length of the first message, or 0 when it has not arrived as a
// whole.
func (c *Conn) whole() int {
	head := 1 // the message's type, which the first one does not have
	if !c.started {
		head = 0
	}
	if len(c.in) < head+4 {
		return 0
	}
	n := int(binary.BigEndian.Uint32(c.in[head:])) + head
	if n < head+4 || n > len(c.in) {
		return 0
	}
	return n
}

// serve answers the first message, with the connection unlocked.
func (c *Conn) serve() error {
	n := c.whole()
	message := c.in[:n:n]
	c.in = c.in[n:]
	c.serving = true
	started := c.started
	c.mu.Unlock()
	returned := false
	var out []byte
	var err error
	defer func() {
		if !returned { // the run has been ended: nobody is answered any more
			c.mu.Lock()
			c.serving, c.closed = false, true
			c.changed.Broadcast()
		}
	}()
	if started {
		out, err = c.message(message)
	} else {
		out, err = c.startup(message)
	}
	returned = true
	c.mu.Lock()
	c.serving = false
	c.out = append(c.out, out...)
	c.changed.Broadcast()
	if err != nil {
		c.closed = true
	}
	return err
}

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
	if c.hub.Level != nil {
		m = WithLevel(m, c.hub.Level())
	}
	out, err := c.hub.greet(c, m)
	c.started = err == nil
	c.begun.Store(err == nil)
	return out, err
}

// WithLevel is a startup message by which transactions that ask for no level have this one,
// by PostgreSQL's name, unless the message says something else; "" is the server's default.
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
	defer c.hub.mu.Unlock()
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

// Close ends the connection; a transaction that is open on it is rolled back.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed || c.serving {
		c.closed = true
		c.changed.Broadcast()
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	return c.hub.leave(c)
}

// SetDeadline ends Reads that wait when t is past, and cancels the statement that
// runs. Other times have no effect: only what the client does itself takes time.
func (c *Conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = !t.IsZero() && !t.After(time.Now())
	c.changed.Broadcast()
	if c.deadline && c.serving {
		c.hub.cancel()
	}
	return nil
}

// SetReadDeadline is SetDeadline.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.SetDeadline(t) }

// SetWriteDeadline does nothing: a Write never waits.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr names no place.
func (c *Conn) LocalAddr() net.Addr { return &net.UnixAddr{Name: "txmc", Net: "unix"} }

// RemoteAddr names no place.
func (c *Conn) RemoteAddr() net.Addr { return &net.UnixAddr{Name: "txmc", Net: "unix"} }
