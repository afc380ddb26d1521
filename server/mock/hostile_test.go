package mock

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
)

// Clients that break off, say nothing, or send what is no protocol.

// Three clients hold nobody up: one that goes away in the middle of a message, one that
// says nothing, and one that does not read its answers.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.RC, isolation.PgRC} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			halfOpen(t, level)
		})
	}
}

func halfOpen(t *testing.T, level isolation.Level) {
	_, dsn := admitted(t, Options{Level: level}, Admission{})
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort(cfg.Host, fmt.Sprint(cfg.Port))
	raw := func() net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	raw() // says nothing
	half := raw()
	half.Write(startupMessage()[:7])
	slow := raw()
	slow.Write(startupMessage())
	for range 50 { // far more than a socket takes
		slow.Write(queryMessage(`SELECT repeat('x', 1000000)`))
	}
	c := dial(t, dsn)
	if _, err := c.Exec(t.Context(), `UPDATE account SET balance = 3 WHERE id = 1`); err != nil {
		t.Error(err)
	}
	half.Close()
	slow.Close()
}

func startupMessage() []byte {
	body := "user\x00postgres\x00database\x00postgres\x00\x00"
	m := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(binary.BigEndian.AppendUint32(m, 3<<16), body...)
}

func queryMessage(sql string) []byte {
	m := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(sql)+5))
	return append(append(m, sql...), 0)
}

// FuzzWire gives servers what a client says: they answer or refuse, and end with the
// client.
func FuzzWire(f *testing.F) {
	var servers []*Server
	for _, level := range []isolation.Level{isolation.RC, isolation.PgRC} {
		s, err := NewServer(Options{Level: level}, pg.Schema(accounts))
		if err != nil {
			f.Fatal(err)
		}
		defer s.Close()
		servers = append(servers, s)
	}
	start := startupMessage()
	said := func(messages ...[]byte) []byte {
		all := append([]byte(nil), start...)
		for _, m := range messages {
			all = append(all, m...)
		}
		return all
	}
	typed := func(kind byte, body string) []byte {
		return append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4)), body...)
	}
	f.Add([]byte{})
	f.Add(start[:9])
	f.Add([]byte{0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f})
	f.Add([]byte{0, 0, 0, 16, 4, 0xd2, 0x16, 0x2e, 0, 0, 0, 1, 0, 0, 0, 2})
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3})
	f.Add(said(queryMessage("SELECT 1"), typed('X', "")))
	f.Add(said(typed('P', "\x00SELECT $1::int\x00\x00\x00"), typed('B', "\x00\x00\x00\x00\x00\x01\x00\x00\x00\x011\x00\x00"), typed('E', "\x00\x00\x00\x00\x00"), typed('S', "")))
	f.Add(said(typed('P', "\x00"), typed('B', ""), typed('C', ""), typed('D', "S"), typed('E', ""), typed('C', "X\x00")))
	f.Add(said(queryMessage("COPY account FROM STDIN"), typed('d', "7\t7\n"), queryMessage("SELECT 1"), typed('c', "")))
	f.Add(said(typed('F', "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), typed('p', "word\x00"), typed('H', ""), typed('?', "")))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		for _, s := range servers {
			hears(t, s, bytes)
		}
	})
}

// hears lets a client say something to a server.
func hears(t *testing.T, s *Server, bytes []byte) {
	client, server := net.Pipe()
	done := make(chan struct{})
	go func() { s.answer(server); close(done) }()
	go io.Copy(io.Discard, client)
	client.SetWriteDeadline(time.Now().Add(5 * time.Second)) // it may have stopped to listen
	client.Write(bytes)
	client.Close()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("not ended: %q", bytes)
	}
}
