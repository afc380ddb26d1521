package realtime_test

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/history/realtime"
)

// The pairs are those with none between, and all others follow from them.
func TestReduced(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(8)
		var x realtime.Intervals
		for range n {
			at := r.Int64N(12)
			x.Called, x.Returned = append(x.Called, at), append(x.Returned, at+r.Int64N(5))
			if r.IntN(6) == 0 {
				x.Returned[len(x.Returned)-1] = realtime.Never
			}
		}
		got := map[[2]int32]bool{}
		x.Reduced(func(a, b int32) {
			if got[[2]int32{a, b}] {
				t.Errorf("seed %d: %d before %d twice", seed, a, b)
			}
			got[[2]int32{a, b}] = true
		})
		for a := range int32(n) {
			for b := range int32(n) {
				between := false
				for c := range int32(n) {
					between = between || x.Before(a, c) && x.Before(c, b)
				}
				if want := x.Before(a, b) && !between; want != got[[2]int32{a, b}] {
					t.Errorf("seed %d: %d before %d: %v", seed, a, b, !want)
				}
			}
		}
	}
}
