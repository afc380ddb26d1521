package program_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program"
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
		{[]program.Part{{Session: "a", Txn: 1}, {Session: "a", Txn: 2}}, map[string][]string{"a": {"first", "second"}, "b": {"only"}}},
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

// begun lists the transactions of a session that reads nothing.
func begun(t *testing.T, c *program.Client, session int) (names []string) {
	t.Helper()
	n, err := c.Root(session)
	if err != nil {
		t.Fatal(err)
	}
	for ; n != nil; n = n.Next() {
		for _, e := range n.Events {
			if e.Kind == program.BeginEvent {
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
