package program_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// What an Invariant sees of a complete history.
func TestOutcome(t *testing.T) {
	var got *program.Outcome
	c := newClient(t, func(p *program.Program) {
		x := program.NewVar(p, "x", 7)
		p.Session("a", func(s *program.Session) {
			s.Observe("before", 1)
			s.Txn("t", func(tx *program.Tx) error {
				x.Set(tx, x.Get(tx)+1)
				x.Set(tx, x.Get(tx)+1)
				tx.Read("y")
				s.Observe("inside", "two")
				return nil
			})
			s.Txn("fails", func(tx *program.Tx) error { tx.Write("y", 1); return errors.New("no") })
			s.Txn("t", nothing)
			s.Observe("before", []int{3})
		})
		p.Session("b", idle)
		p.Final("f", func(tx *program.Tx) error { x.Get(tx); return nil })
		p.Invariant("look", func(o *program.Outcome) error { got = o; return nil })
	})
	nine := program.Intern(c, 9)
	ends := []*behaviour.Node{follow(t, c, 0), follow(t, c, 1), follow(t, c, 2, nine)}
	if f, err := c.Judge(ends); err != nil || len(f) > 0 {
		t.Fatal(f, err)
	}
	equal(t, "outcome", fmt.Sprintf("%+v", *got), "{Sessions:["+
		"{Name:a Txns:["+
		"{Name:t Committed:true Err: Reads:[{Key:x Value:7} {Key:x Value:8} {Key:y Value:<nil>}] Writes:[{Key:x Value:8} {Key:x Value:9}]} "+
		"{Name:fails Committed:false Err:no Reads:[] Writes:[{Key:y Value:1}]} "+
		"{Name:t Committed:true Err: Reads:[] Writes:[]}"+
		"] Observations:[{Name:before Value:1} {Name:inside Value:two} {Name:before Value:[3]}]} "+
		"{Name:b Txns:[] Observations:[]}"+
		"] Finals:[{Name:f Committed:true Err: Reads:[{Key:x Value:9}] Writes:[]}]}")
	a := got.Session("a")
	equal(t, "Observed", a.Observed("before"), "[1 [3]]")
	equal(t, "Observed nothing", len(a.Observed("after")), 0)
	equal(t, "Txn", len(a.Txn("t")), 2)
	equal(t, "Invariants", c.Invariants(), 1)
}

// Each Invariant that fails is a failure, at its declaration or at the
// assertion; each gets an Outcome of its own.
func TestJudge(t *testing.T) {
	c := newClient(t, func(p *program.Program) {
		p.Session("s", func(s *program.Session) { s.Observe("o", 1) })
		p.Invariant("spoils", func(o *program.Outcome) error {
			o.Sessions[0].Observations[0].Value = 2
			o.Sessions = nil
			return nil
		})
		p.Invariant("plain", func(o *program.Outcome) error { //@plain
			return fmt.Errorf("saw %v", o.Session("s").Observed("o"))
		})
		p.Invariant("assertion", func(*program.Outcome) error {
			return fmt.Errorf("wrapped: %w", program.Assert(false, "odd")) //@assertion
		})
	})
	equal(t, "final", c.Final(), -1)
	for range 2 {
		failures, err := c.Judge([]*behaviour.Node{follow(t, c, 0)})
		if err != nil || len(failures) != 2 {
			t.Fatal(failures, err)
		}
		f, g := failures[0], failures[1]
		equal(t, "plain", []any{f.Kind, f.Session, f.Txn, f.Name, f.Message, f.At}, "[invariant -1 -1 plain saw [1] "+at(t, "plain")+"]")
		equal(t, "assertion", []any{g.Kind, g.Session, g.Txn, g.Name, g.Message, g.At}, "[invariant -1 -1 assertion wrapped: odd "+at(t, "assertion")+"]")
	}
}
