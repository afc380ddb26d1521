package program_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// walk looks at every node that sessions reach when each reads what the others, or
// itself before, may have written. This is a closure over all values, and no level
// narrows it.
func walk(t *testing.T, c *program.Client, y *program.Symmetry) error {
	t.Helper()
	values := map[behaviour.VarID]map[behaviour.ValueID]bool{}
	write := func(x behaviour.VarID, v behaviour.ValueID) bool {
		if values[x] == nil {
			values[x] = map[behaviour.ValueID]bool{c.Initial(x): true}
		}
		fresh := !values[x][v]
		values[x][v] = true
		return fresh
	}
	for again := true; again; {
		again = false
		var visit func(n *behaviour.Node) error
		visit = func(n *behaviour.Node) error {
			if err := y.Holds(n); err != nil {
				return err
			}
			switch n.Kind {
			case behaviour.Read:
				write(n.Var, c.Initial(n.Var))
				for v := range values[n.Var] {
					child, err := c.Child(n, v)
					if err == nil {
						err = visit(child)
					}
					if err != nil {
						return err
					}
				}
				return nil
			case behaviour.Commit:
				for _, w := range n.Writes {
					again = write(w.Var, w.Val) || again
				}
			}
			if next := n.Next(); next != nil {
				return visit(next)
			}
			return nil
		}
		for s := range c.Sessions() {
			root, err := c.Root(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := visit(root); err != nil {
				return err
			}
		}
	}
	return nil
}

// What sessions may do with their number, and what tells them apart.
func TestSymmetry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		explore func(p *program.Program)
		differ  string // "": they are alike
	}{
		{"own keys and values", func(p *program.Program) {
			p.Sessions(3, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error {
					tx.Write(fmt.Sprint("cart/", i), fmt.Sprint("of ", i))
					tx.Write("last", s.Name())
					return nil
				})
			})
			p.Session("other", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error { tx.Write("seen", tx.Read("last") != nil); return nil })
			})
		}, ""},
		{"reads the other's", func(p *program.Program) {
			p.Sessions(2, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error { tx.Write(fmt.Sprint("k", i), 1); tx.Read(fmt.Sprint("k", 1-i)); return nil })
			})
		}, ""},
		{"a branch", func(p *program.Program) {
			p.Sessions(2, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error {
					if i == 1 {
						tx.Read("x")
					}
					return nil
				})
			})
		}, "; with c-0 and c-1 exchanged to a read"},
		{"a key that others read", func(p *program.Program) {
			p.Sessions(2, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error { tx.Write(fmt.Sprint("k", i), 1); return nil })
			})
			p.Session("other", func(s *program.Session) {
				s.Txn("t", func(tx *program.Tx) error { tx.Read("k0"); return nil })
			})
		}, "other reads k0"},
		{"a value like the initial one", func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			p.Sessions(2, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error { x.Set(tx, i); return nil })
			})
		}, "c-0 writes 0 to x"},
		{"a Final that knows a value", func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			p.Sessions(2, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error { x.Set(tx, i+1); return nil })
			})
			p.Final("f", func(tx *program.Tx) error {
				if x.Get(tx) == 2 {
					return errors.New("two")
				}
				return nil
			})
		}, "final"},
		{"an order of writes", func(p *program.Program) {
			p.Sessions(2, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error {
					tx.Write("a", 1)
					if i == 0 {
						tx.Write("b", 1)
					}
					return nil
				})
			})
		}, "writes b"},
	} {
		c, err := program.NewClient(test.name, test.explore, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sets := c.Alike()
		if len(sets) != 1 {
			t.Fatalf("%s: alike are %v", test.name, sets)
		}
		err = walk(t, c, c.NewSymmetry(sets))
		c.Park()
		var d *program.Difference
		switch {
		case test.differ == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.differ != "" && (!errors.As(err, &d) || !strings.Contains(d.What, test.differ)):
			t.Errorf("%s: %v, want %q", test.name, err, test.differ)
		case test.differ != "" && d.B != d.A+1:
			t.Errorf("%s: %d and %d are no neighbours", test.name, d.A, d.B)
		}
	}
}

// Sessions that begin alike are found, declared or not.
func TestLookAlike(t *testing.T) {
	t.Parallel()
	c, err := program.NewClient("alike", func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		increment := func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil }
		p.Session("a", func(s *program.Session) { s.Txn("inc", increment) })
		p.Session("r", func(s *program.Session) { s.Txn("read", func(tx *program.Tx) error { tx.Read("y"); return nil }) })
		p.Session("b", func(s *program.Session) { s.Txn("other name", increment) })
		p.Sessions(2, "c", func(s *program.Session, i int) { s.Txn("inc", increment) })
		p.Sessions(1, "d", func(s *program.Session, i int) { s.Txn("inc", increment) })
	}, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := c.LookAlike()
	c.Park()
	if got := fmt.Sprintf("%v %v %s %v", sets, c.Alike(), c.SessionName(4), err); got != "[[3 4] [0 2 5]] [[3 4]] c-1 <nil>" {
		t.Error(got)
	}
}
