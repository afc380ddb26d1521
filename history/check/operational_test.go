package check

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// A run is found for SER, SI and PC exactly when some choice of the writers satisfies
// the level, by the definition. The returned choice does so. Runs for RC suit RC.
func TestOperational(t *testing.T) {
	t.Parallel()
	rounds := often(60000)
	for _, l := range []isolation.Level{isolation.RC, isolation.PC, isolation.SI, isolation.SER} {
		t.Run(l.String(), func(t *testing.T) { testPlay(t, l, rounds) })
	}
}

func testPlay(t *testing.T, l isolation.Level, rounds int) {
	found, none, unknowns := 0, 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		rec := randomRepeats(r)
		for x := range rec.in.fate {
			if r.IntN(6) == 0 {
				rec.in.fate[x] = history.Unknown
			}
		}
		s := rec.in.resolve(false)
		if len(s.open) == 0 || len(s.faults) > 0 {
			continue
		}
		by := rules{init: true, session: true}
		chosen, _, ok := s.operational(t.Context(), l, by)
		if !ok && l != isolation.RC {
			t.Fatalf("seed %d: given up", seed)
		}
		suits := func(chosen []int) bool {
			n, ok := s.form(by, chosen)
			return ok && bruteForce(n.f, l)
		}
		if chosen != nil {
			found++
			for x, keep := range s.keep {
				if keep && rec.in.fate[x] == history.Unknown {
					unknowns++
				}
			}
			if !suits(chosen) {
				t.Fatalf("seed %d: %v does not suit %v", seed, chosen, l)
			}
			continue
		}
		none++
		all := make([]int, len(s.open))
		for i := 0; i < len(all); {
			if ok && suits(all) {
				t.Fatalf("seed %d: %v suits %v", seed, all, l)
			}
			for i = 0; i < len(all); i++ {
				if all[i]++; all[i] < len(s.open[i].from) {
					break
				}
				all[i] = 0
			}
		}
	}
	if min(found, none, unknowns) < rounds/100 {
		t.Errorf("%d found, %d without, %d transactions of unknown fate", found, none, unknowns)
	}
	t.Log(found, none, unknowns)
}
