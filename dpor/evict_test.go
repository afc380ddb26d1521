package dpor_test

import (
	"maps"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// TestEvictionChangesNothing: with behaviour trees that may hold next to nothing
// the sessions are run again and again, and histories and counts are the same.
func TestEvictionChangesNothing(t *testing.T) {
	t.Parallel()
	evictions := 0
	felt := func() bool { return evictions >= 1000 }
	for p := range programsUntil(t, t.Name(), portion(60), rich, felt) {
		roomy, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, bytes := range []int64{1, 2000} {
			tight, err := program.NewClient("ExploreTest", compile(p), program.Options{MaxTreeBytes: bytes})
			if err != nil {
				t.Fatal(err)
			}
			for _, opts := range []dpor.Options{at(isolation.RC), at(isolation.CC), at(isolation.SER), serially(isolation.SER)} {
				l := opts.Level
				for _, opts.Workers = range []int{1, 3} {
					want, err := list(roomy, opts)
					if err != nil {
						t.Fatal(err)
					}
					got, err := list(tight, dpor.ShareAtOnce(opts))
					if err != nil {
						t.Fatalf("-seed=%d: %v at %s with %d bytes: %v", seed(), p, l, bytes, err)
					}
					if counts(got.stats) != counts(want.stats) || !maps.Equal(got.times, want.times) {
						t.Errorf("-seed=%d: %v at %s with %d bytes: %v, want %v", seed(), p, l, bytes, counts(got.stats), counts(want.stats))
					}
				}
			}
			evictions += tight.Evictions()
		}
	}
	t.Logf("%d evictions", evictions)
}
