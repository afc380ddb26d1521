package dpor_test

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Levels of single transactions are decided as by a search for a total order in which
// each transaction keeps its own level's axiom. One level for all transactions is
// decided as that level is. What an assignment allows, every weaker assignment allows
// too.
func TestLevelsOfTransactions(t *testing.T) {
	t.Parallel()
	n := deadlinetest.Of(4000, 1500)
	var allowed, refused int
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 23))
		h := randomHistory(r)
		relations, data := h.Relations(), h.Data()
		if !relations.Acyclic() {
			continue
		}
		levels := make([]isolation.Level, len(data.Txns))
		for i := range levels {
			levels[i] = isolation.True + isolation.Level(r.IntN(int(isolation.SER)+1))
		}
		each := func(t int) isolation.Level { return levels[t] }
		want := byOrders(relations, each)
		if got := isolation.SatisfiesEach(data, each); got != want {
			t.Fatalf("seed %d: %v at %v: %v, want %v", seed, h, levels, got, want)
		}
		if want {
			allowed++
		} else {
			refused++
		}
		weaker := func(t int) isolation.Level { return max(levels[t], 1) - 1 }
		if want && !isolation.SatisfiesEach(data, weaker) {
			t.Errorf("seed %d: %v is refused at levels weaker than %v", seed, h, levels)
		}
		for l := isolation.RC; l <= isolation.SER; l++ {
			if got, want := isolation.SatisfiesEach(data, func(int) isolation.Level { return l }), isolation.Satisfies(data, l); got != want {
				t.Fatalf("seed %d: %v at %v: %v, want %v", seed, h, l, got, want)
			}
		}
	}
	if allowed < n/10 || refused < n/10 {
		t.Errorf("%d allowed, %d refused", allowed, refused)
	}
}

// byOrders tries the total orders that extend so ∪ wr.
func byOrders(g *reference.Relations, level func(int) isolation.Level) bool {
	return g.Orders(func(co []int, t3 int, _ bool) bool { return g.Transaction(level(t3), co, t3) })
}
