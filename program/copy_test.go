package program_test

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

type basket struct {
	Items  []string
	prices map[string][]int
	extra  any
	rows   [1][]int
}

func newBasket() basket {
	return basket{[]string{"a", "b"}, map[string][]int{"a": {1, 2}}, []any{map[string]int{"k": 1}}, [1][]int{{7}}}
}

func (b basket) spoil() {
	b.Items[0] = "spoilt"
	b.prices["a"][0] = -1
	b.prices["new"] = nil
	b.extra.([]any)[0].(map[string]int)["k"] = -1
	b.rows[0][0] = -1
	_ = append(b.Items[:0], "spoilt", "spoilt", "spoilt")
}

// What goes in and what comes out share no memory with the store: neither the
// writer's value, nor a reader's, nor what Outcome and Value return.
func TestValuesAreCopies(t *testing.T) {
	want := fmt.Sprintf("%+v", newBasket())
	check := func(where string, got any) {
		if fmt.Sprintf("%+v", got) != want {
			t.Errorf("%s: %+v", where, got)
		}
		got.(basket).spoil()
	}
	c := newClient(t, func(p *program.Program) {
		initial := newBasket()
		x := program.NewVar(p, "x", initial)
		initial.spoil()
		p.Session("s", func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				check("initial value", x.Get(tx))
				b := newBasket()
				x.Set(tx, b)
				b.spoil()
				check("own write", x.Get(tx))
				check("own write again", tx.Read("x"))
				b = newBasket()
				tx.Write("y", b)
				s.Observe("o", b)
				b.spoil()
				check("own write by key", tx.Read("y"))
				return nil
			})
			s.Txn("u", func(tx *program.Tx) error {
				check("read", x.Get(tx))
				return nil
			})
		})
		p.Invariant("copies", func(o *program.Outcome) error {
			s := o.Session("s")
			check("observation", s.Observed("o")[0])
			check("outcome's read", s.Txns[0].Reads[0].Value)
			check("outcome's write", s.Txns[0].Writes[0].Value)
			return nil
		})
	})
	root, err := c.Root(0)
	if err != nil {
		t.Fatal(err)
	}
	check("Value", c.Value(c.Initial(root.Var)))
	end := follow(t, c, 0)
	for range 2 {
		if f, err := c.Judge([]*behaviour.Node{end}); err != nil || len(f) > 0 {
			t.Error(f, err)
		}
	}
	check("Value at the end", c.Value(c.Initial(root.Var)))
}
