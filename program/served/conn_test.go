package served_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/txmc/txmc/program/served"
)

// lines answers line by line.
type lines struct {
	answer        func(line string) (string, error)
	left, cancels int
}

func (l *lines) Whole(b []byte) (int, bool) {
	i := bytes.IndexByte(b, '\n')
	return i + 1, i >= 0
}

func (l *lines) Answer(m []byte) ([]byte, error) {
	out, err := l.answer(string(m))
	return []byte(out), err
}

func (l *lines) Leave() error { l.left++; return nil }

func (l *lines) Cancel() { l.cancels++ }

func read(t *testing.T, c net.Conn) string {
	t.Helper()
	b := make([]byte, 100)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

// TestReaderServes: messages are answered one by one, each where the driver reads.
func TestReaderServes(t *testing.T) {
	stack := func() string {
		b := make([]byte, 1<<12)
		return string(b[:runtime.Stack(b, false)])
	}
	var at string
	c := served.New(&lines{answer: func(line string) (string, error) { at = stack(); return "<" + line, nil }})
	for _, part := range []string{"a\nb", "c\n"} {
		if n, err := c.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if at != "" {
		t.Error("a Write was answered")
	}
	if got := read(t, c) + read(t, c); got != "<a\n<bc\n" {
		t.Errorf("answered %q", got)
	}
	if !bytes.Contains([]byte(at), []byte("served_test.read")) {
		t.Errorf("answered at %s", at)
	}
}

// TestReadWaits: a Read waits for the rest of a message, for a close, and for a deadline.
func TestReadWaits(t *testing.T) {
	for what, end := range map[string]func(c net.Conn) error{
		"":                             func(c net.Conn) error { _, err := c.Write([]byte("\n")); return err },
		io.EOF.Error():                 net.Conn.Close,
		os.ErrDeadlineExceeded.Error(): func(c net.Conn) error { return c.SetDeadline(time.Now()) },
	} {
		l := &lines{answer: func(line string) (string, error) { return line, nil }}
		c := served.New(l)
		c.Write([]byte("a"))
		done := make(chan error)
		go func() {
			_, err := c.Read(make([]byte, 9))
			done <- err
		}()
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
		if err := end(c); err != nil {
			t.Fatal(err)
		}
		if err := <-done; what == "" && err != nil || what != "" && (err == nil || err.Error() != what) {
			t.Errorf("%v instead of %q", err, what)
		}
		if l.cancels != 0 {
			t.Error("cancelled where no statement runs")
		}
	}
}

// TestErrorEnds: an error of the server goes to whoever reads, and ends the connection with
// what was answered before.
func TestErrorEnds(t *testing.T) {
	bad := errors.New("bad")
	l := &lines{answer: func(string) (string, error) { return "bye", bad }}
	c := served.New(l)
	c.Write([]byte("a\nb\n"))
	if _, err := c.Read(make([]byte, 9)); !errors.Is(err, bad) {
		t.Error(err)
	}
	if got := read(t, c); got != "bye" {
		t.Errorf("read %q", got)
	}
	if _, err := c.Read(make([]byte, 9)); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if _, err := c.Write([]byte("c\n")); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if err := c.Close(); err != nil || l.left != 0 {
		t.Error(err, l.left, "times left after the server has ended it")
	}
}

// TestEndedRun: a goroutine that is ended in the middle of an answer leaves a connection that
// nobody is answered on.
func TestEndedRun(t *testing.T) {
	l := &lines{answer: func(string) (string, error) { runtime.Goexit(); return "", nil }}
	c := served.New(l)
	c.Write([]byte("a\nb\n"))
	done := make(chan bool)
	go func() {
		defer close(done)
		c.Read(make([]byte, 9))
	}()
	<-done
	if _, err := c.Read(make([]byte, 9)); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// TestWhileServing: what others do while a statement runs. A close leaves nothing, as the
// statement's end does, and a deadline cancels it.
func TestWhileServing(t *testing.T) {
	inside, on := make(chan bool), make(chan bool)
	l := &lines{answer: func(string) (string, error) { inside <- true; <-on; return "ok", nil }}
	c := served.New(l)
	c.Write([]byte("a\n"))
	got := make(chan string)
	go func() {
		b := make([]byte, 9)
		n, _ := c.Read(b)
		got <- string(b[:n])
	}()
	<-inside
	if err := c.SetDeadline(time.Now().Add(time.Hour)); err != nil || l.cancels != 0 {
		t.Error(err, l.cancels, "cancelled for a time to come")
	}
	if err := c.SetDeadline(time.Now()); err != nil || l.cancels != 1 {
		t.Error(err, l.cancels, "cancelled")
	}
	if err := c.Close(); err != nil || l.left != 0 {
		t.Error(err, l.left, "left")
	}
	close(on)
	if s := <-got; s != "ok" {
		t.Errorf("read %q", s)
	}
}

// TestCloseLeaves: an idle connection ends what it has open, once.
func TestCloseLeaves(t *testing.T) {
	l := &lines{}
	c := served.New(l)
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if l.left != 1 {
		t.Errorf("left %d times", l.left)
	}
}
