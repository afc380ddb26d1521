package program_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

type brokenError struct{ *testing.T }

func (e brokenError) Error() string { return e.Name() }

//go:noinline
func deeper(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deeper(n-1, f)
}

// A panic of a session is a failure with the client's line and stack; the
// session ends, an open transaction aborts.
func TestPanics(t *testing.T) {
	var none []int
	for name, test := range map[string]struct {
		body    func(*program.Session)
		message string
		txn     string
		where   string
		path    string
	}{
		"in a transaction": {func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				tx.Write("x", 1)
				panic("boom") //@txn
			})
		}, "panic: boom", "t 0", at(t, "txn"), `begin:t write:x=1 abort:"panic" fail:"panic: boom" end`},
		"outside": {func(s *program.Session) {
			s.Txn("t", nothing)
			panic(errors.New("boom")) //@outside
		}, "panic: boom", " -1", at(t, "outside"), `begin:t commit fail:"panic: boom" end`},
		"open transaction": {func(s *program.Session) {
			s.Txn("t", nothing)
			s.Begin("open")
			panic(42) //@open
		}, "panic: 42", "open 1", at(t, "open"), `begin:t commit begin:open fail:"panic: 42" abort:"the session failed" end`},
		"nil map": {func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				nilMap["x"] = 1 //@map
				return nil
			})
		}, "panic: assignment to entry in nil map", "t 0", at(t, "map"), ""},
		"index": {func(s *program.Session) {
			_ = none[len(s.Name())] //@index
		}, "panic: runtime error: index out of range [6] with length 0", " -1", at(t, "index"), ""},
		"nil pointer": {func(s *program.Session) {
			var p *int
			*p = 1 //@nil
		}, "panic: runtime error: invalid memory address or nil pointer dereference", " -1", at(t, "nil"), ""},
		"panic(nil)": {func(s *program.Session) {
			panic(nil) //@panicnil
		}, "panic: panic called with nil argument", " -1", at(t, "panicnil"), ""},
		"nested calls": {func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				deeper(200, func() {
					panic("deep") //@deep
				})
				return nil
			})
		}, "panic: deep", "t 0", at(t, "deep"), ""},
		"in the library": {func(s *program.Session) {
			_ = strings.Repeat("x", -len(s.Name())) //@library
		}, "panic: strings: negative Repeat count", " -1", at(t, "library"), ""},
		"deferred operations": {func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				defer tx.Write("x", 1)
				panic("boom") //@deferred
			})
		}, "panic: boom", "t 0", at(t, "deferred"), `begin:t write:x=1 abort:"panic" fail:"panic: boom" end`},
		"recovered, and another": {func(s *program.Session) {
			func() {
				defer func() { recover() }()
				s.Txn("t", func(tx *program.Tx) error { panic("first") })
			}()
			panic("second") //@another
		}, "panic: second", " -1", at(t, "another"), `begin:t abort:"panic" fail:"panic: second" end`},
		"panics again": {func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				defer func() {
					panic(fmt.Sprint(recover(), ", again")) //@again
				}()
				panic("boom")
			})
		}, "panic: boom, again", "t 0", at(t, "again"), ""},
		"the error's method": {func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { return brokenError{} })
		}, "panic: runtime error: invalid memory address or nil pointer dereference", "t 0", "", ""},
	} {
		c := newClient(t, session(test.body))
		end := follow(t, c, 0)
		if len(end.Failures) != 1 {
			t.Errorf("%s: %d failures", name, len(end.Failures))
			continue
		}
		f := end.Failures[0]
		equal(t, name+": message", f.Message, test.message)
		equal(t, name+": kind, session", []any{f.Kind, f.Session}, "[panic 0]")
		equal(t, name+": transaction", fmt.Sprint(f.Name, " ", f.Txn), test.txn)
		if test.where != "" {
			equal(t, name+": line", f.At, test.where)
			if !slices.ContainsFunc(f.Stack, func(s string) bool { return strings.Contains(s, test.where) }) {
				t.Errorf("%s: the line is not on the stack %q", name, f.Stack)
			}
		}
		if test.path != "" {
			equal(t, name+": path", text(c, end), test.path)
		}
		for _, s := range f.Stack {
			if strings.Contains(s, "txmc/program.") || strings.Contains(s, "runtime.") || strings.Contains(s, "0x") {
				t.Errorf("%s: frame %q on the stack", name, s)
			}
		}
	}
}

// A panic that the client recovers is its own business; one in a transaction
// has aborted it.
func TestRecovered(t *testing.T) {
	c := newClient(t, session(func(s *program.Session) {
		func() {
			defer func() { s.Observe("recovered", fmt.Sprint(recover())) }()
			s.Txn("t", func(tx *program.Tx) error { tx.Write("x", 1); panic("boom") })
		}()
		s.Txn("u", func(tx *program.Tx) (err error) {
			defer func() { err = fmt.Errorf("recovered %v", recover()) }()
			panic("again")
		})
	}))
	end := follow(t, c, 0)
	equal(t, "path", text(c, end), `begin:t write:x=1 abort:"panic" observe:recovered="boom" begin:u abort:"recovered again" end`)
	equal(t, "failures", len(end.Failures), 0)
}

// Client code that recovers from everything, even in a loop without end, cannot keep
// its run. The run ends when it fails in place, when it is not needed any more, and
// when the program cannot be explored.
func TestRecoverEverything(t *testing.T) {
	forever := func(f func()) {
		for {
			func() {
				defer func() { recover() }()
				f()
			}()
		}
	}
	c := newClient(t, session(func(s *program.Session) {
		forever(func() {
			s.Txn("t", func(tx *program.Tx) error {
				s.Assert(tx.Read("x") == nil, "x is set") //@assert
				tx.Read("y")
				s.Assert(false, "reached")
				return nil
			})
		})
	}))
	end := follow(t, c, 0, program.Intern(c, 1))
	equal(t, "path", text(c, end), `begin:t read:x=1 fail:"x is set" abort:"the session failed" end`)
	equal(t, "line", end.Failures[0].At, at(t, "assert"))
	node := end.Path()[0]
	if _, err := c.Child(node, 0); err != nil {
		t.Fatal(err)
	}
	c.Park()
	wants(t, broken(t, session(func(s *program.Session) {
		forever(func() {
			s.Begin("t")
			s.Begin("u") //@misuse
		})
	}), program.Options{}), behaviour.Misuse, at(t, "misuse"))
}

// While a run is left, deferred functions run: Rollback does nothing, everything
// else goes on leaving, and nothing is recorded.
func TestDeferredWhenLeaving(t *testing.T) {
	left := 0
	c := newClient(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("s", func(s *program.Session) {
			defer func() { left++ }()
			tx := s.Begin("t")
			defer s.Observe("not", "recorded")
			defer x.Set(tx, 1)
			defer func() {
				if err := tx.Rollback(); err != program.ErrTxDone {
					t.Errorf("Rollback returns %v", err)
				}
				panic("while leaving")
			}()
			s.Assertf(x.Get(tx) > 0, "x is %d", 0)
			x.Get(tx)
			s.Assert(false, "reached")
		})
	})
	end := follow(t, c, 0)
	equal(t, "path", text(c, end), `begin:t read:x=0 fail:"x is 0" abort:"the session failed" end`)
	equal(t, "failures", len(end.Failures), 1)
	if _, err := c.Child(end.Path()[0], program.Intern(c, 1)); err != nil {
		t.Fatal(err)
	}
	before := left
	c.Park()
	equal(t, "runs left by Park", left-before, 1)
}

func TestPanicInFinal(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.Session("s", idle)
		p.Final("first", func(tx *program.Tx) error {
			tx.Read("x")
			panic("boom") //@final
		})
		p.Final("second", nothing)
	})
	end := follow(t, c, c.Final())
	f := end.Failures[0]
	equal(t, "failure", []any{f.Kind, f.Session, f.Txn, f.Name, f.Message, f.At}, "[panic 1 0 first panic: boom "+at(t, "final")+"]")
}

func TestPanicInInvariant(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.Session("s", idle)
		p.Invariant("i", func(o *program.Outcome) error {
			o.Session("nobody") //@invariant
			return nil
		})
		p.Invariant("j", func(o *program.Outcome) error { return errors.New("also") })
	})
	failures, err := c.Judge([]*behaviour.Node{follow(t, c, 0)})
	if err != nil || len(failures) != 2 {
		t.Fatal(failures, err)
	}
	f := failures[0]
	equal(t, "failure", []any{f.Kind, f.Session, f.Txn, f.Name, f.Message, f.At, len(f.Stack) > 0},
		`[panic -1 -1 i panic: txmc: no session "nobody" in the outcome `+at(t, "invariant")+" true]")
}
