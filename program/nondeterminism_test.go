package program_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// one is a program of one session that runs one transaction.
func one(body func(*program.Session, *program.Tx)) func(*program.Program) {
	return func(p *program.Program) {
		p.Session("client", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { body(s, tx); return nil })
		})
	}
}

// The error names the session, both operations and both lines.
func TestNondeterministicSession(t *testing.T) {
	for name, test := range map[string]struct {
		explore func(*program.Program)
		parts   []string
	}{
		"map order": {one(func(_ *program.Session, tx *program.Tx) {
			for k := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4} {
				tx.Write(k, 0) //@map
			}
		}), []string{"did write ", " = 0", at(t, "map")}},
		"time": {one(func(_ *program.Session, tx *program.Tx) {
			tx.Write("now", time.Now().UnixNano()) //@now
		}), []string{"write now = 1", at(t, "now")}},
		"random": {one(func(_ *program.Session, tx *program.Tx) {
			if rand.N(2) == 0 {
				tx.Read("even") //@even
			} else {
				tx.Read("odd") //@odd
			}
		}), []string{"read even", "read odd", at(t, "even"), at(t, "odd")}},
		"package counter": {func() func(*program.Program) {
			calls := 0
			return one(func(s *program.Session, tx *program.Tx) {
				if calls++; calls == 3 {
					tx.Write("third", 1) //@third
				}
			}) //@commit
		}(), []string{"write third = 1", "commit", at(t, "third")}},
		"type only": {func() func(*program.Program) {
			calls := 0
			return one(func(s *program.Session, tx *program.Tx) {
				if calls++; calls%2 == 0 {
					tx.Write("x", 1) //@int
				} else {
					tx.Write("x", int8(1)) //@int8
				}
			})
		}(), []string{"write x = 1 of type int8", "write x = 1 of type int ", at(t, "int8"), at(t, "int")}},
		"transaction's name": {func() func(*program.Program) {
			calls := 0
			return func(p *program.Program) {
				p.Session("client", func(s *program.Session) {
					calls++
					s.Txn(string(rune('a'+calls)), func(*program.Tx) error { return nil }) //@named
				})
			}
		}(), []string{`begin "b"`, `begin "c"`, at(t, "named")}},
		"commit or abort": {func() func(*program.Program) {
			calls := 0
			return func(p *program.Program) {
				p.Session("client", func(s *program.Session) {
					tx := s.Begin("t")
					if calls++; calls%2 == 0 {
						tx.Rollback() //@rollback
					} else {
						tx.Commit() //@committed
					}
				})
			}
		}(), []string{"did commit", "abort", at(t, "committed"), at(t, "rollback")}},
		"observation": {one(func(s *program.Session, _ *program.Tx) {
			s.Observe("o", rand.Uint64()) //@observed
		}), []string{"observe o = ", at(t, "observed")}},
		"own read": {func() func(*program.Program) {
			calls := 0
			return one(func(s *program.Session, tx *program.Tx) {
				tx.Write("x", 1)
				tx.Write("y", 1)
				if calls++; calls%2 == 0 {
					tx.Read("x") //@ownx
				} else {
					tx.Read("y") //@owny
				}
			})
		}(), []string{"read x = 1", "read y = 1", at(t, "ownx"), at(t, "owny")}},
		"ends early": {func() func(*program.Program) {
			calls := 0
			return func(p *program.Program) {
				p.Session("client", func(s *program.Session) {
					if calls++; calls > 1 {
						return
					}
					s.Txn("t", func(*program.Tx) error { return nil }) //@early
				})
			}
		}(), []string{"end of the session", at(t, "early")}},
		"fails sometimes": {func() func(*program.Program) {
			calls := 0
			return one(func(s *program.Session, tx *program.Tx) {
				calls++
				s.Assert(calls != 3, "third") //@fails
			})
		}(), []string{"fail: third", "commit", at(t, "fails")}},
		"goroutines race": {one(func(_ *program.Session, tx *program.Tx) {
			var mu sync.Mutex
			var wg sync.WaitGroup
			order := ""
			for _, name := range []string{"a", "b", "c", "d"} {
				wg.Go(func() {
					time.Sleep(rand.N(time.Millisecond))
					mu.Lock()
					defer mu.Unlock()
					order += name
				})
			}
			wg.Wait()
			tx.Write("order", order) //@race
		}), []string{"write order = ", at(t, "race")}},
		"in the Final": {func(p *program.Program) {
			p.Session("s", func(*program.Session) {})
			p.Final("check", func(tx *program.Tx) error {
				tx.Write("r", rand.Uint64()) //@final
				return nil
			})
		}, []string{`session "final"`, "write r = ", at(t, "final")}},
		"after a read": {one(func(_ *program.Session, tx *program.Tx) {
			if tx.Read("x") == nil {
				tx.Write("r", rand.Uint64()) //@after
			}
		}), []string{"write r = ", at(t, "after")}},
	} {
		err := broken(t, test.explore, program.Options{})
		wants(t, err, behaviour.Nondeterminism, test.parts...)
		if t.Failed() {
			t.Fatalf("that was %s", name)
		}
		if name != "in the Final" {
			wants(t, err, behaviour.Nondeterminism, `session "client"`)
		}
		if err.At.File == "" && name != "ends early" {
			t.Errorf("%s: no location in %v", name, err)
		}
	}
}

// The first error stays, whatever is asked next.
func TestFirstErrorStays(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		calls := 0
		p.Session("bad", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { tx.Write("x", rand.Uint64()); return nil })
		})
		p.Session("good", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error { tx.Read("x"); calls++; return nil })
		})
		p.Invariant("i", func(*program.Outcome) error { return nil })
	})
	good, err := c.Root(1)
	if err != nil {
		t.Fatal(err)
	}
	_, first := c.Root(0)
	if first == nil {
		t.Fatal("a random write went unnoticed")
	}
	_, again := c.Root(0)
	_, other := c.Root(1)
	_, child := c.Child(good, 0)
	_, judge := c.Judge(nil)
	for _, err := range []error{again, other, child, judge, c.Err()} {
		if err != first {
			t.Errorf("got %v\nafter %v", err, first)
		}
	}
}
