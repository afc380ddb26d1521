package check

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// What is shown of a violation violates the level, none of it can be left out, and
// mostly nothing smaller does; the least of all subsets tells.
func TestSmallCore(t *testing.T) {
	t.Parallel()
	rounds := often(400)
	violated, least, shrunk := 0, 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		f := randomForm(r, 7+r.IntN(4), r.IntN(4) > 0, true)
		for l := isolation.RC; l <= isolation.SER; l++ {
			d, err := f.decide(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if d.core == nil {
				continue
			}
			violated++
			size := func(core []int32) int {
				return len(slices.DeleteFunc(slices.Clone(core), func(x int32) bool { return x == 0 }))
			}
			core := f.smallCore(t.Context(), l, d)
			for i := -1; i < len(core); i++ {
				part := core
				if i >= 0 {
					part = slices.Delete(slices.Clone(core), i, i+1)
				}
				if g, _ := f.restrict(part); f.init && isolation.Satisfies(engine(g), l) != (i >= 0) {
					t.Fatalf("seed %d, %v: %v without place %d", seed, l, core, i)
				}
			}
			smallest := f.n
			for set := range 1 << (f.n - 1) {
				if n := bits.OnesCount(uint(set)); n < smallest {
					var txns []int32
					for x := range f.n - 1 {
						if set>>x&1 == 1 {
							txns = append(txns, int32(x+1))
						}
					}
					part, err := f.violation(t.Context(), l, txns)
					if err != nil {
						t.Fatal(err)
					}
					if part != nil {
						smallest = n
					}
				}
			}
			if size(core) < smallest {
				t.Fatalf("seed %d, %v: %v, but no %d transactions violate it", seed, l, core, size(core))
			}
			if size(core) == smallest {
				least++
			}
			first, err := f.minimalCore(t.Context(), l, d.core)
			if err != nil {
				t.Fatal(err)
			}
			if size(first) == smallest {
				shrunk++
			}
		}
	}
	t.Logf("%d violations, %d of them with the fewest transactions, %d by leaving out alone", violated, least, shrunk)
	if least < violated*98/100 || least <= shrunk {
		t.Errorf("of %d violations %d have the fewest transactions, %d by leaving out alone", violated, least, shrunk)
	}
}
