package check

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// randomRun is what a store with snapshots gave its sessions: transactions of a few
// operations on a few keys, of which the first is used most. A share of them commits
// although somebody has written since what they write, or, for SER, what they read,
// and a share of the reads is from another snapshot.
func randomRun(r *rand.Rand, level isolation.Level, sessions, txns, keys int, careless float64) *form {
	type txn struct {
		reads  []read // from: position in commits
		writes []int32
	}
	versions := make([][]int32, keys) // by key: when it was written
	newest := func(x, at int32) int32 {
		for i := len(versions[x]) - 1; i >= 0; i-- {
			if versions[x][i] <= at {
				return versions[x][i]
			}
		}
		return 0
	}
	logs := make([][]txn, sessions)
	seen := make([]int32, sessions)
	at := make([][2]int32, 1, txns+1) // by commit: session and place there
	for now := int32(1); int(now) <= txns; {
		s := r.IntN(sessions)
		snapshot := max(seen[s], now-1-int32(r.IntN(2*sessions)))
		var t txn
		ok := true
		has := make([]bool, keys)
		for range 1 + r.IntN(4) {
			x := int32(min(r.IntN(keys), r.IntN(keys)))
			if has[x] {
				continue
			}
			has[x] = true
			if r.IntN(2) == 0 {
				from := newest(x, snapshot)
				if r.Float64() < 8*careless {
					from = newest(x, max(seen[s], now-1-int32(r.IntN(2*sessions))))
				}
				t.reads = append(t.reads, read{x, from})
				ok = ok && (level != isolation.SER || newest(x, now) <= snapshot)
			} else {
				t.writes = append(t.writes, x)
				ok = ok && (level == isolation.PC || newest(x, now) <= snapshot)
			}
		}
		if !ok && r.Float64() >= careless {
			continue
		}
		for _, x := range t.writes {
			versions[x] = append(versions[x], now)
		}
		at = append(at, [2]int32{int32(s), int32(len(logs[s]))})
		logs[s] = append(logs[s], t)
		seen[s] = now
		now++
	}
	first := make([]int32, sessions+1)
	first[0] = 1
	for s := range sessions {
		first[s+1] = first[s] + int32(len(logs[s]))
	}
	b := newBuilder(keys, true)
	for _, log := range logs {
		for i, t := range log {
			b.begin(i == 0, true)
			for _, rd := range t.reads {
				from := int32(0)
				if rd.from > 0 {
					from = first[at[rd.from][0]] + at[rd.from][1]
				}
				b.read(rd.key, from)
			}
			for _, x := range t.writes {
				b.write(x)
			}
		}
	}
	return b.end()
}

// Histories that take a search with many conflicts. Of a satisfied history the commit
// order is verified. Of a violated history the engine's checkers get the few
// transactions that show it.
func TestStress(t *testing.T) {
	t.Parallel()
	rounds := often(200)
	var satisfied, violated [isolation.SER + 1]int
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 41))
		store := []isolation.Level{isolation.PC, isolation.SI, isolation.SER}[seed%3]
		f := randomRun(r, store, 3+r.IntN(12), 30+r.IntN(120), 3+r.IntN(20), []float64{0, 0.03}[r.IntN(2)])
		for l := isolation.PC; l <= isolation.SER; l++ {
			d, err := f.decide(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if d.order != nil {
				satisfied[l]++
				if !verify(f, l, d.order) {
					t.Fatalf("seed %d, %v: the order does not show it", seed, l)
				}
				continue
			}
			violated[l]++
			core := f.smallCore(t.Context(), l, d)
			if g, _ := f.restrict(core); isolation.Satisfies(engine(g), l) {
				t.Fatalf("seed %d, %v: %v does not show the violation", seed, l, core)
			}
		}
	}
	for l := isolation.PC; l <= isolation.SER; l++ {
		if min(satisfied[l], violated[l]) < rounds/20 {
			t.Errorf("%v: %d satisfied, %d violated", l, satisfied[l], violated[l])
		}
	}
	t.Log(satisfied, violated)
}
