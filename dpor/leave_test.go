package dpor_test

import (
	"context"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
)

// Leaving the loop ends the exploration, however much is left to find.
func TestLeavingTheLoop(t *testing.T) {
	t.Parallel()
	client, err := newClient(parse("inc x ; inc x | inc x ; inc x | inc x ; inc x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		for _, taken := range []int{1, 2, 100, 1000} {
			opts := at(isolation.CC)
			opts.List, opts.All, opts.Workers = true, true, workers
			x := dpor.Explore(context.Background(), client, opts)
			done := make(chan error, 1)
			go func() { done <- take(x, taken) }()
			select {
			case err = <-done:
			case <-time.After(2 * time.Minute):
				t.Fatalf("%d workers: the exploration has not ended two minutes after its caller left", workers)
			}
			if s := x.Stats(); err != nil || s.Complete || s.Stopped != work.ByCaller {
				t.Errorf("%d workers: %v; complete: %v, stopped by %q", workers, err, s.Complete, s.Stopped)
			}
		}
	}
}

// take ranges over n histories.
func take(x *dpor.Exploration, n int) error {
	for _, err := range x.Histories() {
		if n--; err != nil || n == 0 {
			return err
		}
	}
	return nil
}

// An error that shows when the caller has left, here that the environment has changed, is not
// handed on any more.
func TestLeavingTheLoopBeforeAnError(t *testing.T) {
	client, err := newClient(parse("inc x | inc x"))
	if err != nil {
		t.Fatal(err)
	}
	opts := at(isolation.CC)
	opts.List, opts.All = true, true
	x := dpor.Explore(t.Context(), client, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		t.Setenv("TXMC_LEFT", "1")
		break
	}
	if s := x.Stats(); s.Complete || s.Stopped != work.ByError {
		t.Errorf("complete: %v, stopped by %q", s.Complete, s.Stopped)
	}
}
