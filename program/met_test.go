package program_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// apart has two sessions whose likeness is told by two of their ways together: after a 1
// they write different keys, after a 2 they read the same one.
func apart(p *program.Program) {
	for _, who := range []string{"y", "z"} {
		p.Session(who, func(s *program.Session) {
			s.Txn("look", func(tx *program.Tx) error {
				switch tx.Read("x") {
				case 1:
					tx.Write(who, 7)
				case 2:
					tx.Read("y")
				}
				return nil
			})
		})
	}
	p.Session("x", func(s *program.Session) {
		for _, v := range []int{1, 2} {
			s.Txn("set", func(tx *program.Tx) error {
				tx.Write("x", v)
				return nil
			})
		}
	})
}

// What a symmetry has met is met again by another client, with other numbers, and counts
// there: a node that contradicts it tells the sessions apart.
func TestMeet(t *testing.T) {
	make := func(first int) (*program.Client, *program.Symmetry, [3]*behaviour.Node, []*behaviour.Node) {
		c, err := program.NewClient("Explore", apart, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Park)
		for range first {
			c.Variable("unused")
		}
		y := c.NewSymmetry([][]int{{0, 1}})
		var roots [3]*behaviour.Node
		for i := range roots {
			s := (i + first) % 3 // the order is another one
			if roots[s], err = c.Root(s); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range roots {
			if err := y.Holds(n); err != nil {
				t.Fatal(err)
			}
		}
		var commits []*behaviour.Node // of session x
		for n := roots[2]; n != nil; n = n.Next() {
			if n.Kind == behaviour.Commit {
				commits = append(commits, n)
			}
		}
		return c, y, roots, commits
	}
	hold := func(c *program.Client, y *program.Symmetry, n, writer *behaviour.Node) error {
		v, _ := writer.Written(n.Var)
		child, err := c.Child(n, v)
		if err != nil {
			t.Fatal(err)
		}
		return y.Holds(child)
	}
	c, y, roots, commits := make(0)
	if err := hold(c, y, roots[0], commits[0]); err != nil {
		t.Fatal(err)
	}
	met, whole := y.Met()
	if !whole {
		t.Fatal("not whole")
	}
	var d *program.Difference
	for _, meets := range []bool{false, true} {
		c, y, roots, commits := make(1)
		if meets {
			if err := y.Meet(met); err != nil {
				t.Fatal(err)
			}
			again, whole := y.Met()
			if len(again) != len(met) || !whole {
				t.Errorf("met %d, and again %d: %s", len(met), len(again), cmp.Diff(met, again))
			}
		}
		if err := hold(c, y, roots[1], commits[1]); meets != errors.As(err, &d) {
			t.Errorf("what was met before: %v; the other way: %v", meets, err)
		}
	}
}
