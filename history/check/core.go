package check

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// Cores of a violation: transactions that violate the level by themselves. A core is
// minimal when it needs each of them; a violation has many minimal cores, of different
// sizes (minimal unsatisfiable subsets: Marques-Silva, "Minimal unsatisfiability", ISMVL
// 2010).

// Bounds on the search for a smaller core: the tries, and the transactions near the core
// that they draw from.
const (
	coreTries = 64
	coreNear  = 500
)

// smallCore returns a minimal part of the core, or a smaller minimal core found near it.
// When the context ends first it returns the core as it is by then.
func (f *form) smallCore(ctx context.Context, level isolation.Level, d decision) []int32 {
	core, err := f.minimalCore(ctx, level, d.core)
	if err != nil {
		return d.core
	}
	if other, err := f.smallerCore(ctx, level, core, d.about); err == nil {
		return other
	}
	return core
}

// smallerCore searches a minimal core with fewer transactions, near the given one. about
// lists the transactions in their approximate commit order, nil if that is unknown. Each
// try leaves out a transaction of the smallest core and some transactions of other cores,
// so that it finds a new core if there is one.
func (f *form) smallerCore(ctx context.Context, level isolation.Level, core, about []int32) ([]int32, error) {
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
	for range coreTries {
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
		if other, err = g.minimalCore(ctx, level, other); err != nil {
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

// near returns the core and the transactions that committed at about the same time.
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
	for _, t := range about[max(0, mid-coreNear/2):min(len(about), mid+coreNear/2)] {
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

// minimalCore leaves transactions out of a core as long as the rest violates the level.
// A transaction that is needed stays needed when others are left out, because every part
// of a satisfied history is satisfied. So each is tried alone once; larger groups are
// tried first.
func (f *form) minimalCore(ctx context.Context, level isolation.Level, core []int32) ([]int32, error) {
	core = slices.DeleteFunc(slices.Clone(core), func(t int32) bool { return t == 0 })
	for {
		smaller, err := f.violation(ctx, level, core)
		if err != nil {
			return nil, err
		}
		if smaller == nil || len(smaller) >= len(core) {
			break
		}
		core = smaller
	}
	for size := max(1, len(core)/2); ; size /= 2 {
		for i := 0; i < len(core); {
			rest := slices.Concat(core[:i], core[min(len(core), i+size):])
			smaller, err := f.violation(ctx, level, rest)
			if err != nil {
				return nil, err
			}
			if smaller == nil {
				i += size
			} else {
				core = rest
			}
		}
		if size <= 1 {
			return core, nil
		}
	}
}

// violation returns a core among the transactions, without the initial one, or nil when
// they satisfy the level.
func (f *form) violation(ctx context.Context, level isolation.Level, txns []int32) ([]int32, error) {
	g, kept := f.restrict(txns)
	d, err := g.decide(ctx, level)
	if err != nil || d.order != nil {
		return nil, err
	}
	core := []int32{}
	for _, t := range d.core {
		if t != 0 {
			core = append(core, kept[t])
		}
	}
	return core, nil
}
