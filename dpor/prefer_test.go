package dpor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

// An execution that is asked for as it was is the same again. An execution that is
// asked for in another order ends, and its schedule leads to it.
func TestPrefer(t *testing.T) {
	t.Parallel()
	atEachLevel(t, func(t *testing.T, of, db, level string) {
		r, other := random("prefer "+of+db+level), 0
		for range deadlinetest.Until(t, portion(20), func() bool { return other > 0 }) {
			p, declare := sketchOf(r, of, db, level)
			c, err := program.NewClient("ExploreTest", declare(p), program.Options{Database: true, Recheck: -1})
			if err != nil {
				t.Fatal(err)
			}
			opts := dpor.Options{Level: levelsOf[db][level], Workers: 1, All: true, List: true, Scope: dpor.Scope{Bound: &dpor.Bound{Calls: 200}}}
			found, _ := ofExploration(t, c, opts)
			for _, f := range found[max(0, len(found)-5):] {
				if again := preferred(t, c, opts, f.Schedule); again == nil || !slices.Equal(again.Schedule, f.Schedule) || outcome(again) != outcome(f) {
					t.Errorf("%v comes to %v, not %v\n%s", f.Schedule, again, f, p.Text())
				}
				if together, err := dpor.Together(c, opts.Level, f); err != nil || outcome(together) != outcome(f) || len(together.Schedule) > len(f.Schedule) {
					t.Errorf("%v comes to %v, statement by statement, %v\n%s", f, together, err, p.Text())
				}
				choices := slices.Clone(f.Schedule)
				rand.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
				got := preferred(t, c, opts, choices)
				if got == nil {
					continue // a session has assumed what does not hold
				}
				if i, c := firstNotPreferred(t, c, opts, choices, got.Schedule); i >= 0 {
					t.Errorf("step %d of %v is not %v, of the choices %v\n%s", i, got.Schedule, c, choices, p.Text())
				}
				if !slices.Equal(got.Schedule, f.Schedule) {
					other++
				}
				if again, err := dpor.Execute(c, opts.Level, got.Schedule); err != nil || outcome(again) != outcome(got) {
					t.Errorf("the way leads to %v, %v\n%s", again, err, p.Text())
				}
			}
			c.Park()
		}
	})
}

func preferred(t *testing.T, c *program.Client, opts dpor.Options, choices []model.Choice) *dpor.Found {
	t.Helper()
	f, err := dpor.Prefer(c, opts.Level, states.Points, choices)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// outcome is what an execution comes to. Variables that only other executions write are known to
// some executions and not to others: they have no row in either.
func outcome(f *dpor.Found) string {
	values := f.Values
	for len(values) > 0 && values[len(values)-1] == behaviour.NoRow {
		values = values[:len(values)-1]
	}
	return fmt.Sprint(f.Ends, values, len(f.Failures))
}

// firstNotPreferred is the first step of a way in whose place an earlier choice could have come, and
// that choice; -1 without one.
func firstNotPreferred(t *testing.T, c *program.Client, opts dpor.Options, choices, way []model.Choice) (int, model.Choice) {
	t.Helper()
	left := slices.Clone(choices)
	for i, step := range way {
		for _, choice := range left {
			if choice == step {
				break
			}
			f, err := dpor.Follow(c, opts.Level, append(slices.Clone(way[:i]), choice))
			if err != nil {
				t.Fatal(err)
			}
			if f.Made > i {
				return i, choice
			}
		}
		if at := slices.Index(left, step); at >= 0 {
			left = slices.Delete(left, at, at+1)
		}
	}
	return -1, model.Choice{}
}

// What a session has assumed must hold.
func TestPreferAssumed(t *testing.T) {
	c, err := program.NewClient("ExploreTest", func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		p.Session("writer", func(s *program.Session) {
			_ = s.Txn("w", func(tx *program.Tx) error { x.Set(tx, 1); return nil })
		})
		p.Session("reader", func(s *program.Session) {
			_ = s.Txn("r", func(tx *program.Tx) error { s.Assume(x.Get(tx) == 0); return nil })
		})
	}, program.Options{Database: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	for first, want := range []bool{false, true} {
		f, err := dpor.Prefer(c, isolation.PgRC, states.Points, []model.Choice{{N: int8(first)}, {N: int8(first)}})
		if err != nil || (f != nil) != want {
			t.Errorf("session %d first: %v, %v", first, f, err)
		}
	}
}
