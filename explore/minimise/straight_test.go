package minimise

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

func TestMoves(t *testing.T) {
	way := func(s string) (list []model.Choice) {
		for _, c := range s {
			list = append(list, model.Choice{N: int8(c - 'a')})
		}
		return list
	}
	var got []string
	for _, w := range moves(way("abacab"), 0) {
		var b strings.Builder
		for _, c := range w {
			b.WriteByte(byte('a' + c.N))
		}
		got = append(got, b.String())
	}
	want := "[bcbaaa aaabcb aaabcb bcaaab aaabcb baacab abaacb bcaaab]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	if got := moves(way("bb"), 0); got != nil {
		t.Errorf("%v of a session without steps", got)
	}
}

// buyers take one of so many, if they see one.
func buyers(n, stock int) func(p *program.Program) {
	return func(p *program.Program) {
		left := program.NewVar(p, "left", stock)
		for i := range n {
			p.Session(fmt.Sprint("buyer", i), func(s *program.Session) {
				_ = s.Txn("buy", func(tx *program.Tx) error {
					if left.Get(tx) == 0 {
						return nil
					}
					left.Update(tx, func(old int) (int, bool) { s.Assert(old > 0, "sold out"); return old - 1, true })
					return nil
				})
			})
		}
	}
}

// Of many sessions those that have nothing to do with the failure run by themselves behind it,
// and are irrelevant. The execution is one of the program, and breaks the same assertion.
func TestStraighten(t *testing.T) {
	c, err := program.NewClient("Explore", func(p *program.Program) {
		buyers(30, 2)(p)
		p.Invariant("never", func(*program.Outcome) error { return errors.New("always") })
	}, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	opts := dpor.Options{Level: isolation.PgRC}
	var all []model.Choice
	for range 3 { // everybody looks, and everybody takes one
		for i := range int8(30) {
			all = append(all, model.Choice{N: i})
		}
	}
	first, err := dpor.Prefer(c, opts.Level, states.Points, all)
	if err != nil {
		t.Fatal(err)
	}
	failure := first.Failures[0]
	wanted := func(f *behaviour.Failure) bool { return Same(f, failure) }
	before := NewWay(first)
	after := NewWay(straighten(t.Context(), c, opts, first, wanted))
	again, err := dpor.Execute(c, opts.Level, after.Found.Schedule)
	if err != nil || !slices.ContainsFunc(again.Failures, wanted) {
		t.Errorf("the schedule leads to %v, %v", again, err)
	}
	// Three sessions switch at most five times, and each of the others once.
	if after.switches > 27+5 || after.switches >= before.switches {
		t.Errorf("%d switches, before %d", after.switches, before.switches)
	}
	if len(after.Found.Failures) != 2 {
		t.Errorf("failures %v", after.Found.Failures)
	}
	if parts := IrrelevantExecuted(t.Context(), c, opts, after.Found, ""); len(parts) != 27 {
		t.Errorf("irrelevant: %v", parts)
	}
}

// A session that runs before the failure is tried too.
func TestIrrelevantBefore(t *testing.T) {
	c, err := program.NewClient("Explore", func(p *program.Program) {
		p.Session("before", func(s *program.Session) { s.Write("other", 1) })
		buyers(3, 1)(p)
	}, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	opts := dpor.Options{Level: isolation.PgRC}
	found, err := dpor.Prefer(c, opts.Level, states.Points, []model.Choice{{N: 0}, {N: 1}, {N: 1}, {N: 2}, {N: 2}, {N: 1}, {N: 2}, {N: 2}, {N: 3}})
	if err != nil || len(found.Failures) == 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	want := "[buyer2 before]"
	if parts := fmt.Sprint(IrrelevantExecuted(t.Context(), c, opts, found, "")); parts != want {
		t.Errorf("irrelevant: %v, want %v", parts, want)
	}
}

// A failure may happen serially too, without the sessions that begin after it. Then it says
// nothing of what is irrelevant. Nor does a failure after which no session begins.
func TestNothingLater(t *testing.T) {
	always := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for i := range 3 {
			p.Session(fmt.Sprint(i), func(s *program.Session) {
				_ = s.Txn("t", func(tx *program.Tx) error { s.Assert(x.Get(tx) == 1, "never"); return nil })
			})
		}
	}
	for name, explore := range map[string]func(*program.Program){"always": always, "three": buyers(3, 2)} {
		c, err := program.NewClient("Explore", explore, program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		opts := dpor.Options{Level: isolation.PgRC}
		for found, err := range dpor.Explore(t.Context(), c, opts).Histories() {
			if err != nil {
				t.Fatal(err)
			}
			if parts := IrrelevantExecuted(t.Context(), c, opts, found, ""); len(parts) > 0 {
				t.Errorf("%s: irrelevant: %v", name, parts)
			}
		}
		c.Park()
	}
}
