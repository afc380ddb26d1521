package program_test

import (
	"iter"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// The API used from outside the goroutine it belongs to.
func TestStrayCalls(t *testing.T) {
	const outside = "called from outside the goroutine it belongs to"
	for name, test := range map[string]struct {
		explore func(*program.Program)
		parts   []string
	}{
		"awaited": {one(func(_ *program.Session, tx *program.Tx) {
			var wg sync.WaitGroup
			wg.Go(func() {
				tx.Read("x") //@awaited
			})
			wg.Wait()
		}), []string{"Read " + outside, `session "client"`, at(t, "awaited")}},
		"begins in a goroutine": {func(p *program.Program) {
			p.Session("client", func(s *program.Session) {
				var wg sync.WaitGroup
				wg.Go(func() {
					s.Txn("t", nothing) //@txn
				})
				wg.Wait()
			})
		}, []string{"Txn " + outside, `session "client"`, at(t, "txn")}},
		"deferred": {one(func(_ *program.Session, tx *program.Tx) {
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() {
					recover()
					defer tx.Read("y")
					tx.Read("x")
				}()
				tx.Read("x") //@deferred
			})
			wg.Wait()
		}), []string{"Read " + outside, at(t, "deferred")}},
		"several": {one(func(_ *program.Session, tx *program.Tx) {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					defer func() { recover() }()
					for {
						tx.Write("x", 1) //@several
					}
				})
			}
			wg.Wait()
		}), []string{"Write " + outside, at(t, "several")}},
		"rollback": {one(func(_ *program.Session, tx *program.Tx) {
			var wg sync.WaitGroup
			wg.Go(func() {
				tx.Rollback() //@rollback
			})
			wg.Wait()
		}), []string{"Rollback " + outside, at(t, "rollback")}},
		"iterator": {one(func(_ *program.Session, tx *program.Tx) {
			next, stop := iter.Pull(func(yield func(any) bool) {
				yield(tx.Read("x")) //@iterator
			})
			defer stop()
			next()
		}), []string{"Read " + outside, `session "client"`, at(t, "iterator")}},
		"another session's Tx": {func() func(*program.Program) {
			var leaked *program.Tx
			return func(p *program.Program) {
				p.Session("owner", func(s *program.Session) {
					s.Txn("t", func(tx *program.Tx) error {
						leaked = tx
						tx.Read("x")
						return nil
					})
				})
				p.Session("thief", func(s *program.Session) {
					if leaked != nil {
						leaked.Write("x", 1) //@thief
					}
				})
			}
		}(), []string{"Write " + outside, `session "owner"`, at(t, "thief")}},
		"another session's Session": {func() func(*program.Program) {
			var leaked *program.Session
			return func(p *program.Program) {
				p.Session("owner", func(s *program.Session) {
					leaked = s
					s.Txn("t", func(tx *program.Tx) error { tx.Read("x"); return nil })
				})
				p.Session("thief", func(s *program.Session) {
					if leaked != nil {
						leaked.Observe("x", 1) //@observe
					}
				})
			}
		}(), []string{"Observe " + outside, `session "owner"`, at(t, "observe")}},
		"another run's Program": {func() func(*program.Program) {
			var leaked *program.Program
			return func(p *program.Program) {
				if leaked != nil {
					leaked.Session("late", idle) //@program
				}
				leaked = p
				p.Session("s", idle)
			}
		}(), []string{"Session " + outside, at(t, "program")}},
		"goroutine of the Explore function": {func(p *program.Program) {
			var wg sync.WaitGroup
			wg.Go(func() {
				p.Session("s", idle) //@declares
			})
			wg.Wait()
		}, []string{"Session " + outside, at(t, "declares")}},
	} {
		wants(t, broken(t, test.explore, program.Options{}), behaviour.Misuse, test.parts...)
		if t.Failed() {
			t.Fatalf("that was: %s", name)
		}
	}
}

// A goroutine that outlives its run is noticed too: Err tells.
func TestStrayCallLater(t *testing.T) {
	release := make(chan struct{})
	var strays sync.WaitGroup
	c := newClient(t, one(func(_ *program.Session, tx *program.Tx) {
		strays.Go(func() {
			<-release
			tx.Read("x") //@late
		})
	}))
	if _, err := c.Root(0); err != nil {
		t.Fatal(err)
	}
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	close(release)
	strays.Wait()
	err, ok := c.Err().(*behaviour.Error)
	if !ok {
		t.Fatalf("error %v", c.Err())
	}
	wants(t, err, behaviour.Misuse, "Read called from outside", at(t, "late"))
	if _, again := c.Root(0); again != err {
		t.Errorf("Root returns %v", again)
	}
}

// An Invariant judges values; a Tx is of no use there.
func TestTxInInvariant(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		var kept *program.Tx
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { kept = tx; return nil })
		})
		p.Invariant("i", func(*program.Outcome) error {
			if kept == nil {
				kept = leakedTx
			}
			kept.Read("x") //@invariant
			return nil
		})
		p.Session("leak", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { leakedTx = tx; return nil })
		})
	})
	ends, err := paths(c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Judge(ends)
	e, ok := err.(*behaviour.Error)
	if !ok {
		t.Fatalf("error %v", err)
	}
	wants(t, e, behaviour.Misuse, "Read called from outside", `session "leak"`, at(t, "invariant"))
}

var leakedTx *program.Tx

// A session that takes the mark off its goroutine is known by the root of its stack,
// however deep the stack is. Another goroutine that takes the mark off is not taken for
// the session.
func TestUnmarkedGoroutine(t *testing.T) {
	c := newClient(t, one(func(_ *program.Session, tx *program.Tx) {
		deep(1000, func() {
			debug.SetPanicOnFault(false)
			tx.Read("x")
		})
	}))
	if _, err := c.Root(0); err != nil {
		t.Error(err)
	}
	err := broken(t, one(func(_ *program.Session, tx *program.Tx) {
		deep(1000, func() {
			var wg sync.WaitGroup
			wg.Go(func() {
				debug.SetPanicOnFault(false)
				tx.Read("x") //@unmarked
			})
			wg.Wait()
		})
	}), program.Options{})
	wants(t, err, behaviour.Misuse, "Read called from outside", at(t, "unmarked"))
}

// deep calls f from below n frames.
//
//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}
