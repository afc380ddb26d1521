package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// The springs come to rest where no small step of a single transaction makes the sum of
// squares less.
func TestSpringsRest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		f := randomRun(rand.New(rand.NewPCG(seed, 3)), isolation.SER, 4, 40, 6, 0)
		s := newSprings(f)
		s.settle(t.Context(), 300)
		energy := func() (sum float64) {
			for _, p := range s.list {
				d := p.distance - s.place[p.to] + s.place[p.from]
				sum += p.weight() * d * d
			}
			return sum
		}
		rest := energy()
		for v := range s.place {
			if !s.isFree(v) {
				continue
			}
			for _, step := range []float64{-1e-3, 1e-3} {
				at := s.place[v]
				s.place[v] += step
				if less := energy(); less < rest {
					t.Fatalf("seed %d: %v, and %v with transaction %d %v away", seed, rest, less, v, step)
				}
				s.place[v] = at
			}
		}
		if s.place[0] != 0 || s.place[f.n] != 1 {
			t.Fatalf("seed %d: the beginning is at %v, the end at %v", seed, s.place[0], s.place[f.n])
		}
	}
}

// An order without misses needs no search, and one with misses does.
func TestMisses(t *testing.T) {
	t.Parallel()
	none, some := 0, 0
	for seed := range uint64(200) {
		f := randomRun(rand.New(rand.NewPCG(seed, 4)), isolation.SER, 4, 30, 8, 0)
		order, _ := newPreds(f, nil).sort()
		c, err := f.causally(t.Context(), order)
		if err != nil || c.cycle != nil {
			t.Fatal(seed, err)
		}
		for _, level := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
			o := f.newOrdering(t.Context(), level, c.w, c.forced, c.order)
			s := newSimulation(newDigraph(f, f.readers(), level != isolation.SER), level, f.ranks(f.fraction), seed%2 == 0)
			if !s.run(poller{ctx: t.Context()}) {
				t.Fatal(seed)
			}
			copy(o.g.ord, s.g.ord)
			asked := newVersionOrders(f, o.g, c.w, level == isolation.SI)
			asked.all()
			wrong := asked.checkAll(func(_, _ int32) bool { return true })
			if wrong != (s.misses.sum > 0) {
				t.Fatalf("seed %d, %v: misses %d, and something is wrong: %v", seed, level, s.misses.sum, wrong)
			}
			if wrong {
				some++
			} else {
				none++
			}
		}
	}
	if none < 10 || some < 10 {
		t.Errorf("%d orders without misses, %d with some", none, some)
	}
}

// Only an order of recording in which sessions alternate tells something.
func TestBySession(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		sessions []int32
		want     bool
	}{{nil, true}, {[]int32{3}, true}, {[]int32{0, 0, 1, 1, 2}, true}, {[]int32{2, 0, 1}, true}, {[]int32{0, 1, 0}, false}, {[]int32{0, 0, 1, 2, 2, 1}, false}} {
		if got := (&input{session: row.sessions}).bySession(); got != row.want {
			t.Errorf("%v: %v", row.sessions, got)
		}
	}
}

// The estimate by springs is better than that by shares where keys are written often.
func TestSpringsAreNearer(t *testing.T) {
	t.Parallel()
	nearer := 0
	for seed := range uint64(10) {
		f := randomRun(rand.New(rand.NewPCG(seed, 5)), isolation.SER, 60, 1500, 40, 0)
		s := newSprings(f)
		off := func(place func(int32) float64) (sum float64) {
			for t := int32(1); int(t) < f.n; t++ {
				for _, r := range f.readsOf(t) {
					if r.from > 0 {
						sum += math.Abs(place(t) - place(r.from))
					}
				}
			}
			return sum
		}
		before := off(f.fraction)
		if s.settle(t.Context(), mostSettled); off(s.at) < before/2 {
			nearer++
		}
	}
	if nearer < 8 {
		t.Errorf("reads are twice as near to what they read in %d of 10 histories", nearer)
	}
}

// Misses count from where the value read was overwritten first, as a slow count of the final
// order does.
func TestMissesFromTheFirst(t *testing.T) {
	t.Parallel()
	twice := 0
	for seed := range uint64(200) {
		f := randomRun(rand.New(rand.NewPCG(seed, 6)), isolation.PC, 6, 40, 4, 0)
		s := newSimulation(newDigraph(f, f.readers(), true), isolation.PC, f.ranks(f.fraction), false)
		if !s.run(poller{ctx: t.Context()}) {
			t.Fatal(seed)
		}
		over := map[read][]int64{} // by version: the positions at which it was overwritten
		current := make([]int32, f.keys)
		at := make([]int32, len(s.g.ord))
		for v, place := range s.g.ord {
			at[place] = int32(v)
		}
		sum := int64(0)
		for place, v := range at {
			u, now := s.g.txn(v), int64(place)+1
			if v == s.g.reads(u) {
				for _, r := range f.readsOf(u) {
					if gone := over[r]; r.from != current[r.key] {
						sum += now - gone[0]
						if len(gone) > 1 {
							twice++
						}
					}
				}
			}
			if v != s.g.writes(u) || u == 0 {
				continue
			}
			for _, x := range f.writesOf(u) {
				for _, version := range versionsOf(f, x) {
					if version.from == 0 || s.g.ord[s.g.writes(version.from)] < int32(place) {
						over[version] = append(over[version], now)
					}
				}
				current[x] = u
			}
		}
		if sum != s.misses.sum {
			t.Fatalf("seed %d: %d, want %d", seed, s.misses.sum, sum)
		}
	}
	if twice < 10 {
		t.Errorf("%d reads of what was overwritten twice", twice)
	}
}

// versionsOf are the initial version of x and those that were written.
func versionsOf(f *form, x int32) []read {
	list := []read{{key: x}}
	for t := int32(1); int(t) < f.n; t++ {
		if slices.Contains(f.writesOf(t), x) {
			list = append(list, read{key: x, from: t})
		}
	}
	return list
}

// Of the likely orders the first with the least misses is taken.
func TestLeastMisses(t *testing.T) {
	t.Parallel()
	later := 0
	for seed := range uint64(60) {
		f := randomRun(rand.New(rand.NewPCG(seed, 7)), isolation.SER, 8, 60, 6, 0)
		f.hint = make([]float64, f.n)
		for i := range f.hint { // about as they committed, or of no use
			f.hint[i] = float64((i * (1 + int(seed%3))) % f.n)
		}
		g := newDigraph(f, f.readers(), false)
		var best []int32
		least, number, taken := int64(0), 0, 0
		for rank, waits := range f.likely(t.Context(), &least) {
			s := newSimulation(newDigraph(f, f.readers(), false), isolation.SER, rank, waits)
			if !s.run(poller{ctx: t.Context()}) {
				t.Fatal(seed)
			}
			if number++; best == nil || s.misses.sum < least {
				best, least, taken = slices.Clone(s.g.ord), s.misses.sum, number
			}
			if least == 0 {
				break
			}
		}
		if taken < number {
			later++
		}
		if !g.simulate(t.Context(), isolation.SER) || !slices.Equal(g.ord, best) {
			t.Fatalf("seed %d: another order than number %d of %d, with %d misses", seed, taken, number, least)
		}
	}
	if later < 5 {
		t.Errorf("an order before the last is the best in %d histories", later)
	}
}

// These orders are tried. What the database tells comes first, the order of the recording later,
// each with writes that wait and with others. Springs are tried only where there is much to
// search.
func TestLikelyOrders(t *testing.T) {
	t.Parallel()
	f := randomRun(rand.New(rand.NewPCG(1, 8)), isolation.SER, 4, 40, 6, 0)
	hint := make([]float64, f.n)
	for i := range hint {
		hint[i] = float64(i)
	}
	for _, row := range []struct {
		hint   []float64
		timed  bool
		misses int64
		want   string
	}{
		{nil, false, 0, "share waits,"},
		{nil, false, 1 << 30, "share waits,springs goes on,"},
		{hint, false, 0, "share waits,hint goes on,hint waits,"},
		{hint, true, 0, "hint waits,hint goes on,share waits,"},
		{hint, true, 1 << 30, "hint waits,hint goes on,share waits,springs goes on,"},
	} {
		f.hint, f.timed = row.hint, row.timed
		got := ""
		for rank, waits := range f.likely(t.Context(), &row.misses) {
			name := "springs"
			if slices.Equal(rank, f.ranks(f.fraction)) {
				name = "share"
			} else if f.hint != nil && slices.Equal(rank, f.ranks(f.hinted)) {
				name = "hint"
			}
			if got += name; waits {
				got += " waits,"
			} else {
				got += " goes on,"
			}
		}
		if got != row.want {
			t.Errorf("%v, timed %v, %d misses: %s, want %s", row.hint != nil, row.timed, row.misses, got, row.want)
		}
	}
}
