package program_test

import (
	"sync"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// What one session leaves in a variable that its function captures, and another acts on, is
// noticed, in whichever order the two are declared.
func TestCapturedVariablesPassState(t *testing.T) {
	const together = "in the same call of the Explore function"
	for name, explore := range map[string]func(*program.Program){
		"written first": func(p *program.Program) {
			last := 0
			p.Session("writer", func(s *program.Session) { last = 7 })
			p.Session("reader", func(s *program.Session) { s.Observe("last", last) })
		},
		"read first": func(p *program.Program) {
			seen := map[string]bool{}
			p.Session("reader", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error {
					if !seen["it"] {
						tx.Write("x", 1)
					}
					return nil
				})
			})
			p.Session("writer", func(s *program.Session) { seen["it"] = true })
		},
		"both do": func(p *program.Program) {
			var mu sync.Mutex
			ids := 0
			for _, name := range []string{"a", "b"} {
				p.Session(name, func(s *program.Session) {
					mu.Lock()
					defer mu.Unlock()
					ids++
					s.Observe("id", ids)
				})
			}
		},
		"one after it has failed": func(p *program.Program) {
			tries := 0
			p.Session("writer", func(s *program.Session) { tries++ })
			p.Session("reader", func(s *program.Session) { s.Assertf(tries > 0, "none") })
		},
		"read by a Final": func(p *program.Program) {
			sold := 0
			p.Session("seller", func(s *program.Session) { sold++ })
			p.Final("sold", func(*program.Tx) error { return program.Assertf(sold == 0, "%d", sold) })
		},
		"a lock that is kept": func(p *program.Program) {
			busy := false
			p.Session("a", func(s *program.Session) { busy = true })
			p.Session("b", func(s *program.Session) {
				if busy {
					panic("busy")
				}
			})
		},
	} {
		err := broken(t, explore, program.Options{})
		wants(t, err, behaviour.Nondeterminism, together, "captured")
		if t.Failed() {
			t.Fatalf("that was %s", name)
		}
	}
}

// What several sessions leave together in a captured variable, and a Final acts on, is noticed.
func TestCapturedByFinal(t *testing.T) {
	for name, holds := range map[string]func(order string, saw []int) bool{
		"count":  func(order string, _ []int) bool { return len(order) < 3 },
		"order":  func(order string, _ []int) bool { return order != "cba" },
		"values": func(_ string, saw []int) bool { return len(saw) < 2 || saw[0] != saw[1] },
	} {
		t.Run(name, func(t *testing.T) {
			err := broken(t, func(p *program.Program) {
				x := program.NewVar(p, "x", 0)
				order, saw := "", []int(nil)
				for _, who := range []string{"a", "b", "c"} {
					p.Session(who, func(s *program.Session) {
						s.Txn("t", func(tx *program.Tx) error {
							n := x.Get(tx)
							x.Set(tx, n+1)
							order, saw = order+who, append(saw, n)
							return nil
						})
					})
				}
				p.Final("f", func(*program.Tx) error { return program.Assertf(holds(order, saw), "%s %v", order, saw) })
			}, program.Options{})
			wants(t, err, behaviour.Nondeterminism, `session "final"`, "after sessions", " and then ", "in the same call")
		})
	}
}

// What a session does after two others only, as at a limit that they count towards, is noticed.
func TestCapturedByThird(t *testing.T) {
	for _, limit := range []int{3, 4} {
		err := broken(t, func(p *program.Program) {
			x, calls := program.NewVar(p, "x", 0), 0
			for _, who := range []string{"a", "b", "c", "d"} {
				p.Session(who, func(s *program.Session) {
					s.Txn("t", func(tx *program.Tx) error {
						if calls++; calls < limit {
							x.Set(tx, 1)
						}
						return nil
					})
				})
			}
		}, program.Options{})
		wants(t, err, behaviour.Nondeterminism, "after sessions", " and then ", "in the same call")
	}
}

// An Invariant that looks at what sessions have written is noticed.
func TestCapturedByInvariant(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		sold := 0
		p.Session("a", func(*program.Session) { sold++ })
		p.Session("b", func(*program.Session) { sold++ })
		p.Invariant("sold once", func(*program.Outcome) error { return program.Assertf(sold <= 1, "%d", sold) })
	})
	_, err := c.Judge([]*behaviour.Node{follow(t, c, 0), follow(t, c, 1)})
	if err == nil {
		t.Fatal("it holds")
	}
	wants(t, err.(*behaviour.Error), behaviour.Nondeterminism, `"sold once"`, "held in one call and failed after the sessions had run in the same call", "s.Observe")
}

// What sessions share without acting on it is no error.
func TestCapturedVariablesPassNothing(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		var mu sync.Mutex
		calls, own := 0, make([]int, 3)
		for i, name := range []string{"a", "b", "c"} {
			p.Session(name, func(s *program.Session) {
				mu.Lock()
				defer mu.Unlock()
				calls++
				s.Txn("t", func(tx *program.Tx) error {
					own[i] += x.Get(tx)
					x.Set(tx, own[i])
					return nil
				})
				s.Assertf(own[i] < 2, "%d", own[i])
			})
		}
		p.Final("x", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) >= 0, "negative") })
		p.Invariant("some", func(o *program.Outcome) error { return program.Assertf(len(o.Sessions) == 3, "%d", len(o.Sessions)) })
	})
	for s := range 4 {
		for v := range 3 {
			follow(t, c, s, program.Intern(c, v))
		}
	}
	ends := []*behaviour.Node{follow(t, c, 0, program.Intern(c, 0)), follow(t, c, 1, program.Intern(c, 2)), follow(t, c, 2, program.Intern(c, 1)), follow(t, c, 3, program.Intern(c, 1))}
	if failures, err := c.Judge(ends); err != nil || len(failures) > 0 {
		t.Error(failures, err)
	}
}

// A captured variable passes on a Session or a Tx. The error names it as that, whether it
// is used in the other session or in a transaction of that session.
func TestCapturedSession(t *testing.T) {
	for name, explore := range map[string]func(*program.Program){
		"Txn on a Session or a Tx of session \"a\"": func(p *program.Program) {
			var kept *program.Session
			p.Session("a", func(s *program.Session) { kept = s })
			p.Session("b", func(s *program.Session) {
				if kept != nil {
					kept.Txn("t", func(*program.Tx) error { return nil })
				}
			})
		},
		"Read on a Session or a Tx of session \"a\"": func(p *program.Program) {
			var kept *program.Tx
			p.Session("a", func(s *program.Session) { s.Txn("t", func(tx *program.Tx) error { kept = tx; return nil }) })
			p.Session("b", func(s *program.Session) {
				s.Txn("t", func(*program.Tx) error {
					if kept != nil {
						kept.Read("x")
					}
					return nil
				})
			})
		},
	} {
		err := broken(t, explore, program.Options{})
		wants(t, err, behaviour.Misuse, name, `session "b": `, "captured_test.go:")
	}
}
