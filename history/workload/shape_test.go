package workload

import (
	"testing"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// The shape of workloads: how many transactions, operations and keys there are, and how often each is chosen.

// What is asked for is generated.
func TestShape(t *testing.T) {
	c, err := Preset("GeneralRH")
	if err != nil {
		t.Fatal(err)
	}
	c.Unknowns, c.Aborts = 0.05, 0.1
	txns, _ := run(t, c)
	var fates [3]int
	reads, ops := 0, 0
	keys := map[int32]bool{}
	for _, x := range txns {
		fates[x.Fate]++
		for _, o := range x.Ops {
			keys[o.Key] = true
			ops++
			if !o.Write {
				reads++
			}
		}
		if x.Fate == history.Committed && len(x.Ops) != 8 {
			t.Fatalf("transaction %d has %d operations", x.ID, len(x.Ops))
		}
	}
	near := func(what string, got, want float64) {
		if got < 0.9*want || got > 1.1*want {
			t.Errorf("%s: %v, want about %v", what, got, want)
		}
	}
	near("committed", float64(fates[history.Committed]), 9500)
	near("unknown", float64(fates[history.Unknown])/float64(len(txns)), 0.05)
	near("aborted by the client or the store", float64(fates[history.Aborted]), 1200)
	near("reads", float64(reads)/float64(ops), 0.95)
	near("keys", float64(len(keys)), 10000)
}

func TestDistributions(t *testing.T) {
	const keys, n = 100, 20000
	share := func(d Distribution, of int32) float64 {
		g, err := New(Config{Sessions: 1, Txns: 1, Ops: 1, Keys: keys, Keyed: d, Level: isolation.SI})
		if err != nil {
			t.Fatal(err)
		}
		hits := 0
		for range n {
			if k := g.key(); k < 0 || k >= keys {
				t.Fatalf("key %d", k)
			} else if k < of {
				hits++
			}
		}
		return float64(hits) / n
	}
	for _, x := range []struct {
		d      Distribution
		first  int32
		lo, hi float64
	}{
		{Uniform, 20, 0.18, 0.22},
		{Hotspot, 20, 0.78, 0.82},
		// 1/zeta(100, 0.99) = 0.188 for the first key.
		{Zipfian, 1, 0.17, 0.21},
		{Zipfian, 20, 0.66, 0.74},
	} {
		if got := share(x.d, x.first); got < x.lo || got > x.hi {
			t.Errorf("%v: %v of the operations on the first %d keys, want %v to %v", x.d, got, x.first, x.lo, x.hi)
		}
	}
}

// Every session commits its transactions even when all fight for one key.
func TestContention(t *testing.T) {
	for _, level := range isolation.Levels() {
		c := Config{Sessions: 30, Txns: 30, Ops: 20, Reads: 0.5, Keys: 1, Keyed: Zipfian, Level: level}
		txns, _ := run(t, c)
		committed := 0
		for _, x := range txns {
			if x.Fate == history.Committed {
				committed++
			}
		}
		if committed != 900 {
			t.Errorf("%v: %d transactions committed", level, committed)
		}
	}
}
