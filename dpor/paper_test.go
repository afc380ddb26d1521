package dpor_test

import (
	"context"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// The claims of Bouajjani, Enea, Román-Calvo, PLDI 2023, about the algorithms.
// Those about isolation levels are in paper_levels_test.go and prefix_test.go.

// extensible are the levels that explore-ce needs no filter for.
var extensible = []isolation.Level{isolation.RC, isolation.RA, isolation.CC}

// explore-ce outputs only histories of its level, all of them, and each once, and
// no call of explore is in vain: every one reaches an output. Section 5.
func TestStrongOptimality(t *testing.T) {
	t.Parallel()
	check := func(p *prog) error {
		c, err := compared(p)
		if err != nil {
			return err
		}
		for _, l := range extensible {
			if err := c.pair(l, l); err != nil {
				return err
			}
		}
		return nil
	}
	checkPrograms(t, randomPrograms(t.Name(), portion(100), rich), check)
}

// explore-ce*(I0, I) is sound and complete for I, and outputs nothing twice.
// Section 6.
func TestSoundnessAndCompletenessOfTheFilter(t *testing.T) {
	t.Parallel()
	checkPrograms(t, randomPrograms(t.Name(), portion(50), rich), exploreCEStar)
}

// The algorithm is not strongly optimal for SI and SER: of the end states of
// explore-ce*(CC, I) the filter drops some. Section 6, theorem 6.1.
func TestFilterDropsEndStates(t *testing.T) {
	t.Parallel()
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		if s := count(t, parse("inc x | inc x"), at(l)); s.EndStates != 3 || s.Histories != 2 {
			t.Errorf("%v: %d end states, %d histories; want 3 and 2", l, s.EndStates, s.Histories)
		}
	}
}

// The outputs do not depend on the oracle order, which is that of the sessions'
// declarations. Section 5.1.
func TestOracleOrderIndependence(t *testing.T) {
	t.Parallel()
	shape := small
	shape.txns = 5
	checkPrograms(t, randomPrograms(t.Name(), portion(60), shape), permuted)
}

// The baseline without partial order reduction outputs histories repeatedly: once
// for each order of the transactions. Section 7.
func TestDFSRepeats(t *testing.T) {
	t.Parallel()
	p := parse("w x | w y | w z")
	ce, all := count(t, p, at(isolation.CC)), explored(t, p, dpor.Options{Level: isolation.CC, DFS: true})
	if ce.EndStates != 1 || all.EndStates != 6 {
		t.Errorf("%v: %d end states, by dfs %d; want 1 and 6", p, ce.EndStates, all.EndStates)
	}
	for p := range randomPrograms(t.Name(), portion(60), small) {
		for _, l := range extensible {
			ce, all := count(t, p, at(l)), explored(t, p, dpor.Options{Level: l, DFS: true})
			if all.EndStates < ce.EndStates {
				t.Errorf("-seed=%d: %v: %d end states, by dfs %d", seed(), p, ce.EndStates, all.EndStates)
			}
		}
	}
}

// An exploration begins the transactions in the oracle order: with the first
// history no swap has been made yet. Section 5.1.
func TestFirstHistoryFollowsTheOracleOrder(t *testing.T) {
	t.Parallel()
	for p := range randomPrograms(t.Name(), portion(60), rich) {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		opts := at(isolation.CC)
		opts.List, opts.Workers = true, 1
		var first *dpor.Found
		for f, err := range dpor.Explore(context.Background(), client, opts).Histories() {
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = f
			}
		}
		if !slices.IsSorted(first.Order) {
			t.Errorf("-seed=%d: %v: the first history has the order %v", seed(), p, first.Order)
		}
	}
}
