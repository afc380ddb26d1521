package mock

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/txmc/txmc/pg"
)

// maxMessage bounds what a client may send at a time, in bytes.
const maxMessage = 16 << 20

var errTooLarge = errors.New("a message is too large")

// answer serves a client until it leaves.
func (s *Server) answer(client net.Conn) {
	defer client.Close()
	c, err := s.connect(client)
	if err != nil {
		refuseClient(client, err)
		return
	}
	defer c.end()
	backend := c.backend.Dial()
	var sender sync.WaitGroup
	sender.Go(func() {
		_ = send(backend, client) // the client has left, or is not one
		c.close()
		backend.Close()
	})
	defer sender.Wait()
	defer client.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := backend.Read(buffer)
		if n > 0 {
			if _, err := client.Write(buffer[:n]); err != nil {
				break
			}
		}
		if errors.Is(err, pg.ErrRedefined) {
			refuseClient(client, err)
		}
		if err != nil {
			break
		}
	}
}

// send hands whole messages of a client on. The first ones have no type.
func send(to io.Writer, client io.Reader) error {
	for started := false; ; {
		head := make([]byte, 5)
		if !started {
			head = head[:4]
		}
		if _, err := io.ReadFull(client, head); err != nil {
			return err
		}
		n := int(binary.BigEndian.Uint32(head[len(head)-4:])) - 4
		if n < 0 || n > maxMessage {
			return errTooLarge
		}
		message := append(head, make([]byte, n)...)
		if _, err := io.ReadFull(client, message[len(head):]); err != nil {
			return err
		}
		if !started {
			started = n < 4 || !negotiates(binary.BigEndian.Uint32(message[4:]))
		}
		if _, err := to.Write(message); err != nil {
			return err
		}
	}
}

// negotiates reports whether a first message asks for encryption: a startup message
// follows it.
func negotiates(code uint32) bool {
	const ssl, gss = 80877103, 80877104
	return code == ssl || code == gss
}

// refuseClient tells a client why it is not served.
func refuseClient(client net.Conn, err error) {
	client.SetDeadline(time.Now().Add(5 * time.Second)) // a client that does not listen holds nothing up
	code := "XX000"
	var e *Error
	switch {
	case errors.As(err, &e):
		code = e.Code
	case errors.Is(err, pg.ErrRedefined):
		code = "0A000" // feature_not_supported
	}
	body := []byte("SFATAL\x00VFATAL\x00C" + code + "\x00M" + err.Error() + "\x00\x00")
	m := binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(body)+4))
	_, _ = client.Write(append(m, body...)) // it is told, or has gone
}
