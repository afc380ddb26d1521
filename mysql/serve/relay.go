package serve

import (
	"bytes"
	"context"
	"io"
	"net"
	"sync"
	"time"

	vitess "github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/wire"
	"github.com/txmc/txmc/server/mock"
)

// A message of MySQL's protocol is one packet, or several of which all but the last have
// the greatest length. A packet has its length in three bytes and a number in the fourth
// (MySQL's internals, "MySQL Packets").

const greatest = 1<<24 - 1

// client is who is at the other end of a connection.
type client struct {
	net.Conn
	number  int
	session *mock.Session
	cancel  context.CancelFunc

	mu    sync.Mutex
	begun bool       // it has sent a part of a packet
	inner *wire.Conn // answers it; nil before it is greeted
}

// busy reports whether the client waits for an answer.
func (c *client) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun || c.inner != nil && !c.inner.Answered()
}

// close ends the connection, and a statement that runs.
func (c *client) close() {
	c.cancel()
	c.Conn.Close()
}

// send hands whole packets of the client on until it has left. A client has to say soon
// who it is, and has to send the rest of a packet soon.
func (c *client) send(most int) {
	c.SetReadDeadline(time.Now().Add(mock.Patience))
	size := 0
	for {
		var head [4]byte
		if _, err := io.ReadFull(c, head[:1]); err != nil {
			return
		}
		c.begins()
		c.SetReadDeadline(time.Now().Add(mock.Patience))
		if _, err := io.ReadFull(c, head[1:]); err != nil {
			return
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		if size += n; size > most {
			refuse(c, head[3]+1, vitess.ERNetPacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
			return
		}
		var packet bytes.Buffer
		packet.Write(head[:])
		if _, err := io.CopyN(&packet, c, int64(n)); err != nil {
			return
		}
		if c.asks(packet.Bytes()) != nil {
			return
		}
		if n < greatest {
			size = 0
			c.SetReadDeadline(time.Time{})
		}
	}
}

// connect gives the client a connection to the engine.
func (c *client) connect(i *mysql.Image, as mysql.Client) error {
	inner, err := i.Connect(as)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inner = inner
	return err
}

func (c *client) begins() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
}

// asks hands a packet on.
func (c *client) asks(packet []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = false
	_, err := c.inner.Write(packet) // does not wait
	return err
}

// answer gives the client answers, which it has to take soon.
func (c *client) answer() {
	b := make([]byte, 1<<13)
	for {
		n, err := c.inner.Read(b)
		if n > 0 {
			c.SetWriteDeadline(time.Now().Add(mock.Patience))
			if _, err := c.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// refuse tells a client why it is not served (ERR_Packet, without a SQLSTATE, as before the
// handshake).
func refuse(client net.Conn, number byte, code int, message string) {
	body := append([]byte{0xff, byte(code), byte(code >> 8)}, message...)
	client.SetWriteDeadline(time.Now().Add(5 * time.Second)) // a client that does not listen holds nothing up
	_, _ = client.Write(append([]byte{byte(len(body)), byte(len(body) >> 8), 0, number}, body...))
}
