package mock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/pg/wire"
)

// answer serves a client until it leaves.
func (s *Server) answer(client net.Conn) {
	defer client.Close()
	startup, cancel, err := s.greet(client)
	var e *Error
	switch {
	case cancel != nil:
		s.stop(*cancel)
		return
	case errors.As(err, &e), errors.Is(err, errTooLarge):
		refuseClient(client, err)
		return
	case err != nil:
		return
	}
	if e := unserved(parameter(startup, "client_encoding")); e != nil {
		refuseClient(client, e)
		return
	}
	s = s.database(startup)
	c, err := s.connect(client)
	if err != nil {
		refuseClient(client, err)
		return
	}
	defer c.end()
	c.relay(wire.WithLevel(startup, levelNames[s.options.Level]))
}

// relay hands on what the client and its backend say, until one of them ends.
func (c *connection) relay(startup []byte) {
	backend := c.backend.Dial()
	var sender sync.WaitGroup
	sender.Go(func() {
		if _, err := backend.Write(startup); err == nil {
			c.send(backend)
		}
		c.close()
		backend.Close()
	})
	defer sender.Wait()
	defer c.client.Close()
	buffer := make([]byte, 1<<13)
	for first := true; ; first = false {
		n, err := backend.Read(buffer)
		if first {
			c.key.keyed(buffer[:n])
		}
		done := ready(buffer[:n])
		if done {
			c.status.Store(int32(buffer[n-1])) // before the client asks again
		}
		if n > 0 && c.write(buffer[:n]) != nil {
			return
		}
		if done {
			c.asked.Store(false)
			c.limitIdle()
		}
		if errors.Is(err, pg.ErrRedefined) {
			refuseClient(c.client, err)
		}
		if err != nil {
			return
		}
	}
}

// limitIdle lets the client be idle in a transaction for as long as it has set.
func (c *connection) limitIdle() {
	if c.status.Load() == 'I' {
		return
	}
	if d := c.backend.IdleTimeout(); d > 0 {
		c.idle.Store(true)
		c.client.SetReadDeadline(time.Now().Add(d))
	}
}

// ready reports whether an answer ends with ReadyForQuery, as the last one to what a client has
// sent does.
func ready(answer []byte) bool {
	const size = 6
	n := len(answer)
	return n >= size && bytes.Equal(answer[n-size:n-1], []byte{'Z', 0, 0, 0, 5})
}

// write gives the client an answer, which it has to take soon.
func (c *connection) write(answer []byte) error {
	c.client.SetWriteDeadline(time.Now().Add(Patience))
	_, err := c.client.Write(answer)
	return err
}

// send hands whole messages of the client on, until it has left, or is none.
func (c *connection) send(backend net.Conn) {
	for {
		m, err := readMessage(c.client, true, c.server.admission.MessageBytes)
		if c.idle.Swap(false) && errors.Is(err, os.ErrDeadlineExceeded) {
			err = &Error{"25P03", "terminating connection due to idle-in-transaction timeout"}
			refuseClient(c.client, err)
		}
		if errors.Is(err, errTooLarge) {
			refuseClient(c.client, err)
		}
		if err != nil {
			return
		}
		answer, instead := c.aboutDatabase(m)
		if answer != nil {
			if c.write(answer) != nil {
				return
			}
			continue
		}
		if instead == nil {
			instead = encodes(m)
		}
		if instead != nil {
			m = instead
		}
		c.asked.Store(true)
		if _, err := backend.Write(m); err != nil {
			return
		}
	}
}

// refuseClient tells a client why it is not served.
func refuseClient(client net.Conn, err error) {
	client.SetDeadline(time.Now().Add(5 * time.Second)) // a client that does not listen holds nothing up
	code := "XX000"
	var e *Error
	message := err.Error()
	switch {
	case errors.As(err, &e):
		code, message = e.Code, e.Message
	case errors.Is(err, pg.ErrRedefined):
		code = "0A000" // feature_not_supported
	case errors.Is(err, errTooLarge):
		code = "54000" // program_limit_exceeded
	}
	body := []byte("SFATAL\x00VFATAL\x00C" + code + "\x00M" + message + "\x00\x00")
	m := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(body)+4))
	_, _ = client.Write(append(m, body...)) // it is told, or has gone
}
