package program_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// sums declares two sessions that read two keys and write their sum, by
// transactions or by a backend whose operations come from where on says.
func sums(p *program.Program, on func(func())) {
	if on != nil {
		p.UseBackend()
	}
	p.Setup(func(tx *program.Tx) error {
		tx.Write("x", 1)
		tx.Write("y", 2)
		return nil
	})
	for _, name := range []string{"a", "b"} {
		p.Session(name, func(s *program.Session) {
			if on == nil {
				s.Txn("sum", func(tx *program.Tx) error {
					tx.Write("x", tx.Read("x").(int)+tx.Read("y").(int))
					return nil
				})
				return
			}
			b := s.Backend()
			on(func() { b.Here(); b.Begin("sum") })
			var x, y any
			on(func() { x, _ = b.Read("x") })
			on(func() { y, _ = b.Read("y") })
			on(func() { b.Write("x", x.(int)+y.(int)) })
			on(func() { b.Commit() })
		})
	}
}

// elsewhere calls f on a goroutine of its own and waits for it.
func elsewhere(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// A backend's operations are those of a transaction, from any goroutine.
func TestBackendIsATransaction(t *testing.T) {
	ways := map[string]func(func()){"transactions": nil, "own goroutine": func(f func()) { f() }, "another goroutine": elsewhere}
	trees := map[string]string{}
	for name, on := range ways {
		c := newClient(t, func(p *program.Program) { sums(p, on) })
		ends, err := paths(c)
		if err != nil {
			t.Fatal(name, err)
		}
		var b strings.Builder
		for _, end := range ends {
			for _, n := range end.Path() {
				fmt.Fprintf(&b, "%v %v %v;", n.Kind, n.Value(), n.Writes)
			}
			b.WriteString("\n")
		}
		trees[name] = b.String()
	}
	for name, tree := range trees {
		if tree != trees["transactions"] || tree == "" {
			t.Errorf("%s:\n%s\ntransactions:\n%s", name, tree, trees["transactions"])
		}
	}
}

// What is rolled back to a savepoint is not written, and what was written before
// is.
func TestBackendSavepoints(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.UseBackend()
		p.Session("s", func(s *program.Session) {
			b := s.Backend()
			b.Begin("t")
			b.Write("x", 1)
			point := b.Save()
			b.Write("x", 2)
			b.Write("y", 3)
			if v, _ := b.Read("x"); v != 2 {
				s.Assertf(false, "x = %v before", v)
			}
			b.Restore(point)
			if v, _ := b.Read("x"); v != 1 {
				s.Assertf(false, "x = %v after", v)
			}
			b.Commit()
		})
	})
	n, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	if n.Kind != behaviour.Commit || len(n.Writes) != 1 || c.Key(n.Writes[0].Var) != "x" || c.Value(n.Writes[0].Val) != 1 {
		t.Errorf("%v %v", n.Kind, n.Writes)
	}
	for _, e := range n.Events {
		if e.Kind == behaviour.WriteEvent && c.Value(e.Val) != 1 {
			t.Errorf("an undone write is an operation: %v", c.Value(e.Val))
		}
	}
}

// A run that is not wanted any more gets errors, ends at the next call of the API,
// and what it has opened is closed.
func TestBackendRunsEnd(t *testing.T) {
	for name, on := range map[string]func(func()){"own goroutine": func(f func()) { f() }, "another goroutine": elsewhere} {
		closed, after := 0, 0
		var told error
		c, err := program.NewClient(t.Name(), func(p *program.Program) {
			p.UseBackend()
			p.Session("s", func(s *program.Session) {
				b := s.Backend()
				b.AtEnd(func() { closed++ })
				b.Begin("t")
				on(func() { _, told = b.Read("x") })
				if _, err := b.Read("x"); err == nil {
					after++
				}
				s.Observe("x", 1)
				after++
			})
		}, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Root(0); err != nil {
			t.Fatal(err)
		}
		c.Park()
		if closed != 1 || after != 0 || !errors.Is(told, program.ErrEnded) {
			t.Errorf("%s: closed %d times, went on %d times, error %v", name, closed, after, told)
		}
	}
}

// A mistake that a driver's goroutine makes is the exploration's error.
func TestBackendMistakes(t *testing.T) {
	err := broken(t, func(p *program.Program) {
		p.UseBackend()
		p.Session("s", func(s *program.Session) {
			b := s.Backend()
			b.Here()
			elsewhere(func() { b.Fail("LISTEN is not supported") })
		})
	}, program.Options{})
	wants(t, err, behaviour.Misuse, "LISTEN is not supported", "backend_test.go:")
}

// An attachment is made once for all runs, and an error of its making is at the
// line that asked for it.
func TestAttachment(t *testing.T) {
	made := 0
	c := newClient(t, func(p *program.Program) {
		v := p.Attachment("k", func() (any, error) { made++; return made, nil })
		p.Session("s", func(s *program.Session) { s.Assertf(v == 1, "attachment %v", v) })
	})
	ends, err := paths(c)
	if err != nil || len(ends) != 1 || len(ends[0].Failures) > 0 || made != 1 {
		t.Errorf("%v %v, made %d times", ends, err, made)
	}
	e := broken(t, func(p *program.Program) {
		p.Attachment("k", func() (any, error) { return nil, errors.New("the schema is wrong") })
		p.Session("s", func(s *program.Session) {})
	}, program.Options{})
	wants(t, e, behaviour.Misuse, "the schema is wrong", "backend_test.go:")
}

// What a backend finds too late makes the exploration begin again, after which it
// is known.
func TestAgain(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.UseBackend()
		known := p.Attachment("rows", func() (any, error) { return map[string]bool{}, nil }).(map[string]bool)
		p.Setup(func(tx *program.Tx) error {
			if known["x"] {
				tx.Write("x", "initial")
			}
			return nil
		})
		p.Session("s", func(s *program.Session) {
			b := s.Backend()
			b.Begin("t")
			if !known["x"] {
				known["x"] = true
				b.Again("INSERT", "t", nil)
			}
			b.Write("x", 1)
			b.Commit()
		})
	})
	if _, err := c.Root(0); !errors.Is(err, program.ErrAgain) {
		t.Fatalf("no new beginning: %v", err)
	}
	if _, err := c.Root(0); !errors.Is(err, program.ErrAgain) {
		t.Fatalf("goes on all the same: %v", err)
	}
	if err := c.Renew(); err != nil {
		t.Fatal(err)
	}
	if got := c.Value(c.Initial(c.Variable("x"))); got != "initial" {
		t.Errorf("x is %v at first", got)
	}
	if ends, err := paths(c); err != nil || len(ends) != 1 {
		t.Errorf("%v, %v", ends, err)
	}
}

// Until then no session runs: it would meet what has become known, and not do what it did before.
func TestNobodyRunsBeforeTheNewBeginning(t *testing.T) {
	known := false
	c := newClient(t, func(p *program.Program) {
		p.UseBackend()
		p.Setup(func(tx *program.Tx) error {
			tx.Write("x", 1)
			tx.Write("y", 2)
			return nil
		})
		p.Session("reader", func(s *program.Session) {
			b := s.Backend()
			b.Begin("t")
			if known {
				b.Read("y")
			}
			b.Read("x")
			b.Commit()
		})
		p.Session("writer", func(s *program.Session) {
			b := s.Backend()
			b.Begin("t")
			known = true
			b.Again("INSERT", "t", nil)
			b.Commit()
		})
	})
	n, err := c.Root(0)
	for err == nil && !n.Waits {
		n = n.Next()
	}
	if err == nil {
		_, err = c.Child(n, c.Initial(c.Variable("x")))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Root(1); !errors.Is(err, program.ErrAgain) {
		t.Fatalf("no new beginning: %v", err)
	}
	if _, err := c.Child(n, c.Initial(c.Variable("y"))); !errors.Is(err, program.ErrAgain) {
		t.Errorf("goes on all the same: %v", err)
	}
}

// Client code that tries again for ever is left behind.
func TestBackendGivesUp(t *testing.T) {
	c, err := program.NewClient(t.Name(), func(p *program.Program) {
		p.UseBackend()
		p.Session("s", func(s *program.Session) {
			b := s.Backend()
			b.Begin("t")
			for {
				b.Read("x")
			}
		})
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Root(0); err != nil {
		t.Fatal(err)
	}
	c.Park()
}
