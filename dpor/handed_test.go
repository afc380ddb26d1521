package dpor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// TestHandedOutcomes: an exploration goes on when sessions have been told apart. It knows which
// outcomes were handed on before, up to permutations of the sets that are left.
func TestHandedOutcomes(t *testing.T) {
	t.Parallel()
	for _, sets := range [][][]int{nil, {{0, 1}}, {{1, 2}}} {
		c, err := program.NewClient("ExploreTest", apartLate(3), program.Options{Database: true, Recheck: -1})
		if err != nil {
			t.Fatal(err)
		}
		opts := dpor.Options{Level: isolation.PgRC, Workers: 1, All: true, List: true}
		var all []*dpor.Found
		for f, err := range dpor.Explore(context.Background(), c, opts).Histories() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		known := 0
		for _, given := range all {
			opts.Resume = &dpor.Frontier{Engine: dpor.States, Symmetry: &dpor.Alike{Sets: sets, Anew: true, Given: []states.Outcome{states.OutcomeOf(given, c)}}}
			for _, f := range all {
				want := upTo(sets, f) == upTo(sets, given)
				if got := dpor.Explore(context.Background(), c, opts).Repeats(f); got != want {
					t.Errorf("with alike %v: %s is known: %v, when %s was handed on", sets, upTo(sets, f), got, upTo(sets, given))
				}
				if want && f != given {
					known++
				}
			}
		}
		if (known > 0) != (sets != nil) {
			t.Errorf("with alike %v: %d images", sets, known)
		}
	}
}

// upTo is a text of what the sessions saw, in any order in a set.
func upTo(sets [][]int, f *dpor.Found) string {
	saw := make([]string, len(f.Ends))
	for s, end := range f.Ends {
		for _, n := range end.Path() {
			saw[s] += fmt.Sprint(" ", n.Value())
		}
	}
	for _, set := range sets {
		slices.Sort(saw[set[0] : set[len(set)-1]+1]) // neighbours
	}
	return fmt.Sprint(saw, f.Values)
}

// TestHandedUntouched: an exploration that has begun again, and is stopped before it has done anything, leaves
// what was handed on and its numbers. Who goes on hands on the others; without the numbers nobody can.
func TestHandedUntouched(t *testing.T) {
	t.Parallel()
	explore := func(opts dpor.Options) (found int, err error) {
		c, err := program.NewClient("ExploreTest", apartLate(2), program.Options{Database: true, Recheck: -1})
		if err != nil {
			return 0, err
		}
		opts.Level, opts.Workers, opts.All, opts.List, opts.Symmetric = isolation.PgRC, 1, true, true, sets{{0, 1}}
		for _, err := range dpor.Explore(context.Background(), c, opts).Histories() {
			if err != nil {
				return found, err
			}
			found++
		}
		return found, nil
	}
	all, err := explore(dpor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var left *dpor.Frontier
	opts := dpor.Options{Scope: dpor.Scope{MaxHistories: 3}}
	opts.Checkpoint = func(f *dpor.Frontier) error { left = f; return nil }
	if _, err := explore(opts); err != nil {
		t.Fatal(err)
	}
	f := *left
	f.Untouched, f.Subtrees, f.Counts = true, nil, work.Counts{}
	f.Symmetry = &dpor.Alike{Given: left.Symmetry.Given, Anew: true}
	opts.Checkpoint, opts.MaxHistories, opts.Resume = nil, 0, &f
	if rest, err := explore(opts); err != nil || rest+3 != all {
		t.Errorf("%d outcomes after three, %v; want %d in all", rest, err, all)
	}
	f.Memory = nil
	var wrong *work.MisfitError
	if _, err := explore(opts); !errors.As(err, &wrong) {
		t.Errorf("without numbers: %v", err)
	}
}
