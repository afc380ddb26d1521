package program_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// onDatabase makes a client in database mode.
func onDatabase(t testing.TB, explore func(*program.Program)) *program.Client {
	t.Helper()
	c, err := newClient(t, explore).Database()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

// drive answers the operations of a session one after another, and returns what it
// did. An answer is a value, "done" or an SQLSTATE.
func drive(t *testing.T, c *program.Client, session int, answers ...any) (*behaviour.Node, string) {
	t.Helper()
	n, err := c.Root(session)
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for n.Kind != behaviour.End {
		what := n.Kind.String()
		switch {
		case n.Lock:
			what += " locking"
		case n.Kind == behaviour.Set || n.Kind == behaviour.Change && n.Matches:
			what += " " + c.Format(n.Val)
		case n.Kind == behaviour.Abort:
			what += " " + n.Text
		}
		did = append(did, what)
		if !n.Waits {
			n = n.Next()
			continue
		}
		if len(answers) == 0 {
			t.Fatalf("no answer is left for %s after %s", n.Kind, strings.Join(did, ", "))
		}
		n = answer(t, c, n, answers[0])
		answers = answers[1:]
	}
	if len(answers) > 0 {
		t.Errorf("%v answers are left", answers)
	}
	return n, strings.Join(did, ", ")
}

func answer(t *testing.T, c *program.Client, n *behaviour.Node, a any) *behaviour.Node {
	t.Helper()
	v := behaviour.Done
	if state, ok := a.(string); ok && state != "done" {
		if v, ok = behaviour.Failed(state); !ok {
			t.Fatalf("no operation fails with %s", state)
		}
	} else if !ok {
		v = program.Intern(c, a)
	}
	n, err := c.Child(n, v)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDatabaseAnswers: every operation waits for an answer, and what the code sees
// of errors.
func TestDatabaseAnswers(t *testing.T) {
	c := onDatabase(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 10)
		p.Session("s", func(s *program.Session) {
			err := s.Txn("t", func(tx *program.Tx) error {
				x.Set(tx, x.Get(tx)+1)
				x.GetForUpdate(tx)
				changed := x.Update(tx, func(old int) (int, bool) { return old * 2, old < 100 })
				s.Observe("changed", changed)
				s.Observe("err", fmt.Sprint(tx.Err()))
				s.Assert(tx.Err() == nil || errors.As(tx.Err(), new(*behaviour.DBError)), "not a DBError")
				if x.Get(tx) == 0 {
					panic("computed from a zero value")
				}
				return nil
			}, program.At(level("pg-rr")))
			s.Observe("txn", fmt.Sprint(err))
		})
	})
	const start = "read, set 11, read locking, find, "
	serialization := "could not serialize access (SQLSTATE 40001)"
	for _, test := range []struct {
		name    string
		answers []any
		did     string
		txn     string
	}{
		{"all succeeds", []any{10, "done", 11, 11, "done", 22, "done"}, start + "change 22, read, commit", "<nil>"},
		{"the row is left out", []any{10, "done", 11, 100, "done", 100, "done"}, start + "change, read, commit", "<nil>"},
		{"the commit fails", []any{10, "done", 11, 11, "done", 22, "40001"}, start + "change 22, read, commit", serialization},
		{"an update fails, the code panics", []any{10, "done", 11, 11, "40001"}, start + "change 22, abort " + serialization, serialization},
		{"the first read fails", []any{"40P01"}, "read, abort deadlock detected (SQLSTATE 40P01)", "deadlock detected (SQLSTATE 40P01)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			end, did := drive(t, c, 0, test.answers...)
			equal(t, "did", did, test.did)
			equal(t, "failures", len(end.Failures), 0)
			equal(t, "level", end.Path()[0].Level, "pg-rr")
			for _, e := range end.Events {
				if e.Text == "txn" {
					equal(t, "Txn returns", c.Value(e.Val), test.txn)
				}
			}
		})
	}
}

// TestDatabaseBeginCommit: a transaction in error rolls back at Commit, which returns
// the error; an assertion in a Txn in error does not count, one after it does.
func TestDatabaseBeginCommit(t *testing.T) {
	c := onDatabase(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 10)
		p.Session("s", func(s *program.Session) {
			tx := s.Begin("t")
			x.Set(tx, 1)
			err := tx.Commit()
			s.Observe("commit", fmt.Sprint(err))
			s.Txn("u", func(tx *program.Tx) error {
				s.Assert(x.Get(tx) > 0, "x is zero")
				return nil
			})
			s.Assert(err == nil, "the commit failed")
		})
		p.Invariant("fate", func(o *program.Outcome) error {
			list := o.Session("s").Txns
			return program.Assertf(list[0].Committed == (list[0].Err == "") && len(list[0].Writes) <= 1, "%+v", list)
		})
	})
	end, did := drive(t, c, 0, "40001", "40001")
	equal(t, "did", did, "set 1, abort could not serialize access (SQLSTATE 40001), read, abort could not serialize access (SQLSTATE 40001)")
	equal(t, "failures", len(end.Failures), 1)
	equal(t, "failure", end.Failures[0].Message, "the commit failed")
	for _, answers := range [][]any{{"done", "done", 5, "done"}, {"done", "40001", 5, "done"}, {"40001", 5, "done"}} {
		end, _ := drive(t, c, 0, answers...)
		if failures, err := c.Judge([]*behaviour.Node{end}); err != nil || len(failures) > 0 {
			t.Errorf("%v: %v, %v", answers, failures, err)
		}
	}
}

type level string

func (l level) String() string { return string(l) }
