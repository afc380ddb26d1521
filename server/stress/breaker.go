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
	armed *atomic.Bool
}

func (b *breaker) wrap(c net.Conn) net.Conn {
	b.armed = new(atomic.Bool)
	return &breaking{Conn: c, armed: b.armed, half: b.half}
}

// arm makes the next message the last.
func (b *breaker) arm() {
	if b.armed != nil {
		b.armed.Store(true)
	}
}

// breaking is a connection that breaks.
type breaking struct {
	net.Conn
	armed *atomic.Bool
	half  bool
}

var errBroken = errors.New("the connection was broken on purpose")

// Write sends half of the last message, or all of it, and breaks the connection.
func (b *breaking) Write(p []byte) (int, error) {
	if !b.armed.Load() {
		return b.Conn.Write(p)
	}
	if b.half {
		p = p[:len(p)/2]
	}
	n, _ := b.Conn.Write(p)
	b.Conn.Close()
	return n, errBroken
}
