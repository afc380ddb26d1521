package door_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/txmc/txmc/program/door"
)

// echo dials a server that sends back what it is sent.
func echo() (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		_, _ = io.Copy(server, server)
	}()
	return client, nil
}

// said is what comes back from an address.
func said(t *testing.T, network, address string) string {
	t.Helper()
	c, err := net.Dial(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	_, err = io.ReadFull(c, b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Both addresses lead to the server, until the door is closed.
func TestDoor(t *testing.T) {
	d := &door.Door{Dial: echo}
	dir, err := d.Directory("x.sock")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := d.Address(1)
	if err != nil {
		t.Fatal(err)
	}
	at := net.JoinHostPort(host, strconv.Itoa(port))
	if again, _ := d.Directory("x.sock"); again != dir {
		t.Errorf("%s, then %s", dir, again)
	}
	for range 2 {
		if a, b := said(t, "unix", filepath.Join(dir, "x.sock")), said(t, "tcp", at); a != "hello" || b != "hello" {
			t.Error(a, b)
		}
	}
	d.Close()
	if c, err := net.Dial("tcp", at); err == nil {
		c.Close()
		t.Error("the port is open still")
	}
	if c, err := net.Dial("unix", filepath.Join(dir, "x.sock")); err == nil {
		c.Close()
		t.Error("the socket is open still")
	}
}

// Code gets its address, its error comes back, and its connections end with it.
func TestWays(t *testing.T) {
	wrong := errors.New("wrong")
	var left net.Conn
	call := func(network, address string) error {
		if s := said(t, network, address); s != "hello" {
			t.Error(s)
		}
		var err error
		if left, err = net.Dial(network, address); err != nil {
			t.Fatal(err)
		}
		if _, err = left.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err = left.Read(make([]byte, 1)); err != nil { // it has been let in
			t.Fatal(err)
		}
		return wrong
	}
	var directory string
	for name, way := range map[string]door.Way{
		"socket": door.BySocket("x.sock", func(_ context.Context, dir string) error {
			directory = dir
			return call("unix", filepath.Join(dir, "x.sock"))
		}),
		"port": door.ByPort(func(_ context.Context, host string, port int) error {
			return call("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		}),
	} {
		if err := way(t.Context(), echo); !errors.Is(err, wrong) {
			t.Error(name, err)
		}
		if n, err := left.Read(make([]byte, 1)); err == nil {
			t.Error(name, "a connection is left, and read", n)
		}
		left.Close()
	}
	if _, err := os.Stat(filepath.Join(directory, "x.sock")); err == nil {
		t.Error("the socket is left")
	}
}
