package door

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// Way calls code with an address where dial's server is reached while the code runs.
type Way func(ctx context.Context, dial func() (net.Conn, error)) error

// BySocket is the way of code that takes the directory of a Unix socket of that name.
func BySocket(name string, f func(ctx context.Context, directory string) error) Way {
	return func(ctx context.Context, dial func() (net.Conn, error)) error {
		dir, err := os.MkdirTemp("", "txmc")
		if err != nil {
			return err
		}
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
		defer open(l, dial).Close()
		return f(ctx, dir)
	}
}

// ByPort is the way of code that takes a host and a port.
func ByPort(f func(ctx context.Context, host string, port int) error) Way {
	return func(ctx context.Context, dial func() (net.Conn, error)) error {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer open(l, dial).Close()
		at := l.Addr().(*net.TCPAddr)
		return f(ctx, at.IP.String(), at.Port)
	}
}

// open lets connections in.
func open(l net.Listener, dial func() (net.Conn, error)) net.Listener {
	r := &remembering{Listener: l}
	go Accept(r, dial)
	return r
}

// remembering is a listener that closes its connections too.
type remembering struct {
	net.Listener

	mu    sync.Mutex
	conns []net.Conn
}

// Accept waits for a connection.
func (r *remembering) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.conns = append(r.conns, c)
	}
	return c, err
}

// Close ends the listener and its connections.
func (r *remembering) Close() error {
	err := r.Listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		err = errors.Join(err, c.Close())
	}
	return err
}
