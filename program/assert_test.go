package program_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A failed assertion that a transaction returns, wrapped or not, is a failure;
// another error aborts and is none. Txn returns the error as it is.
func TestAssertionsOfTransactions(t *testing.T) {
	plain := errors.New("plain")
	for name, test := range map[string]struct {
		body    func(*program.Tx) error
		message string
		where   string
		path    string
	}{
		"Assert": {func(tx *program.Tx) error {
			return program.Assert(tx.Read("x") != nil, "x is ", nil) //@assert
		}, "x is <nil>", at(t, "assert"), `begin:t read:x=nil fail:"x is <nil>" abort:"x is <nil>" end`},
		"Assertf": {func(tx *program.Tx) error {
			return program.Assertf(false, "x is %d", 1) //@assertf
		}, "x is 1", at(t, "assertf"), ""},
		"no message": {func(tx *program.Tx) error {
			return program.Assert(false) //@none
		}, "assertion failed", at(t, "none"), ""},
		"by the face": {func(tx *program.Tx) error {
			return txmc.Assertf(false, "x") //@face
		}, "x", at(t, "face"), ""},
		"wrapped": {func(tx *program.Tx) error {
			err := program.Assert(false, "inner") //@wrapped
			return fmt.Errorf("outer: %w", errors.Join(plain, err))
		}, "outer: plain\ninner", at(t, "wrapped"), ""},
		"true":    {func(tx *program.Tx) error { return program.Assert(true, "not so") }, "", "", "begin:t commit end"},
		"another": {func(tx *program.Tx) error { return plain }, "", "", `begin:t abort:"plain" end`},
	} {
		var returned error
		var made error
		c := newClient(t, session(func(s *program.Session) {
			returned = s.Txn("t", func(tx *program.Tx) error {
				made = test.body(tx)
				return made
			})
		}))
		end := follow(t, c, 0)
		if returned != made {
			t.Errorf("%s: Txn returned %v", name, returned)
		}
		if test.path != "" {
			equal(t, name+": path", text(c, end), test.path)
		}
		if test.message == "" {
			equal(t, name+": failures", len(end.Failures), 0)
			continue
		}
		var failed *program.AssertionError
		if !errors.As(returned, &failed) {
			t.Errorf("%s: Txn returned no AssertionError", name)
		}
		f := end.Failures[0]
		equal(t, name, []any{f.Kind, f.Session, f.Txn, f.Name, f.Message, f.At, len(end.Failures)},
			[]any{"assertion", 0, 0, "t", test.message, test.where, 1})
	}
}

// Session.Assert ends the session in place.
func TestAssertInPlace(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		s.Assert(true, "holds")
		s.Txn("t", nothing)
		s.Txn("u", func(tx *program.Tx) error {
			tx.Write("x", 1)
			helper(s, tx.Read("y"))
			return nil
		})
		s.Observe("reached", true)
	}))
	end := follow(t, c, 0)
	f := end.Failures[0]
	equal(t, "failure", []any{f.Kind, f.Session, f.Txn, f.Name, f.Message, f.At, len(end.Failures)},
		"[assertion 0 1 u y is nil "+at(t, "helper")+" 1]")
	equal(t, "path", text(c, end), `begin:t commit begin:u write:x=1 read:y=nil fail:"y is nil" abort:"the session failed" end`)
	abort := end.Path()[2]
	equal(t, "abort", c.Location(abort.Loc), at(t, "helper"))
	equal(t, "transactions", end.Txn, 2)
	equal(t, "the other way", text(c, follow(t, c, 0, program.Intern(c, 1))),
		"begin:t commit begin:u write:x=1 read:y=1 commit observe:reached=true end")
	for _, n := range end.Path()[:2] {
		if len(n.Failures) > 0 {
			t.Error("a node before the failure has it")
		}
	}
}

func helper(s *program.Session, y any) {
	s.Assertf(y != nil, "y is nil") //@helper
}

// Outside a transaction there is none in the failure.
func TestAssertOutside(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		s.Txn("t", nothing)
		s.Assert(false) //@outside
	}))
	end := follow(t, c, 0)
	f := end.Failures[0]
	equal(t, "failure", []any{f.Kind, f.Session, f.Txn, f.Name, f.Message, f.At}, "[assertion 0 -1  assertion failed "+at(t, "outside")+"]")
}

// Several failures of one session, in order; a session goes on after a failed
// transaction.
func TestSeveralFailures(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		s.Txn("t", func(*program.Tx) error { return program.Assert(false, "one") })
		s.Txn("u", func(*program.Tx) error { return program.Assert(false, "two") })
		s.Assert(false, "three")
	}))
	end := follow(t, c, 0)
	var list []string
	for _, f := range end.Failures {
		list = append(list, fmt.Sprint(f.Message, f.Txn))
	}
	equal(t, "failures", list, "[one0 two1 three-1]")
}

// Any error of a Final is a failure; the next Final runs all the same.
func TestFinals(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.Session("s", idle)
		p.Final("plain", func(tx *program.Tx) error { return errors.New("wrong") }) //@plain
		p.Final("assertion", func(tx *program.Tx) error {
			return program.Assert(tx.Read("x") == 1, "x is not 1") //@assertion
		})
		p.Final("fine", nothing)
	})
	end := follow(t, c, 1)
	equal(t, "path", text(c, end), `begin:plain fail:"wrong" abort:"wrong" begin:assertion read:x=nil fail:"x is not 1" abort:"x is not 1" begin:fine commit end`)
	f, g := end.Failures[0], end.Failures[1]
	equal(t, "first", []any{f.Kind, f.Session, f.Txn, f.Name, f.At}, "[final 1 0 plain "+at(t, "plain")+"]")
	equal(t, "second", []any{g.Kind, g.Session, g.Txn, g.Name, g.At}, "[final 1 1 assertion "+at(t, "assertion")+"]")
}

// The failures of one branch do not show in another.
func TestFailuresOfBranches(t *testing.T) {
	for before := range 6 {
		c := newClient(t, session(func(s *program.Session) {
			for i := range before {
				s.Txn("t", func(*program.Tx) error { return program.Assert(false, i) })
			}
			s.Txn("u", func(tx *program.Tx) error { return program.Assert(false, "read ", tx.Read("x")) })
		}))
		for _, replayed := range []bool{false, true} {
			var ends []*behaviour.Node
			for i := range 3 {
				ends = append(ends, follow(t, c, 0, program.Intern(c, i)))
				if replayed {
					c.Park()
				}
			}
			for i, end := range ends {
				equal(t, "failures", len(end.Failures), before+1)
				equal(t, "the last", end.Failures[before].Message, fmt.Sprint("read ", i))
			}
		}
	}
}

// The text of a failure may differ from run to run, such as when a panic shows an
// address. That is not another behaviour.
func TestFailureTextsDiffer(t *testing.T) {
	runs := 0
	c := newClient(t, session(func(s *program.Session) {
		runs++
		panic(runs)
	}))
	equal(t, "message", follow(t, c, 0).Failures[0].Message, "panic: 1")
}
