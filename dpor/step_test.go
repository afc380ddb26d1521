package dpor_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// given is a program of two sessions that write what they are given.
func given(p *program.Program) {
	x := program.NewVar(p, "x", "nothing")
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			for text := s.Given(); text != ""; text = s.Given() {
				s.Observe("gets", s.Txn("t", func(tx *program.Tx) error {
					s.Observe("finds", x.Get(tx))
					x.Set(tx, text)
					return tx.Err()
				}))
			}
		})
	}
}

// TestStep gives sessions what they do next, step by step, and goes back to a copy.
func TestStep(t *testing.T) {
	t.Parallel()
	c, err := program.NewClient("given", given, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	s, err := dpor.Step(c, isolation.PgRC, states.Statements, nil)
	if err != nil {
		t.Fatal(err)
	}
	do := func(s *states.Execution, session int, text string, steps int) {
		t.Helper()
		if text != "" {
			if s.Nodes()[session].Kind != behaviour.Await {
				t.Fatal("the session does not ask for anything")
			}
			if err := s.Give(session, text); err != nil {
				t.Fatal(err)
			}
		}
		for range steps {
			if err := s.Run(session); err != nil {
				t.Fatal(err)
			}
		}
	}
	do(s, 0, "one", 2)
	do(s, 1, "two", 2)
	if s.Blocked(0) || !s.Blocked(1) || s.Nodes()[0].Kind == behaviour.Await {
		t.Fatal("b does not wait for a")
	}
	before := s.Clone()
	for range 2 { // the second time from the copy
		do(s, 0, "", 1)
		if s.Blocked(1) || s.Nodes()[0].Kind != behaviour.Await {
			t.Fatal("b has not gone on")
		}
		do(s, 1, "", 1)
		do(s, 0, "three", 1)
		if n := s.Nodes()[0]; c.Value(n.Value()) != "two" {
			t.Fatalf("a finds %v, want two", c.Value(n.Value()))
		}
		s = before
	}
}

// A program whose sessions ask for what they do cannot be explored.
func TestGivenIsNotExplored(t *testing.T) {
	t.Parallel()
	c, err := program.NewClient("given", given, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	var wrong *behaviour.Error
	for _, err = range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC}).Histories() {
		if err != nil {
			break
		}
	}
	if !errors.As(err, &wrong) || wrong.Kind != behaviour.Misuse || !strings.Contains(wrong.Message, "it can be stepped, and not explored") {
		t.Errorf("got %v", err)
	}
}
