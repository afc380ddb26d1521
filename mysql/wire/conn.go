// Package wire gives MySQL's drivers connections to an engine in the process.
//
// The protocol is spoken by the server of Vitess, as go-mysql-server uses it, on a
// goroutine of its own for each connection. The engine runs on the goroutine of the driver
// that reads the answer: a statement runs where the client's code waits for it, with the
// client's frames on the stack. One of the two goroutines always waits for the other. There
// is no socket and no time-out.
package wire

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Conn is a driver's connection. What is written is kept until the server reads.
type Conn struct {
	left     func() error      // ends what the connection has open
	prepares func(text string) // is called before a statement is prepared

	mu      sync.Mutex
	changed *sync.Cond // of all that follows
	in      []byte     // for the server
	out     []byte     // for the driver
	idle    bool       // the server waits for the driver
	waits   bool       // the driver waits for the server
	task
	closed   bool // by the driver, or by the server, which ends when the driver says that it will
	over     bool // what is open has been ended, or is not to be
	deadline bool // Reads return at once
}

// task is what the server wants to be done where the driver reads.
type task struct {
	job     func()
	working bool // it is being done
	done    bool // the last one has been done
}

func newConn(left func() error, prepares func(text string)) *Conn {
	c := &Conn{left: left, prepares: prepares}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Write takes what the driver sends. It never blocks.
func (c *Conn) Write(b []byte) (int, error) {
	if text, ok := prepared(b); ok {
		c.prepares(text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.in = append(c.in, clean(b)...)
	c.idle = false
	c.changed.Broadcast()
	return len(b), nil
}

// Read lets the server answer what has been written and returns the answer. It waits
// for a Write when there is nothing to answer.
func (c *Conn) Read(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.job != nil && !c.working:
			c.work()
		case len(c.out) > 0 && (c.idle || c.closed):
			n := copy(b, c.out)
			c.out = c.out[n:]
			return n, nil
		case c.closed:
			return 0, io.EOF
		case c.deadline && c.idle:
			return 0, os.ErrDeadlineExceeded
		default:
			c.waits = true
			c.changed.Wait()
			c.waits = false
		}
	}
}

// Answered reports whether all that has been written is answered, and whoever reads the answers
// waits for more.
func (c *Conn) Answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waits && c.idle && len(c.in) == 0 && len(c.out) == 0
}

// work does the server's job, with the connection unlocked.
func (c *Conn) work() {
	job := c.job
	c.working = true
	c.mu.Unlock()
	returned := false
	defer func() {
		c.mu.Lock()
		c.working, c.job, c.done = false, nil, returned
		if !returned { // the run has been ended: nobody is answered any more
			c.closed, c.over = true, true
		}
		c.changed.Broadcast()
	}()
	job()
	returned = true
}

// Close ends the connection; a transaction that is open on it is rolled back. While a
// statement runs, it ends first.
func (c *Conn) Close() error {
	c.mu.Lock()
	was, working := c.over, c.working // the server may have closed it, as the driver has said that it will
	c.closed, c.over = true, true
	c.changed.Broadcast()
	c.mu.Unlock()
	if was || working {
		return nil
	}
	return c.left()
}

// open reports whether neither side has ended the connection.
func (c *Conn) open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed
}

// SetDeadline ends Reads that wait when t is past. Other times have no effect: only
// what the client does itself takes time.
func (c *Conn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = !t.IsZero() && !t.After(time.Now())
	c.changed.Broadcast()
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

// end is a Conn as the server sees it.
type end struct{ *Conn }

// Read waits for what the driver sends.
func (e end) Read(b []byte) (int, error) {
	c := e.Conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.in) == 0 {
		if c.closed {
			return 0, io.EOF
		}
		c.idle = true
		c.changed.Broadcast()
		c.changed.Wait()
	}
	n := copy(b, c.in)
	c.in = c.in[n:]
	return n, nil
}

// Write keeps an answer for the driver.
func (e end) Write(b []byte) (int, error) {
	c := e.Conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.out = append(c.out, recode(b)...)
	return len(b), nil
}

// Close says that the server answers no more.
func (e end) Close() error {
	c := e.Conn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.changed.Broadcast()
	return nil
}

// SetDeadline has no effect on the server.
func (e end) SetDeadline(time.Time) error { return nil }

// SetReadDeadline has no effect on the server.
func (e end) SetReadDeadline(time.Time) error { return nil }

// abandon ends the connection after its run: what is open stays so.
func (c *Conn) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed, c.over = true, true
	c.changed.Broadcast()
}

// do does something where the driver reads, and waits for it. It reports false when the
// connection has been closed before.
func (c *Conn) do(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.job = f
	c.changed.Broadcast()
	for c.job != nil {
		if c.closed && !c.working { // nobody reads any more
			c.job = nil
			return false
		}
		c.changed.Wait()
	}
	return c.done
}
