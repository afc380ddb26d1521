package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// brutePoints tries all orders of the points at which transactions read, 2t, and write,
// 2t+1. This is the other definition of PC and SI. The dependencies that a database
// tells have a meaning in it.
func brutePoints(f *form, level isolation.Level) bool {
	points := []int32{0, 1}
	if !f.init {
		points = points[:0]
	}
	var extend func() bool
	extend = func() bool {
		if len(points) == 2*f.n {
			return rightPoints(f, level, points)
		}
		for v := range int32(2 * f.n) {
			if slices.Contains(points, v) || v&1 == 1 && !slices.Contains(points, v-1) {
				continue
			}
			t := v / 2
			early := func(u int32) bool { return u != t && v&1 == 0 && !slices.Contains(points, 2*u+1) }
			if f.prev[t] >= 0 && early(f.prev[t]) || slices.ContainsFunc(f.readsOf(t), func(r read) bool { return early(r.from) }) {
				continue
			}
			points = append(points, v)
			if extend() {
				return true
			}
			points = points[:len(points)-1]
		}
		return false
	}
	return extend()
}

func rightPoints(f *form, level isolation.Level, points []int32) bool {
	at := make([]int, 2*f.n)
	for i, v := range points {
		at[v] = i
	}
	for t := range int32(f.n) {
		for _, r := range f.readsOf(t) {
			for u := range int32(f.n) {
				if u != r.from && f.writesKey(u, r.key) && at[2*r.from+1] < at[2*u+1] && at[2*u+1] < at[2*t] {
					return false
				}
			}
			if at[2*r.from+1] > at[2*t] {
				return false
			}
		}
		for u := range t {
			shared := slices.ContainsFunc(f.writesOf(t), func(x int32) bool { return f.writesKey(u, x) })
			if level == isolation.SI && shared && at[2*u] < at[2*t+1] && at[2*t] < at[2*u+1] {
				return false
			}
		}
	}
	for _, e := range f.versionEdges() {
		if at[2*e.from+1] > at[2*e.to+1] {
			return false
		}
	}
	for _, d := range f.extra {
		if d.anti && at[2*d.from] > at[2*d.to+1] || !d.anti && at[2*d.from+1] > at[2*d.to] {
			return false
		}
	}
	return true
}

// PC and SI with what a database tells, against that definition.
func TestPoints(t *testing.T) {
	t.Parallel()
	rounds := often(1500)
	told := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		f := randomForm(r, 2+r.IntN(3), r.IntN(2) == 0, false)
		for _, l := range []isolation.Level{isolation.PC, isolation.SI} {
			d, err := f.decide(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			want := brutePoints(f, l)
			if got := d.order != nil; got != want {
				t.Fatalf("seed %d, %v: %v, the definition says %v\n%+v", seed, l, got, want, f)
			}
			without := *f
			without.extra, without.versions = nil, nil
			if d2, _ := without.decide(t.Context(), l); d.order == nil && d2.order != nil {
				told++
				if g, _ := f.restrict(d.core); brutePoints(g, l) {
					t.Fatalf("seed %d, %v: %v does not show the violation\n%+v", seed, l, d.core, f)
				}
			}
		}
	}
	if told < rounds/50 {
		t.Errorf("only %d violations are in what was told", told)
	}
	t.Log(told)
}
