// Package served gives drivers connections to a server. The server runs on the goroutine
// that reads: a statement runs where the client's code waits for it, with the client's
// frames on its stack. There is no other goroutine, no socket and no time-out.
package served

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Server answers what a driver sends on one connection.
type Server interface {
	// Whole is the length of what b begins with and can be answered; false while more has to
	// come. It is not called while Answer runs.
	Whole(b []byte) (n int, can bool)
	// Answer answers it. An error ends the connection, and whoever reads gets it.
	Answer(message []byte) (answers []byte, err error)
	// Leave ends what the connection has open. It is called when the driver closes the
	// connection, unless Answer runs then.
	Leave() error
	// Cancel ends the statement that Answer runs. Another goroutine calls it.
	Cancel()
}

// Conn is a driver's connection. What is written is kept until somebody reads.
type Conn struct {
	server Server

	mu       sync.Mutex
	changed  *sync.Cond // of all that follows
	in       []byte
	out      []byte
	serving  bool // somebody's Read runs the server
	closed   bool
	deadline bool // Reads return at once
}

// New opens a connection.
func New(s Server) *Conn {
	c := &Conn{server: s}
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

// Read lets the server answer what has been written and returns the answer. It waits for a
// Write when there is nothing to answer.
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
		case c.serving:
			c.changed.Wait()
		default:
			n, can := c.server.Whole(c.in)
			if !can {
				c.changed.Wait()
			} else if err := c.serve(n); err != nil {
				return 0, err
			}
		}
	}
}

// serve answers the first n bytes, with the connection unlocked.
func (c *Conn) serve(n int) (err error) {
	message := c.in[:n:n]
	c.in = c.in[n:]
	c.serving = true
	c.mu.Unlock()
	returned := false
	var out []byte
	defer func() {
		c.mu.Lock()
		c.serving = false
		c.out = append(c.out, out...)
		if !returned || err != nil { // not returned: the run has been ended, and nobody is answered any more
			c.closed = true
		}
		c.changed.Broadcast()
	}()
	out, err = c.server.Answer(message)
	returned = true
	return err
}

// Close ends the connection, and what is open on it.
func (c *Conn) Close() error {
	c.mu.Lock()
	was := c.closed || c.serving
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	if was {
		return nil
	}
	return c.server.Leave()
}

// SetDeadline ends Reads that wait when t is past, and cancels the statement that runs. Other
// times have no effect: only what the client does itself takes time.
func (c *Conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = !t.IsZero() && !t.After(time.Now())
	c.changed.Broadcast()
	if c.deadline && c.serving {
		c.server.Cancel()
	}
	return nil
}

// SetReadDeadline is SetDeadline.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.SetDeadline(t) }

// SetWriteDeadline does nothing: a Write never waits.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// LocalAddr names no place.
func (c *Conn) LocalAddr() net.Addr { return nowhere }

// RemoteAddr names no place.
func (c *Conn) RemoteAddr() net.Addr { return nowhere }

var nowhere = &net.UnixAddr{Name: "txmc", Net: "unix"}
