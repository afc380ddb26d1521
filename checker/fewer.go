package checker

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// How much is done to show a violation with fewer transactions: so many parts of
// the history are decided, of so many transactions beside the core.
const (
	fewerTries = 64
	fewerNear  = 500
)

// smallest returns the part of a core that none can be left out of, or another core
// that is smaller. When the context ends it is not as small as it could be.
func (f *form) smallest(ctx context.Context, level isolation.Level, d decision) []int32 {
	core, err := f.shrink(ctx, level, d.core)
	if err != nil {
		return d.core
	}
	if other, err := f.fewer(ctx, level, core, d.about); err == nil {
		return other
	}
	return core
}

// fewer looks for other transactions that violate the level, fewer than core, none of
// which can be left out, near those of the core. about are the
// transactions in about the order in which they committed, nil if nobody knows.
//
// What violates a level has many such cores, of any size (minimal unsatisfiable
// subsets). Each try leaves out a transaction of the least core and some of others,
// so that another one comes out if there is one.
func (f *form) fewer(ctx context.Context, level isolation.Level, core, about []int32) ([]int32, error) {
	near := f.near(core, about)
	g, kept := f.restrict(near)
	g.renumberKeys()
	number := make(map[int32]int32, len(kept))
	for i, t := range kept {
		number[t] = int32(i)
	}
	best := make([]int32, len(core))
	for i, t := range core {
		best[i] = number[t]
	}
	cores := [][]int32{best}
	r := rand.New(rand.NewPCG(1, 1))
	all := make([]int32, 0, g.n)
	for range fewerTries {
		if len(best) <= 2 {
			break
		}
		without := map[int32]bool{best[r.IntN(len(best))]: true}
		for _, c := range cores {
			if !slices.ContainsFunc(c, func(t int32) bool { return without[t] }) && r.IntN(2) == 0 {
				without[c[r.IntN(len(c))]] = true
			}
		}
		all = all[:0]
		for t := int32(1); int(t) < g.n; t++ {
			if !without[t] {
				all = append(all, t)
			}
		}
		other, err := g.violation(ctx, level, all)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		if other, err = g.shrink(ctx, level, other); err != nil {
			return nil, err
		}
		cores = append(cores, other)
		if len(other) < len(best) {
			best = other
		}
	}
	core = make([]int32, len(best))
	for i, t := range best {
		core[i] = kept[t]
	}
	return core, nil
}

// near returns the core and the transactions about it.
func (f *form) near(core, about []int32) []int32 {
	if about == nil {
		order, _ := newPreds(f, nil).sort()
		about = f.clock(order).sorted()
	}
	in := make([]bool, f.n)
	lo, hi := len(about), 0
	for i, t := range about {
		if slices.Contains(core, t) {
			in[t] = true
			lo, hi = min(lo, i), max(hi, i)
		}
	}
	mid := (lo + hi) / 2
	for _, t := range about[max(0, mid-fewerNear/2):min(len(about), mid+fewerNear/2)] {
		in[t] = true
	}
	var near []int32
	for t, ok := range in {
		if ok {
			near = append(near, int32(t))
		}
	}
	return near
}

// renumberKeys leaves numbers to keys only that are read or written.
func (f *form) renumberKeys() {
	number := make(map[int32]int32)
	renumber := func(x int32) int32 {
		n, ok := number[x]
		if !ok {
			n = int32(len(number))
			number[x] = n
		}
		return n
	}
	for i := range f.reads {
		f.reads[i].key = renumber(f.reads[i].key)
	}
	for i := range f.writes {
		f.writes[i] = renumber(f.writes[i])
	}
	for t := range int32(f.n) {
		slices.Sort(f.writesOf(t))
	}
	f.keys = len(number)
}
