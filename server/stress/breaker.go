package stress

import (
	"errors"
	"net"
	"sync/atomic"
)

// breaker breaks a connection in the middle of a COMMIT: when half of it was sent, or when
// all was and the answer is still to come.
type breaker struct {
	half  bool // what is sent of the last message
	armed atomic.Bool
}

// wrap may be called by a driver's goroutine: pgx connects again to cancel a statement.
func (b *breaker) wrap(c net.Conn) net.Conn { return &breaking{c, b} }

// arm makes the next message the last.
func (b *breaker) arm() { b.armed.Store(true) }

// breaking is a connection that breaks.
type breaking struct {
	net.Conn
	by *breaker
}

var errBroken = errors.New("the connection was broken on purpose")

// Write sends half of the last message, or all of it, and breaks the connection.
func (b *breaking) Write(p []byte) (int, error) {
	if !b.by.armed.Load() {
		return b.Conn.Write(p)
	}
	if b.by.half {
		p = p[:len(p)/2]
	}
	n, _ := b.Conn.Write(p)
	b.Conn.Close()
	return n, errBroken
}
