package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// What a closure captures belongs to one run: neither other sessions nor other
// runs of the same session see it.
func TestCapturedVariablesDoNotLeak(t *testing.T) {
	c, err := program.NewClient(t.Name(), func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		captured := 0
		kept := map[string]int{}
		body := func(s *program.Session) {
			for range 2 {
				s.Txn("t", func(tx *program.Tx) error {
					captured++
					kept["calls"]++
					x.Set(tx, x.Get(tx)+1)
					if captured > 2 || kept["calls"] > 2 {
						s.Assertf(false, "leaked: %d %v", captured, kept)
					}
					return nil
				})
			}
			s.Observe("captured", captured)
		}
		p.Session("a", body)
		p.Session("b", body)
		p.Invariant("fresh", func(*program.Outcome) error {
			captured++
			return program.Assertf(captured == 1, "leaked into an Invariant: %d", captured)
		})
	}, program.Options{Recheck: -1}) // which would notice that the two sessions share something
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	// The domain of x grows with every walk; two rounds are enough.
	for s := range 2 {
		root, err := c.Root(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range []int{0, 1, 2, 3} {
			for _, second := range []int{3, 2, 1, 0} {
				end := follow(t, c, s, program.Intern(c, first), program.Intern(c, second))
				if len(end.Failures) > 0 {
					t.Fatalf("%v", end.Failures[0].Message)
				}
			}
		}
		if root.Known(program.Intern(c, 3)) == nil {
			t.Error("the root does not know its children")
		}
	}
	for range 3 {
		failures, err := c.Judge([]*behaviour.Node{follow(t, c, 0), follow(t, c, 1)})
		if err != nil || len(failures) > 0 {
			t.Fatal(err, failures[0].Message)
		}
	}
}

// A client is explored again with the trees that it has; parked coroutines are
// started again on demand.
func TestParkAndGoOn(t *testing.T) {
	calls := 0
	c := newClient(t, func(p *program.Program) {
		calls++
		transfer(p)
	})
	want := texts(t, newClient(t, transfer))
	follow(t, c, 0)
	c.Park()
	c.Park()
	equal(t, "paths", texts(t, c), want)
	c.Park()
	before := calls
	equal(t, "paths again", texts(t, c), want)
	equal(t, "calls for a known tree", calls-before, 0)
}
