package check

import (
	"math"
	"math/rand/v2"
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
			s := newSimulation(newDigraph(f, f.readers(), level != isolation.SER), level, f.ranks(f.share), seed%2 == 0)
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
		before := off(f.share)
		if s.settle(t.Context(), mostSettled); off(s.at) < before/2 {
			nearer++
		}
	}
	if nearer < 8 {
		t.Errorf("reads are twice as near to what they read in %d of 10 histories", nearer)
	}
}
