package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// randomRepeats draws a history of few values, so that reads may be from several
// writers.
func randomRepeats(r *rand.Rand) *Recording {
	rec := NewRecording()
	keys := []Key{rec.Key("x"), rec.Key("y")}
	for range 3 + r.IntN(3) {
		rec.Begin(r.IntN(3), history.Committed)
		for range 1 + r.IntN(3) {
			v := Version{Key: keys[r.IntN(2)], Value: int64(1 + r.IntN(2))}
			if r.IntN(2) == 0 {
				rec.Write(v)
			} else {
				v.Initial = r.IntN(4) == 0
				rec.Read(v)
			}
		}
	}
	return rec
}

// violatedByAll reports, by the definition, whether those transactions violate the level
// by every choice of the writers.
func violatedByAll(s *sources, txns []int32, open []openRead, l isolation.Level) bool {
	part := s.keeping(txns, open)
	chosen := make([]int, len(part.open))
	for {
		if n, ok := part.form(rules{init: true, session: true}, chosen); ok && bruteForce(n.f, l) {
			return false
		}
		i := 0
		for ; i < len(chosen); i++ {
			if chosen[i]++; chosen[i] < len(part.open[i].from) {
				break
			}
			chosen[i] = 0
		}
		if i == len(chosen) {
			return true
		}
	}
}

// Repeated values may leave choices. Every choice of the transactions that are shown
// violates the level, and no fewer transactions do. The order in which the levels are
// decided does not matter.
func TestOpenCore(t *testing.T) {
	t.Parallel()
	rounds := often(20000)
	shown, satisfied := 0, 0
	for seed := range rounds {
		rec := randomRepeats(rand.New(rand.NewPCG(uint64(seed), 11)))
		c, err := rec.Checker(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Alone() || len(c.s.faults) > 0 {
			continue
		}
		levels := isolation.Levels()
		if seed%2 == 0 {
			slices.Reverse(levels)
		}
		var all []int32
		for u := range int32(rec.in.txns()) {
			all = append(all, u)
		}
		for _, l := range levels {
			v, err := c.Decide(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if want := violatedByAll(c.s, all, c.open, l); (v.Outcome == Violated) != want || v.Outcome == Undecided {
				t.Fatalf("seed %d, %v: %v, the definition says %v", seed, l, v.Outcome, want)
			}
			switch {
			case v.Outcome == Satisfied:
				satisfied++
				continue
			case v.Violation == nil:
				t.Fatalf("seed %d, %v: nothing shows it", seed, l)
			case v.Violation.Choices == 0:
				continue
			}
			shown++
			var txns []int32
			for _, u := range v.Violation.Txns[1:] {
				txns = append(txns, int32(u))
			}
			if !violatedByAll(c.s, txns, c.open, l) {
				t.Fatalf("seed %d, %v: %v do not show it", seed, l, txns)
			}
			for i := range txns {
				if violatedByAll(c.s, slices.Delete(slices.Clone(txns), i, i+1), c.open, l) {
					t.Fatalf("seed %d, %v: %v show it without %d", seed, l, txns, txns[i])
				}
			}
			if isolation.Satisfies(v.Violation.History, l) {
				t.Fatalf("seed %d, %v: the choice that is shown is allowed", seed, l)
			}
		}
	}
	if shown < rounds/100 || satisfied < rounds/10 {
		t.Errorf("%d shown, %d satisfied", shown, satisfied)
	}
	t.Log(shown, satisfied)
}
