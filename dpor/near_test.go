package dpor_test

import (
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// Without a deviation the runs are serial; each deviation more adds histories,
// and in the end they are all there.
func TestNear(t *testing.T) {
	t.Parallel()
	for p := range randomPrograms("near", *countFlag/24, small) {
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
			before := map[string]*refHistory{}
			for d := 0; ; d++ {
				near, err := list(client, dpor.Options{Level: l, DFS: true, Near: true, Deviations: d})
				if err != nil {
					t.Fatal(err)
				}
				for key, h := range near.histories {
					if all.histories[key] == nil {
						t.Fatalf("%v at %v, %d deviations: not a history: %s (-seed=%d)", p, l, d, key, seed())
					}
					if d == 0 && !satisfies(h, isolation.SER) {
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
