package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A part that is left out does nothing; the others are what they were.
func TestWithout(t *testing.T) {
	explore := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		write := func(n int) func(*program.Tx) error {
			return func(tx *program.Tx) error { x.Set(tx, n); return nil }
		}
		p.Session("a", func(s *program.Session) {
			s.Txn("first", write(1))
			tx := s.Begin("second")
			tx.Commit()
			s.Txn("third", write(3))
		})
		p.Session("b", func(s *program.Session) { s.Txn("only", write(4)) })
	}
	c, err := program.NewClient("Explore", explore, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		without []program.Part
		want    map[string][]string
	}{
		{nil, map[string][]string{"a": {"first", "second", "third"}, "b": {"only"}}},
		{[]program.Part{{Session: "b", Txn: -1}}, map[string][]string{"a": {"first", "second", "third"}, "b": nil}},
		{[]program.Part{{Session: "a", Txn: 0}, {Session: "b", Txn: 0}}, map[string][]string{"a": {"second", "third"}, "b": nil}},
		{[]program.Part{{Session: "a", Txn: 1}, {Session: "a", Txn: 2}}, map[string][]string{"a": {"first"}, "b": {"only"}}},
	} {
		left, err := c.Without(test.without...)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		for i := range left.Sessions() {
			got[left.SessionName(i)] = begun(t, left, i)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("without %v: -want +got\n%s", test.without, diff)
		}
	}
}

// What Begin starts and is left out reads its own writes and initial values; the
// code around it goes on, and what it does wrong is an error as before.
func TestWithoutBegin(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*program.Tx)
		want string
	}{
		"commit":       {func(tx *program.Tx) { tx.Commit() }, "begin first, op, end 1, begin after, read"},
		"rollback":     {func(tx *program.Tx) { tx.Rollback(); tx.Rollback() }, "begin first, op, end 1, begin after, read"},
		"open":         {func(*program.Tx) {}, "misuse"},
		"used after":   {func(tx *program.Tx) { tx.Commit(); tx.Read("x") }, "misuse"},
		"failed in it": {func(tx *program.Tx) { panic("no") }, "begin first, op, end 1, fail -1"},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []any
			c, err := program.NewClient("Explore", func(p *program.Program) {
				x := program.NewVar(p, "x", 7)
				p.Session("a", func(s *program.Session) {
					s.Txn("first", func(tx *program.Tx) error { x.Set(tx, 1); return nil })
					tx := s.Begin("second")
					seen = []any{x.Get(tx), tx.Read("nobody")}
					x.Set(tx, 8)
					seen = append(seen, x.Get(tx))
					test.end(tx)
					s.Txn("after", func(tx *program.Tx) error { x.Get(tx); return nil })
				})
			}, program.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c, err = c.Without(program.Part{Session: "a", Txn: 1}); err != nil {
				t.Fatal(err)
			}
			defer c.Park()
			if got := told(c); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if diff := cmp.Diff([]any{7, nil, 8}, seen); diff != "" {
				t.Errorf("read in what is left out: -want +got\n%s", diff)
			}
		})
	}
}

// Where a transaction must not begin, one that is left out must not either.
func TestWithoutBeginInside(t *testing.T) {
	c, err := program.NewClient("Explore", func(p *program.Program) {
		p.Session("a", func(s *program.Session) {
			s.Txn("outer", func(*program.Tx) error { s.Begin("inner").Commit(); return nil })
		})
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.Without(program.Part{Session: "a", Txn: 1}); err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	if got := told(c); got != "misuse" {
		t.Errorf("got %s", got)
	}
}

// told is what the first session does up to its first read.
func told(c *program.Client) string {
	var parts []string
	n, err := c.Root(0)
	if err != nil {
		return "misuse"
	}
	for ; n != nil; n = n.Next() {
		for _, e := range n.Events {
			switch e.Kind {
			case behaviour.BeginEvent:
				parts = append(parts, "begin "+e.Text)
			case behaviour.WriteEvent, behaviour.OwnReadEvent:
				parts = append(parts, "op")
			}
		}
		switch n.Kind {
		case behaviour.Commit, behaviour.Abort:
			parts = append(parts, fmt.Sprint("end ", n.Txn+1))
		case behaviour.Read:
			return strings.Join(append(parts, "read"), ", ")
		case behaviour.End:
			for _, f := range n.Failures {
				parts = append(parts, fmt.Sprint("fail ", f.Txn))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// begun lists the transactions of a session that reads nothing.
func begun(t *testing.T, c *program.Client, session int) (names []string) {
	t.Helper()
	n, err := c.Root(session)
	if err != nil {
		t.Fatal(err)
	}
	for ; n != nil; n = n.Next() {
		for _, e := range n.Events {
			if e.Kind == behaviour.BeginEvent {
				names = append(names, e.Text)
			}
		}
	}
	return names
}

func TestPartString(t *testing.T) {
	for part, want := range map[program.Part]string{
		{Session: "a", Txn: -1}: "a",
		{Session: "a", Txn: 0}:  "a/1",
	} {
		if got := part.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
