package program_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// lookAll looks at the nodes that sessions reach when each operation is answered by each of
// a few values, and at what their statements make of rows.
func lookAll(c *program.Client, y *program.Copies, values []behaviour.ValueID) error {
	var visit func(n *behaviour.Node) error
	visit = func(n *behaviour.Node) error {
		if err := y.Look(n); err != nil || n.Kind == behaviour.End {
			return err
		}
		if !n.Waits {
			return visit(n.Next())
		}
		answers := []behaviour.ValueID{behaviour.Done}
		switch n.Kind {
		case behaviour.Read, behaviour.Find:
			answers = values
		case behaviour.Ask:
			if n.Query.Judged {
				if _, err := y.Evaluate(n, n.Query.Var, values[1]); err != nil {
					return err
				}
			}
			none, err := c.Number(0)
			if err != nil {
				return err
			}
			answers = []behaviour.ValueID{none}
			if n.Query.Verb == behaviour.UpdateRows {
				if answers[0], err = c.Items(nil); err != nil {
					return err
				}
			}
		}
		for _, v := range answers {
			child, err := c.Child(n, v)
			if err == nil {
				err = visit(child)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	for s := range c.Sessions() {
		root, err := c.Root(s)
		if err == nil {
			err = visit(root)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// What sessions may not do with their number under the model of a database.
func TestCopies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body   func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int)
		differ string // "": they are copies
	}{
		"nothing": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			s.Observe("x", x.Get(tx))
			x.Set(tx, x.Get(tx)+1)
			x.Update(tx, func(old int) (int, bool) { return old + 1, old < 5 })
			rows.Update(tx, 1, func(old int) (int, bool) { return old + 1, true })
		}, ""},
		"a key": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			tx.Read(fmt.Sprint("k", i/2))
		}, "c-1 comes to read k0 at copies_test.go"},
		"a value": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			x.Set(tx, i/2)
		}, "c-1 comes to update x to 0 at copies_test.go"},
		"an answer": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			if x.Get(tx) == 3 && i == 2 {
				x.Get(tx)
			}
		}, "c-1 comes to commit at copies_test.go"},
		"an observation": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			s.Observe("me", i/2)
		}, "c-1 comes to observe me = 0 at copies_test.go"},
		"an assertion": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			s.Assert(i < 2, "third")
		}, "where c-2 comes to fail"},
		"an assumption": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			tx.Assume(i < 2)
		}, "where c-2 comes to not hold what is assumed"},
		"a locking clause": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			x.GetForShare(tx, [...]behaviour.ReadOption{0, 0, behaviour.NoWait}[i])
		}, "c-1 comes to read x for share"},
		"an update's function": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			x.Update(tx, func(old int) (int, bool) { return old + i/2, true })
		}, "c-1 comes to update x by a function to 0"},
		"a statement's function": {func(s *program.Session, tx *program.Tx, x *program.Var[int], rows *program.Table[int, int], i int) {
			rows.Update(tx, 1, func(old int) (int, bool) { return old + i/2, true })
		}, "but makes something else of it"},
	} {
		c, err := program.NewClient(name, func(p *program.Program) {
			x, rows := program.NewVar(p, "x", 0), program.NewTable[int, int](p, "t")
			p.Setup(func(tx *program.Tx) error { return rows.Insert(tx, 1, 3) })
			p.Sessions(3, "c", func(s *program.Session, i int) {
				s.Txn("t", func(tx *program.Tx) error { test.body(s, tx, x, rows, i); return nil })
			})
		}, program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		var values []behaviour.ValueID
		for x := range c.Variables() {
			values = append(values, c.Initial(behaviour.VarID(x)))
		}
		err = lookAll(c, c.NewCopies(c.Alike()), values)
		c.Park()
		var d *program.Difference
		switch {
		case test.differ == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.differ != "" && (!errors.As(err, &d) || !strings.Contains(d.What, test.differ)):
			t.Errorf("%s: %v, want %q", name, err, test.differ)
		case test.differ != "" && (d.A != 1 || d.B != 2):
			t.Errorf("%s: %d and %d are told apart", name, d.A, d.B)
		}
	}
}

// Of copies that were looked at each has its place in the images.
func TestCopiesMirror(t *testing.T) {
	t.Parallel()
	c, err := program.NewClient("mirror", func(p *program.Program) {
		program.NewVar(p, "x", 0)
		p.Session("other", func(s *program.Session) {})
		p.Sessions(3, "c", func(s *program.Session, i int) { s.Read("x") })
	}, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	y := c.NewCopies(c.Alike())
	var ends []*behaviour.Node
	for s := range c.Sessions() {
		n, err := c.Root(s)
		if err == nil && s == 2 {
			n, err = c.Child(n, c.Initial(0))
		}
		if err == nil {
			err = y.Look(n)
		}
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, n)
	}
	images, err := y.Mirror(1, ends, nil) // of sessions 2 and 3
	if err != nil {
		t.Fatal(err)
	}
	if images[0] != ends[0] || images[1] != ends[1] || images[2].Session != 2 || images[2].Before() != nil || images[3].Session != 3 || images[3].Before() == nil {
		t.Errorf("%v with two sessions exchanged is %v", ends, images)
	}
	class := func(n *behaviour.Node) int64 { k, _ := y.Class(n); return k }
	if class(ends[1]) != class(ends[3]) || class(ends[2]) == class(ends[1]) || class(images[3]) != class(ends[2]) || len(y.All(ends[2])) != 3 {
		t.Error("classes are not those of the answers")
	}
	if _, ok := y.Class(ends[0]); ok {
		t.Error("a session of no set has a class")
	}
}
