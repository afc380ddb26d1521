package check

import "github.com/txmc/txmc/history/realtime"

// restrict returns what is left of f when only some transactions are kept, the
// initial one in any case: session order stays what it is between them, reads
// from the others are left out. What satisfies a level satisfies it still. kept
// are the transactions' numbers in f; the first is 0.
func (f *form) restrict(keep []int32) (g *form, kept []int32) {
	kept = []int32{0}
	for _, t := range keep {
		if t != 0 {
			kept = append(kept, t)
		}
	}
	b := newBuilder(f.keys, f.init)
	number := make(map[int32]int32, len(kept))
	for i, t := range kept {
		number[t] = int32(i)
	}
	if f.hint != nil {
		b.f.hint, b.f.timed = []float64{f.hint[0]}, f.timed
	}
	for i, t := range kept[1:] {
		before := kept[i]
		b.begin(i == 0 || f.chain[before] != f.chain[t], f.prev[t] > 0)
		for _, r := range f.readsOf(t) {
			if from, ok := number[r.from]; ok {
				b.read(r.key, from)
			}
		}
		for _, x := range f.writesOf(t) {
			b.write(x)
		}
		if f.hint != nil {
			b.f.hint = append(b.f.hint, f.hint[t])
		}
	}
	g = b.end()
	if f.real != nil {
		g.real = &realtime.Intervals{}
		for _, t := range kept {
			g.real.Called, g.real.Returned = append(g.real.Called, f.real.Called[t]), append(g.real.Returned, f.real.Returned[t])
		}
	}
	for _, ts := range f.versions {
		var left []int32
		for _, t := range ts {
			if i, ok := number[t]; ok {
				left = append(left, i)
			}
		}
		if len(left) > 1 {
			g.versions = append(g.versions, left)
		}
	}
	for _, d := range f.extra {
		from, ok := number[d.from]
		to, ok2 := number[d.to]
		if ok && ok2 {
			g.extra = append(g.extra, dependency{edge{from, to}, d.anti})
		}
	}
	return g, kept
}
