package check

import (
	"context"

	"github.com/txmc/txmc/history/conflict"
	"github.com/txmc/txmc/history/guarantee"
	"github.com/txmc/txmc/isolation"
)

// The session guarantees, and the levels at which writers of a key see each other: their algorithms
// are in packages of their own, which see a form as interfaces.

var guarantees = map[isolation.Level]guarantee.Guarantee{
	isolation.RYW: guarantee.ReadYourWrites, isolation.MR: guarantee.MonotonicReads,
	isolation.MW: guarantee.MonotonicWrites, isolation.WFR: guarantee.WritesFollowReads,
}

// transactions are a form as these packages see it.
type transactions struct {
	*form
	w *writers
}

func (t transactions) Len() int32             { return int32(t.n) }
func (t transactions) InitialFirst() bool     { return t.init }
func (t transactions) Follows(u int32) bool   { return t.prev[u] > 0 }
func (t transactions) Before(u int32) int32   { return t.prev[u] }
func (t transactions) Reads(u int32) int      { return len(t.readsOf(u)) }
func (t transactions) Writes(u int32) []int32 { return t.writesOf(u) }
func (t transactions) Writers(x int32) []int32 {
	return t.w.of(x)
}
func (t transactions) Known() (pairs [][2]int32) {
	for _, e := range t.versionEdges() {
		pairs = append(pairs, [2]int32{e.from, e.to})
	}
	return pairs
}
func (t transactions) Read(u int32, i int) (key, from int32) {
	r := t.readsOf(u)[i]
	return r.key, r.from
}

// forceGuarantee returns what a session guarantee forces.
func (f *form) forceGuarantee(g guarantee.Guarantee) (edges []edge) {
	for _, e := range guarantee.Forced(transactions{f, f.writers()}, g) {
		edges = append(edges, edge{e.From, e.To})
	}
	return edges
}

// guaranteed returns transactions through which a guarantee lets read i of t see t2, or nil.
func (f *form) guaranteed(level isolation.Level, t int32, i int, t2 int32) []int32 {
	readsFrom := func(u int32, rs []read) bool {
		for _, r := range rs {
			if r.from == t2 {
				return true
			}
		}
		return false
	}
	switch level {
	case isolation.RYW:
		for u := f.prev[t]; u >= 0; u = f.prev[u] {
			if u == t2 {
				return []int32{t2, t}
			}
		}
	case isolation.MR:
		if readsFrom(t, f.readsOf(t)[:i]) {
			return []int32{t2, t}
		}
		for u := f.prev[t]; u >= 0; u = f.prev[u] {
			if readsFrom(u, f.readsOf(u)) {
				return []int32{t2, u, t}
			}
		}
	case isolation.MW:
		for _, r := range f.readsOf(t) {
			for u := f.prev[r.from]; u >= 0; u = f.prev[u] {
				if u == t2 {
					return []int32{t2, r.from, t}
				}
			}
		}
	case isolation.WFR:
		for _, r := range f.readsOf(t) {
			for u := r.from; u >= 0; u = f.prev[u] {
				if readsFrom(u, f.readsOf(u)) {
					return []int32{t2, u, r.from, t}
				}
			}
		}
	}
	return nil
}

// updateAtomic decides UA. Mostly the history is one of SI, or none of RA.
func (f *form) updateAtomic(ctx context.Context, base *preds, order []int32) (decision, error) {
	if d := f.follow(isolation.RA, base, f.forceRA()); d.order == nil {
		return d, nil
	}
	c, err := f.causally(ctx, order)
	if err != nil {
		return decision{}, err
	}
	if c.cycle == nil {
		if d, err := f.ordered(ctx, isolation.SI, base, c); err != nil || d.order != nil {
			return d, err
		}
	}
	return f.conflicting(ctx, false)
}

// parallel decides PSI for a history of CC.
func (f *form) parallel(ctx context.Context, base *preds, c *causal) (decision, error) {
	if d, err := f.ordered(ctx, isolation.SI, base, c); err != nil || d.order != nil {
		return d, err
	}
	return f.conflicting(ctx, true)
}

// conflicting searches an order of writers that see each other. All transactions are the core when
// there is none.
func (f *form) conflicting(ctx context.Context, transitive bool) (decision, error) {
	order, err := conflict.Decide(ctx, transactions{f, f.writers()}, transitive)
	if err != nil || order != nil {
		return decision{order: order}, err
	}
	all := []int32{}
	for t := int32(1); int(t) < f.n; t++ {
		all = append(all, t)
	}
	return decision{core: all}, nil
}
