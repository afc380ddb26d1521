package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// randomForm draws a history. Reads are from any writer of the key, mostly from
// one of the last in an order of the transactions that is drawn first.
func randomForm(r *rand.Rand, n int, init, sessions bool) *form {
	keys := 1 + r.IntN(3)
	var txns [][]int32 // keys written, by number
	var chain []bool
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
	if n > 6 { // sessions run in their order
		for i := 0; i < n; {
			j := i + 1
			for j < n && !chain[j] {
				j++
			}
			slices.Sort(at[i+1 : j+1])
			i = j
		}
	}
	odd := max(4, 3*(n-6)) // one read in so many is from anywhere
	wild := r.IntN(odd) == 0
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
					if r.IntN(odd) > 0 {
						score = at[u] + 1
					}
				}
				if score > best {
					from, best = u, score
				}
			}
			if wild || r.IntN(2*odd) > 0 {
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
			x.Events = append(x.Events, semantics.Event{Kind: semantics.Read, Var: behaviour.VarID(r.key), From: int(r.from)})
		}
		for _, k := range f.writesOf(t) {
			x.Events = append(x.Events, semantics.Event{Kind: semantics.Write, Var: behaviour.VarID(k), Val: behaviour.ValueID(t)})
		}
		h.Txns = append(h.Txns, x)
	}
	return h
}

// Every level is held against the engine's checkers and against the definition. A
// commit order must show that a level is satisfied. The transactions of the core alone
// must show that it is not.
func TestRandom(t *testing.T) {
	t.Parallel()
	rounds := often(6000)
	var satisfied, violated [isolation.SER + 1]int
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		init, sessions := r.IntN(4) > 0, r.IntN(4) > 0
		f := randomForm(r, 2+r.IntN(5), init, sessions)
		for l := isolation.True; l <= isolation.SER; l++ {
			d, err := f.decide(t.Context(), l)
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
			core, err := f.minimalCore(t.Context(), l, d.core)
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

// Larger histories, against the engine's checkers. Causal consistency is decided
// in both ways: by windows and by chains, one chain at a time and all at once.
func TestRandomLarger(t *testing.T) {
	t.Parallel()
	rounds := often(1500)
	var satisfied, violated [isolation.SER + 1]int
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		f := randomForm(r, 8+r.IntN(9), true, true)
		h := engine(f)
		for l := isolation.True; l <= isolation.SER; l++ {
			d, err := f.decide(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if want := isolation.Satisfies(h, l); (d.order != nil) != want {
				t.Fatalf("seed %d, %v: %v, the engine says %v\n%+v", seed, l, d.order != nil, want, f)
			}
			if d.order != nil {
				satisfied[l]++
				if !verify(f, l, d.order) {
					t.Fatalf("seed %d, %v: %v does not show it\n%+v", seed, l, d.order, f)
				}
				continue
			}
			violated[l]++
			if g, _ := f.restrict(d.core); isolation.Satisfies(engine(g), l) {
				t.Fatalf("seed %d, %v: %v does not show the violation\n%+v", seed, l, d.core, f)
			}
		}
		order, cycle := newPreds(f, nil).sort()
		if cycle != nil {
			continue
		}
		for _, window := range []int{0, 1000} {
			for _, width := range []int{1, f.chains()} {
				var forced []edge
				b := &band{f: f, w: f.writers(), clock: f.clock(order), width: width, window: window,
					row: make([]int32, f.n*width), floor: make([]int32, f.n)}
				for lo := 1; lo < f.chains(); lo += width {
					forced = append(forced, b.run(lo, min(lo+width, f.chains()), order)...)
				}
				_, cycle := newPreds(f, forced).sort()
				if got, want := cycle == nil, isolation.Satisfies(h, isolation.CC); got != want {
					if torn, _, _ := f.tornRead(); torn < 0 || got {
						t.Fatalf("seed %d, window %d, width %d: %v, the engine says %v\n%+v", seed, window, width, got, want, f)
					}
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
