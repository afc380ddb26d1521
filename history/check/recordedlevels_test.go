package check

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/history/realtime"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// timedForm draws a history with times. Those of a session follow each other, and mostly a
// transaction runs about when it is read from.
func timedForm(r *rand.Rand) *form {
	f := randomForm(r, 1+r.IntN(5), r.IntN(4) > 0, r.IntN(4) > 0)
	f.extra = nil
	f.real = initialInterval(f.init)
	order, _ := newPreds(f, nil).sort()
	at := make([]int64, f.n)
	for i, t := range order {
		at[t] = int64(10 * i)
	}
	end := int64(0)
	for t := int32(1); int(t) < f.n; t++ {
		if order == nil {
			at[t] = r.Int64N(50)
		}
		called, returned := at[t]-r.Int64N(20), at[t]+r.Int64N(20)
		if f.prev[t] > 0 && called <= end {
			called = end + 1
			returned = max(called, returned)
		}
		if end = returned; r.IntN(8) == 0 {
			returned = realtime.Never
		}
		f.real.Called, f.real.Returned = append(f.real.Called, called), append(f.real.Returned, returned)
	}
	return f
}

// The levels of recorded histories agree with their definitions, which try all commit orders. What is
// found to satisfy a level comes with an order that shows it, and what violates one with a part that
// does so by itself.
func TestRecordedLevelsByDefinition(t *testing.T) {
	t.Parallel()
	count := deadlinetest.Of(20000, 1500)
	satisfied := map[isolation.Level]int{}
	for seed := range uint64(count) {
		f := timedForm(rand.New(rand.NewPCG(seed, 77)))
		for _, l := range isolation.RecordedLevels() {
			if l == isolation.LIN {
				continue
			}
			d, err := f.decide(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			want := bruteForce(f, l)
			switch {
			case want != (d.order != nil):
				t.Fatalf("seed %d: %v is %v, by the definition %v: %+v %+v", seed, l, d.order != nil, want, f, f.real)
			case want && !verify(f, l, d.order):
				t.Fatalf("seed %d: the order %v does not show %v: %+v %+v", seed, d.order, l, f, f.real)
			case want:
				satisfied[l]++
				continue
			}
			core := f.smallCore(t.Context(), l, d)
			if part, _ := f.restrict(core); bruteForce(part, l) {
				t.Fatalf("seed %d: the part %v does not violate %v: %+v %+v", seed, core, l, f, f.real)
			}
		}
	}
	t.Logf("of %d: %v", count, satisfied)
	for _, l := range isolation.RecordedLevels() {
		if n := satisfied[l]; l != isolation.LIN && min(n, count-n) < count/8 {
			t.Errorf("%v: %d of %d are satisfied", l, n, count)
		}
	}
}

// What a level implies is allowed by the levels that it implies.
func TestImpliedLevels(t *testing.T) {
	t.Parallel()
	levels := append(isolation.Levels(), isolation.RecordedLevels()...)
	for seed := range uint64(deadlinetest.Of(5000, 500)) {
		f := timedForm(rand.New(rand.NewPCG(seed, 78)))
		allows := map[isolation.Level]bool{}
		for _, l := range levels {
			allows[l] = l != isolation.LIN && bruteForce(f, l)
		}
		for _, l := range levels {
			for _, m := range levels {
				if allows[l] && m != isolation.LIN && l.Implies(m) && !allows[m] {
					t.Fatalf("seed %d: %v allows it, %v does not", seed, l, m)
				}
			}
		}
	}
}
