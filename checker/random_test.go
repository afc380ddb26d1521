package checker

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// randomForm draws a history. Reads are from any writer of the key, mostly from
// one of the last in an order of the transactions that is drawn first.
func randomForm(r *rand.Rand, init, sessions bool) *form {
	keys := 1 + r.IntN(3)
	var txns [][]int32 // keys written, by number
	var chain []bool
	n := 2 + r.IntN(5)
	for t := range n {
		chain = append(chain, t == 0 || !sessions || r.IntN(3) == 0)
		var ws []int32
		for x := range int32(keys) {
			if r.IntN(5) < 2 {
				ws = append(ws, x)
			}
		}
		txns = append(txns, ws)
	}
	at := make([]int, n+1) // about when a transaction runs
	for i, t := range r.Perm(n) {
		at[t+1] = i + 1
	}
	wild := r.IntN(4) == 0
	b := newBuilder(keys, init)
	for i, ws := range txns {
		t := i + 1
		b.begin(chain[i], true)
		for range r.IntN(4) {
			x := int32(r.IntN(keys))
			from, best := 0, -1
			for u := 0; u <= n; u++ {
				if u == t || u > 0 && !slices.Contains(txns[u-1], x) {
					continue
				}
				score := r.IntN(n + 2)
				if !wild {
					if at[u] > at[t] {
						continue
					}
					if r.IntN(4) > 0 {
						score = at[u] + 1
					}
				}
				if score > best {
					from, best = u, score
				}
			}
			if wild || r.IntN(8) > 0 {
				for _, e := range b.f.readsOf(int32(t)) {
					if e.key == x {
						from = int(e.from)
					}
				}
			}
			b.read(x, int32(from))
		}
		for _, x := range ws {
			b.write(x)
		}
	}
	f := b.end()
	if init && sessions {
		return f
	}
	byTime := func(a, b int32) int { return at[a] - at[b] }
	for x := range keys {
		ws := slices.Clone(f.writers().of(int32(x)))
		slices.SortFunc(ws, byTime)
		if len(ws) > 1 && r.IntN(2) == 0 {
			if r.IntN(4) == 0 {
				ws[0], ws[1] = ws[1], ws[0]
			}
			f.versions = append(f.versions, ws)
		}
	}
	for range r.IntN(3) {
		a, b := int32(1+r.IntN(n)), int32(1+r.IntN(n))
		if a != b && (at[a] < at[b] || r.IntN(4) == 0) {
			f.extra = append(f.extra, dependency{edge{a, b}, r.IntN(2) == 0})
		}
	}
	return f
}

// engine returns the form as the engine knows it.
func engine(f *form) *semantics.History {
	h := &semantics.History{Sessions: f.chains() - 1, Final: -1, Txns: []semantics.Txn{{Status: semantics.Committed, Session: -1}}}
	for t := int32(1); int(t) < f.n; t++ {
		x := semantics.Txn{Session: int(f.chain[t]) - 1, Index: int(f.at(t)), Status: semantics.Committed}
		for _, r := range f.readsOf(t) {
			x.Events = append(x.Events, semantics.Event{Kind: semantics.Read, Var: program.VarID(r.key), From: int(r.from)})
		}
		for _, k := range f.writesOf(t) {
			x.Events = append(x.Events, semantics.Event{Kind: semantics.Write, Var: program.VarID(k), Val: program.ValueID(t)})
		}
		h.Txns = append(h.Txns, x)
	}
	return h
}

// Every level, against the engine's checkers and against the definition; a
// commit order must show that a level is satisfied, and the transactions of the
// core alone that it is not.
func TestRandom(t *testing.T) {
	t.Parallel()
	rounds := 6000
	if testing.Short() {
		rounds = 600
	}
	var satisfied, violated [isolation.SER + 1]int
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		init, sessions := r.IntN(4) > 0, r.IntN(4) > 0
		f := randomForm(r, init, sessions)
		for l := isolation.True; l <= isolation.SER; l++ {
			d, err := f.decide(context.Background(), l)
			if err != nil {
				t.Fatal(err)
			}
			got := d.order != nil
			if init && sessions {
				if want := isolation.Satisfies(engine(f), l); got != want {
					t.Fatalf("seed %d, %v: %v, the engine says %v\n%+v", seed, l, got, want, f)
				}
			}
			if f.n <= 6 && (len(f.extra) == 0 || l <= isolation.CC || l == isolation.SER) {
				if want := bruteForce(f, l); got != want {
					t.Fatalf("seed %d, %v: %v, the definition says %v\n%+v", seed, l, got, want, f)
				}
			}
			if got {
				satisfied[l]++
				if !verify(f, l, d.order) {
					t.Fatalf("seed %d, %v: %v does not show it\n%+v", seed, l, d.order, f)
				}
				continue
			}
			violated[l]++
			if len(f.extra) > 0 && l != isolation.SER && l > isolation.CC {
				continue
			}
			core, err := f.shrink(context.Background(), l, d.core)
			if err != nil {
				t.Fatal(err)
			}
			if g, _ := f.restrict(core); bruteForce(g, l) {
				t.Fatalf("seed %d, %v: %v does not show the violation\n%+v", seed, l, core, f)
			}
			for i := range core {
				if g, _ := f.restrict(slices.Delete(slices.Clone(core), i, i+1)); !bruteForce(g, l) {
					t.Fatalf("seed %d, %v: %v shows it without %d\n%+v", seed, l, core, core[i], f)
				}
			}
		}
	}
	for l := isolation.RC; l <= isolation.SER; l++ {
		if min(satisfied[l], violated[l]) < rounds/20 {
			t.Errorf("%v: %d satisfied, %d violated", l, satisfied[l], violated[l])
		}
	}
	t.Log(satisfied, violated)
}
