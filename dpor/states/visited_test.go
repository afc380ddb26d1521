package states

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation/model"
)

// TestVisited compares the set of keys with a map: keys are put into it, some are taken off, and
// the set is written and read.
func TestVisited(t *testing.T) {
	const n = 20_000
	seed := rand.Uint64()
	r, set, again, want := rand.New(rand.NewPCG(seed, 4)), &visited{}, &visited{}, map[model.Key]bool{}
	for range n {
		k := model.Key{r.Uint64N(n) | 1, r.Uint64N(3)}
		if set.add(k) == want[k] {
			t.Fatalf("seed %d: %v is in the map: %v", seed, k, want[k])
		}
		want[k] = true
		if r.IntN(n/10) == 0 {
			set.remove(k)
			delete(want, k)
		}
	}
	if err := again.read(set.text()); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if set.len() != len(want) || again.len() != len(want) {
		t.Fatalf("seed %d: %d keys, read %d, want %d", seed, set.len(), again.len(), len(want))
	}
	for k := range want {
		if again.add(k) {
			t.Errorf("seed %d: %v was lost", seed, k)
		}
	}
}
