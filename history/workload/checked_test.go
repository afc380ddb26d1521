package workload_test

import (
	"strconv"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/workload"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// checked gives a workload's history to the checker, with its timestamps.
func checked(t *testing.T, c workload.Config, o check.Options) *check.Checker {
	t.Helper()
	g, err := workload.New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := check.NewRecording()
	if err := g.Run(t.Context(), func(x *workload.Txn) error {
		r.Begin(x.Session, x.Fate)
		r.Timestamps(x.Start, x.Commit)
		for _, op := range x.Ops {
			v := check.Version{Key: r.Key(strconv.Itoa(int(op.Key))), Value: op.Value, Initial: op.Value == 0}
			if op.Write {
				r.Write(v)
			} else {
				r.Read(v)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for key := range int32(c.Keys) {
		if values := g.Versions(key); len(values) > 0 {
			r.Versions(r.Key(strconv.Itoa(int(key))), values)
		}
	}
	k, err := r.Checker(o)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func decide(t *testing.T, k *check.Checker, l isolation.Level) check.Outcome {
	t.Helper()
	v, err := k.Decide(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return v.Outcome
}

// outcome is Satisfied or Violated.
func outcome(satisfied bool) check.Outcome {
	if satisfied {
		return check.Satisfied
	}
	return check.Violated
}

// medium is a workload with much contention, aborted transactions and, among those
// that change nothing, unknown outcomes.
func medium(level isolation.Level, seed uint64) workload.Config {
	c := workload.Default()
	c.Sessions, c.Txns, c.Ops, c.Keys = 8, 40, 6, 40
	c.Level, c.Seed, c.Aborts, c.Unknowns = level, seed, 0.05, 0.03
	return c
}

// The checker finds that a store keeps its level, with and without the order of the
// versions that the store tells. It finds that the store does not keep the next level.
func TestCheckerAgreesWithStores(t *testing.T) {
	for _, level := range isolation.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(deadlinetest.Of(4, 1)) { // every other one tells the order of the versions
				seed += uint64(level)
				c := medium(level, seed)
				c.VersionOrder = seed%2 == 1
				k := checked(t, c, check.Options{})
				for _, l := range isolation.Levels() {
					if got, want := decide(t, k, l), outcome(l <= level); got != want {
						t.Errorf("seed %d: %v is %v, want %v", seed, l, got, want)
					}
				}
			}
		})
	}
}

// An injected bug is found at the levels that forbid it and only there.
func TestCheckerFindsBugs(t *testing.T) {
	for _, bug := range workload.Bugs() {
		t.Run(bug.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(deadlinetest.Of(3, 1)) {
				c := medium(isolation.SER, seed)
				c.Bug, c.Bugs = bug, 1
				k := checked(t, c, check.Options{})
				for _, l := range isolation.Levels() {
					if got, want := decide(t, k, l), outcome(l < bug.Weakest()); got != want {
						t.Errorf("seed %d: %v is %v, want %v", seed, l, got, want)
					}
				}
			}
		})
	}
}

// The times that a store of SI or SER tells explain what was read.
func TestCheckerAgreesWithTimestamps(t *testing.T) {
	for _, level := range []isolation.Level{isolation.SI, isolation.SER} {
		for _, bug := range []workload.Bug{workload.NoBug, workload.WriteSkew, workload.LostUpdate, workload.LongFork} {
			c := medium(level, 1)
			c.Bug, c.Bugs, c.Unknowns = bug, 1, 0
			v, err := checked(t, c, check.Options{}).Timestamps(level)
			if err != nil {
				t.Fatal(err)
			}
			if want := outcome(bug == workload.NoBug || level < bug.Weakest()); v.Outcome != want {
				t.Errorf("%v with the bug %v: %v, want %v: %+v", level, bug, v.Outcome, want, v.Mismatch)
			}
		}
	}
}
