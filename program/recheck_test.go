package program_test

import (
	"testing"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// A session may differ from run to run after one value only. This is noticed when that
// behaviour is run again. By default the first behaviours are run again, with Recheck 1
// all, and with less than 0 none.
func TestRecheck(t *testing.T) {
	const values = 30
	for _, test := range []struct {
		recheck, fickle int
		caught          bool
	}{
		{0, 0, true}, {0, 15, true}, {0, 20, false},
		{1, 20, true}, {1, values - 1, true},
		{7, 20, true}, // the 21st
		{-1, 0, false}, {-1, 15, false},
	} {
		calls := 0
		explore := one(func(_ *program.Session, tx *program.Tx) {
			v, _ := tx.Read("x").(int)
			if calls++; v == test.fickle {
				tx.Write("y", calls)
			}
		})
		c, err := program.NewClient(t.Name(), explore, program.Options{Recheck: test.recheck})
		if err != nil {
			t.Fatal(err)
		}
		n, err := c.Root(0)
		for v := 0; v < values && err == nil; v++ {
			_, err = c.Child(n, program.Intern(c, v))
		}
		if caught := err != nil; caught != test.caught {
			t.Errorf("Recheck %d, the behaviour after reading %d: %v", test.recheck, test.fickle, err)
		}
		if e, ok := err.(*behaviour.Error); err != nil && (!ok || e.Kind != behaviour.Nondeterminism) {
			t.Error(err)
		}
		c.Park()
	}
}
