package serve_test

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/mysql"
	"github.com/txmc/txmc/mysql/serve"
	"github.com/txmc/txmc/server/mock"
)

// pipes is a listener of connections in the process.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// watched is a connection that tells when it is closed.
type watched struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (w *watched) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.Conn.Close()
}

// packet is a packet of MySQL's protocol.
func packet(number byte, body string) []byte {
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), number}, body...)
}

// hello is a client's first packet: its capabilities, among them the protocol of version 4.1
// and the plugin of authentication.
func hello() []byte {
	return packet(1, "\x0d\xa2\x0b\x00\x00\x00\x00\x01\x21"+string(make([]byte, 23))+"root\x00\x00app\x00mysql_native_password\x00")
}

// FuzzWire gives the server what a client says: it answers or refuses, and ends with the
// client.
func FuzzWire(f *testing.F) {
	s, err := serve.NewServer(mock.Options{Level: isolation.RC}, mysql.Schema(accounts))
	if err != nil {
		f.Fatal(err)
	}
	l := make(pipes)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx, ctx, l) }()
	f.Cleanup(func() {
		cancel()
		close(l)
		if err := <-done; err != nil {
			f.Error(err)
		}
	})
	said := func(packets ...[]byte) (all []byte) {
		all = hello()
		for _, p := range packets {
			all = append(all, p...)
		}
		return all
	}
	f.Add([]byte{})
	f.Add(hello()[:7])
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte{0xff, 0xff, 0xff, 1, 2, 3})
	f.Add(said(packet(0, "\x03SELECT balance FROM account"), packet(0, "\x01")))
	f.Add(said(packet(0, "\x16SELECT ?"), packet(0, "\x17\x01\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01\x03\x00\x07\x00\x00\x00"), packet(0, "\x19\x01\x00\x00\x00")))
	f.Add(said(packet(0, "\x02nowhere"), packet(0, "\x0e"), packet(0, "\x1f"), packet(0, "\x09"), packet(0, "\x04account\x00")))
	f.Add(said(packet(0, "\x03BEGIN; UPDATE account SET balance = 1"), packet(7, "\x03COMMIT"), packet(0, "\x1b\x00\x00"), packet(0, "\x11root\x00")))
	f.Add(said(packet(0, ""), packet(0, "\x17"), packet(0, "\x18"), packet(0, "\x1a"), packet(0, "\x1c")))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		client, server := net.Pipe()
		w := &watched{Conn: server, closed: make(chan struct{})}
		l <- w
		go io.Copy(io.Discard, client)
		client.SetWriteDeadline(time.Now().Add(5 * time.Second)) // it may have stopped to listen
		client.Write(bytes)
		client.Close()
		select {
		case <-w.closed:
		case <-time.After(time.Minute):
			t.Fatalf("not ended: %q", bytes)
		}
	})
}
