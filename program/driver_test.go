package program_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// newClient makes a client of a program that can be explored.
func newClient(t testing.TB, explore func(*program.Program)) *program.Client {
	t.Helper()
	c, err := program.NewClient(t.Name(), explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// broken explores a program that must not be explorable and returns the error.
func broken(t testing.TB, explore func(*program.Program), opts program.Options) *behaviour.Error {
	t.Helper()
	c, err := program.NewClient(t.Name(), explore, opts)
	if err == nil {
		defer c.Park()
		_, err = paths(c)
		if err == nil {
			err = c.Err()
		}
	}
	var e *behaviour.Error
	if errors.As(err, &e) {
		return e
	}
	t.Fatalf("the program was explored, error %v", err)
	return nil
}

// wants checks what a user would look for in an error.
func wants(t testing.TB, err *behaviour.Error, kind behaviour.ErrorKind, parts ...string) {
	t.Helper()
	if err.Kind != kind {
		t.Errorf("kind %v, want %v: %v", err.Kind, kind, err)
	}
	for _, p := range append(parts, t.Name()+": ") {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("no %q in the error\n%v", p, err)
		}
	}
}

// paths walks every path of every session when a read may return the initial
// value and what a session writes, up to four values of each variable, and
// returns the last node of each.
func paths(c *program.Client) ([]*behaviour.Node, error) {
	domain := map[behaviour.VarID][]behaviour.ValueID{}
	for {
		var ends []*behaviour.Node
		grew := false
		learn := func(x behaviour.VarID, v behaviour.ValueID) {
			if !slices.Contains(domain[x], v) && len(domain[x]) < 4 {
				domain[x] = append(domain[x], v)
				grew = true
			}
		}
		var walk func(*behaviour.Node) error
		walk = func(n *behaviour.Node) error {
			switch n.Kind {
			case behaviour.End:
				ends = append(ends, n)
				return nil
			case behaviour.Read:
				learn(n.Var, c.Initial(n.Var))
				for _, v := range slices.Clone(domain[n.Var]) {
					k, err := c.Child(n, v)
					if err != nil {
						return err
					}
					if err := walk(k); err != nil {
						return err
					}
				}
				return nil
			default:
				for _, w := range n.Writes {
					learn(w.Var, w.Val)
				}
				return walk(n.Next())
			}
		}
		for s := range c.Sessions() {
			root, err := c.Root(s)
			if err != nil {
				return nil, err
			}
			if err := walk(root); err != nil {
				return nil, err
			}
		}
		if !grew {
			return ends, nil
		}
	}
}

// follow walks session s, answering reads in turn by the given values, which a
// program must have interned before, and returns its end.
func follow(t testing.TB, c *program.Client, s int, answers ...behaviour.ValueID) *behaviour.Node {
	t.Helper()
	n, err := c.Root(s)
	for {
		if err != nil {
			t.Fatal(err)
		}
		switch n.Kind {
		case behaviour.End:
			if len(answers) > 0 {
				t.Fatalf("session %d ended before it read %d values more", s, len(answers))
			}
			return n
		case behaviour.Read:
			v := c.Initial(n.Var)
			if len(answers) > 0 {
				v, answers = answers[0], answers[1:]
			}
			n, err = c.Child(n, v)
		default:
			n = n.Next()
		}
	}
}

// text renders the path to n, one word a step.
func text(c *program.Client, n *behaviour.Node) string {
	var b strings.Builder
	for i, m := range n.Path() {
		if i > 0 && m.Path()[i-1].Kind == behaviour.Read {
			fmt.Fprintf(&b, "=%s", c.Format(m.Value()))
		}
		for _, e := range m.Events {
			switch e.Kind {
			case behaviour.BeginEvent:
				fmt.Fprintf(&b, " begin:%s", e.Text)
			case behaviour.WriteEvent:
				fmt.Fprintf(&b, " write:%s=%s", c.Key(e.Var), c.Format(e.Val))
			case behaviour.OwnReadEvent:
				fmt.Fprintf(&b, " own:%s=%s", c.Key(e.Var), c.Format(e.Val))
			case behaviour.ObserveEvent:
				fmt.Fprintf(&b, " observe:%s=%s", e.Text, c.Format(e.Val))
			case behaviour.FailEvent:
				fmt.Fprintf(&b, " fail:%q", e.Text)
			}
		}
		fmt.Fprintf(&b, " %s", m.Kind)
		switch m.Kind {
		case behaviour.Read:
			fmt.Fprintf(&b, ":%s", c.Key(m.Var))
		case behaviour.Abort:
			fmt.Fprintf(&b, ":%q", m.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// texts renders every path of the program, sorted by session and text.
func texts(t testing.TB, c *program.Client) []string {
	t.Helper()
	ends, err := paths(c)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, n := range ends {
		list = append(list, fmt.Sprintf("%d %s", n.Session, text(c, n)))
	}
	slices.Sort(list)
	return list
}

// at is "file.go:N" for the line of the calling test file that ends in //@mark.
func at(t testing.TB, mark string) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(1)
	src, err := os.ReadFile(filepath.Base(file)) // also with -trimpath
	if err != nil {
		t.Fatal(err)
	}
	place := ""
	for i, l := range strings.Split(string(src), "\n") {
		if strings.HasSuffix(l, "//@"+mark) {
			if place != "" {
				t.Fatalf("two lines of %s end in //@%s", file, mark)
			}
			place = fmt.Sprintf("%s:%d", filepath.Base(file), i+1)
		}
	}
	if place == "" {
		t.Fatalf("no line of %s ends in //@%s", file, mark)
	}
	return place
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%v", got), fmt.Sprintf("%v", want); g != w {
		t.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}
