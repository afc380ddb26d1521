// Package door gives the server of one run of a session addresses that drivers dial.
//
// In a build with the overlay of the standard library they lead to no socket: dialling
// one runs the server on the goroutine that dials. Elsewhere a socket is opened, and
// closed with the run.
package door

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/txmc/txmc/program/repeat"
)

// Door leads to a server.
type Door struct {
	// Dial opens a connection to the server.
	Dial func() (net.Conn, error)

	served string // the directory that stands for the server without a socket
	unix   net.Listener
	tcp    net.Listener
}

// Directory returns a directory where a Unix socket of that name leads to the server.
func (d *Door) Directory(name string) (string, error) {
	if d.overlaid() {
		return d.served, nil
	}
	if d.unix == nil {
		dir, err := os.MkdirTemp("", "txmc")
		if err == nil {
			d.unix, err = net.Listen("unix", filepath.Join(dir, name))
		}
		if err != nil {
			return "", fmt.Errorf("no socket for the database: %w", err)
		}
		go Accept(d.unix, d.Dial)
	}
	return filepath.Dir(d.unix.Addr().String()), nil
}

// Address returns the host and the port where TCP leads to the server: usual where there is
// no listener, else a free one.
func (d *Door) Address(usual int) (host string, port int, err error) {
	if d.overlaid() {
		return repeat.Host(d.served), usual, nil
	}
	if d.tcp == nil {
		if d.tcp, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			return "", 0, fmt.Errorf("no port for the database: %w", err)
		}
		go Accept(d.tcp, d.Dial)
	}
	at := d.tcp.Addr().(*net.TCPAddr)
	return at.IP.String(), at.Port, nil
}

// overlaid reports whether dialling needs no socket.
func (d *Door) overlaid() bool {
	if d.served == "" {
		d.served = repeat.Serve(d.Dial)
	}
	return d.served != ""
}

// Close closes the sockets. Connections that are open stay.
func (d *Door) Close() {
	if d.unix != nil {
		d.unix.Close()
	}
	if d.tcp != nil {
		d.tcp.Close()
	}
}

// Accept joins connections of a listener with those that dial opens, until the listener is
// closed. The directory of a Unix socket goes with it.
func Accept(l net.Listener, dial func() (net.Conn, error)) {
	if at, ok := l.Addr().(*net.UnixAddr); ok {
		defer os.RemoveAll(filepath.Dir(at.Name))
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		inner, err := dial()
		if err != nil {
			c.Close()
			continue
		}
		go relay(c, inner)
		go relay(inner, c)
	}
}

// relay copies until one side ends, and ends the other.
func relay(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
