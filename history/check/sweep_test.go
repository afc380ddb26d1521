package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The nearest dependencies by sweeping are those of looking at each key for each read.
func TestSweep(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in, f, installer := randomPredicates(rng)
		number := make([]int32, in.txns())
		for i := range number {
			number[i] = int32(i + 1)
		}
		newPredicates(in).dependencies(f, number, installer)
		got := f.extra
		slow := nearest{&form{chaining: chaining{chain: f.chain}}, map[edge]int32{}, map[edge]int32{}}
		p := newPredicates(in)
		for i := range in.preds {
			r := &in.preds[i]
			p.of(r, func(d predicateDependency) { slow.add(number[r.txn], installer(d.value), d.anti) })
		}
		slow.end()
		if !slices.Equal(got, slow.f.extra) {
			t.Fatalf("seed %d: %v, want %v", seed, got, slow.f.extra)
		}
	}
}

// randomPredicates makes keys with versions in a random order. Some versions match, and a key
// is deleted never, once or twice. It makes reads of two predicates with snapshots and sets
// that need not make sense.
func randomPredicates(rng *rand.Rand) (in *input, f *form, installer func(int32) int32) {
	const txns, chains = 12, 4
	in = &input{session: make([]int32, txns), deletions: map[int32][]deletion{}}
	f = &form{n: txns + 1, chaining: chaining{chain: []int32{0}, start: []int32{0, 1}}}
	for c := range int32(chains - 1) {
		for range txns / (chains - 1) {
			f.chain = append(f.chain, c+1)
		}
		f.start = append(f.start, int32(len(f.chain)))
	}
	where := []*named{{name: "a", matches: map[Version]bool{}}, {name: "b", matches: map[Version]bool{}}, nil}
	matching := make([]map[int32]bool, len(where))
	for i := range matching {
		matching[i] = map[int32]bool{}
	}
	var by []int32 // installer of a value
	for k := range 1 + rng.Int32N(6) {
		in.keys++
		var values []int32
		for n := range rng.IntN(4) {
			v := int32(len(in.initial))
			in.initial = append(in.initial, false)
			by = append(by, rng.Int32N(txns+2)-1)
			for i, w := range where {
				if rng.IntN(2) == 0 {
					matching[i][v] = true
					if w != nil {
						w.matches[Version{Key: Key(k), Value: int64(n)}] = true
					}
				}
			}
			values = append(values, v)
		}
		cut := len(values)
		if rng.IntN(5) == 0 {
			cut = rng.IntN(len(values) + 1)
		}
		for _, part := range [][]int32{values[:cut], values[cut:]} {
			if len(part) > 0 {
				in.versions = append(in.versions, versionOrder{k, part, -1, Place{-1, -1}})
			}
		}
		for range rng.IntN(3) {
			if len(values) > 0 {
				in.deletions[k] = append(in.deletions[k], deletion{values[rng.IntN(len(values))], rng.Int64N(8)})
			}
		}
		in.initial = append(in.initial, true)
		by = append(by, 0)
	}
	for range 1 + rng.IntN(8) {
		i := rng.IntN(len(where))
		r := predicateRead{txn: rng.Int32N(txns), match: func(v int32) bool { return matching[i][v] }, where: where[i]}
		for range rng.IntN(4) {
			r.snapshot = append(r.snapshot, rng.Int64N(9))
		}
		for _, v := range rng.Perm(len(in.initial))[:rng.IntN(min(3, len(in.initial)+1))] {
			key := keyOf(in, int32(v))
			if _, ok := r.saw(key); !ok {
				r.set = append(r.set, keyValue{key, int32(v)})
				slices.SortFunc(r.set, func(a, b keyValue) int { return int(a.key) - int(b.key) })
			}
		}
		in.preds = append(in.preds, r)
	}
	return in, f, func(v int32) int32 { return by[v] }
}

// keyOf finds the key of a value: its versions stand before its initial value, key by key.
func keyOf(in *input, value int32) (key int32) {
	for _, initial := range in.initial[:value] {
		if initial {
			key++
		}
	}
	return key
}

// BenchmarkSweep shows that the time for a read does not grow with the history.
func BenchmarkSweep(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in, f, installer := rowsThatComeAndGo(n)
			number := make([]int32, in.txns())
			for i := range number {
				number[i] = int32(i + 1)
			}
			for b.Loop() {
				f.extra = nil
				newPredicates(in).dependencies(f, number, installer)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/read")
		})
	}
}

// rowsThatComeAndGo has n transactions in four sessions. Each transaction reads all rows, inserts
// one, and deletes the row that was inserted twenty transactions before.
func rowsThatComeAndGo(n int) (in *input, f *form, installer func(int32) int32) {
	const alive, chains = 20, 4
	in = &input{session: make([]int32, n), deletions: map[int32][]deletion{}}
	f = &form{n: n + 1, chaining: chaining{chain: make([]int32, n+1), start: []int32{0, 1}}}
	per := (n + chains - 1) / chains
	for t := 1; t <= n; t++ {
		f.chain[t] = int32((t-1)/per) + 1
	}
	for c := range chains {
		f.start = append(f.start, int32(min(n, (c+1)*per)+1))
	}
	numbered := func(i int) int32 { return int32(i%chains*per + i/chains + 1) } // round robin
	where := &named{name: "all", matches: map[Version]bool{}}
	var by []int32
	for i := range n {
		where.matches[Version{Key: Key(i)}] = true
		in.initial = append(in.initial, false, false)
		v := int32(2 * i)
		by = append(by, numbered(i), numbered(min(n-1, i+alive)))
		in.versions = append(in.versions, versionOrder{int32(i), []int32{v, v + 1}, -1, Place{-1, -1}})
		in.deletions[int32(i)] = []deletion{{v + 1, int64(i + alive)}}
		r := predicateRead{txn: numbered(i) - 1, where: where, match: func(v int32) bool { return v%2 == 0 }, snapshot: []int64{int64(i)}}
		for k := max(0, i-alive); k < i; k++ {
			r.set = append(r.set, keyValue{int32(k), int32(2 * k)})
		}
		in.preds = append(in.preds, r)
	}
	in.keys = n
	return in, f, func(v int32) int32 { return by[v] }
}
