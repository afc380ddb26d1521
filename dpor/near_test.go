package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// Without a deviation the runs are serial; each deviation more adds histories,
// and in the end they are all there.
func TestNear(t *testing.T) {
	t.Parallel()
	for p := range randomPrograms("near", countFlag.N()/24, small) {
		client, err := newClient(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range isolation.Levels() {
			all, err := list(client, at(l))
			if err != nil {
				t.Fatal(err)
			}
			want := len(all.histories)
			before := map[string]*reference.History{}
			for d := 0; ; d++ {
				near, err := list(client, dpor.Options{Level: l, DFS: true, Selection: dpor.Selection{Near: true, Deviations: d}})
				if err != nil {
					t.Fatal(err)
				}
				for key, h := range near.histories {
					if all.histories[key] == nil {
						t.Fatalf("%v at %v, %d deviations: not a history: %s (-seed=%d)", p, l, d, key, seed())
					}
					if d == 0 && !h.Satisfies(isolation.SER) {
						t.Fatalf("%v at %v: not serial: %s (-seed=%d)", p, l, key, seed())
					}
				}
				for key := range before {
					if near.histories[key] == nil {
						t.Fatalf("%v at %v: %d deviations lose %s (-seed=%d)", p, l, d, key, seed())
					}
				}
				before = near.histories
				if len(before) == want {
					break
				}
				if d == 0 && len(before) == 0 || d > 30 {
					t.Fatalf("%v at %v: %d of %d histories with %d deviations (-seed=%d)", p, l, len(before), want, d, seed())
				}
			}
		}
	}
}

// There are as many runs as orders of transactions, and of writers to read from, with
// so few deviations. A read whose other writers would be one deviation too many is no
// dead end.
func TestNearCounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int64{
		"w x ; w x | w x ; w x": {2, 4, 6, 6}, // aabb; abba; abab
		"w x | r x":             {2, 3, 3},    // the writer first, and its write is not seen
		"w x w y | r y r x":     {2, 2, 3},    // both unseen
	} {
		client, err := newClient(parse(text))
		if err != nil {
			t.Fatal(err)
		}
		for d, n := range want {
			got, err := list(client, dpor.Options{Level: isolation.RA, DFS: true, Selection: dpor.Selection{Near: true, Deviations: d}})
			if err != nil || got.stats.EndStates != n || got.stats.Blocked != 0 {
				t.Errorf("%s with %d deviations: %d runs, %d dead ends, want %d and none; %v", text, d, got.stats.EndStates, got.stats.Blocked, n, err)
			}
		}
	}
}
