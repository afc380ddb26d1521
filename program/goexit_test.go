package program_test

import (
	"runtime"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// runtime.Goexit, which t.FailNow and t.Fatal call, ends neither the engine nor
// the test that explores: it is an error.
func TestGoexit(t *testing.T) {
	exit := func() { runtime.Goexit() }
	for _, explore := range []func(*program.Program){
		func(p *program.Program) { exit() }, //@explore
		func(p *program.Program) {
			p.Session("s", idle)
			p.Setup(func(*program.Tx) error { exit(); return nil })
		},
		session(func(*program.Session) { exit() }),
		session(func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { tx.Read("x"); exit(); return nil })
		}),
		session(func(s *program.Session) {
			tx := s.Begin("t")
			defer exit()
			tx.Read("x")
			panic("boom")
		}),
		func(p *program.Program) {
			p.Session("s", idle)
			p.Final("f", func(*program.Tx) error { exit(); return nil })
		},
	} {
		err := broken(t, explore, program.Options{})
		wants(t, err, behaviour.Misuse, "client code ended its goroutine", "goexit_test.go:")
	}
}

func TestGoexitInInvariant(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.Session("s", idle)
		p.Invariant("i", func(*program.Outcome) error {
			runtime.Goexit() //@invariant
			return nil
		})
	})
	_, err := c.Judge([]*behaviour.Node{follow(t, c, 0)})
	e, ok := err.(*behaviour.Error)
	if !ok {
		t.Fatalf("error %v", err)
	}
	wants(t, e, behaviour.Misuse, "client code ended its goroutine", at(t, "invariant"))
}

// Nor does it when the run is not needed any more.
func TestGoexitWhenParked(t *testing.T) {
	c := newClient(t, one(func(_ *program.Session, tx *program.Tx) {
		defer runtime.Goexit()
		tx.Read("x")
	}))
	if _, err := c.Root(0); err != nil {
		t.Fatal(err)
	}
	c.Park()
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}
