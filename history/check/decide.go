package check

import (
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// decision is the result of a form at a level. It is a commit order that shows that the
// level is satisfied. Or it is transactions that show that the level is violated,
// whatever the others did.
type decision struct {
	order []int32
	core  []int32
	work  Work
	about []int32 // with a core: the transactions in about the order in which they committed, if known
}

// decide decides a level.
func (f *form) decide(ctx context.Context, level isolation.Level) (decision, error) {
	d, err := f.conclude(ctx, level)
	slices.Sort(d.core)
	d.core = slices.Compact(d.core)
	return d, err
}

func (f *form) conclude(ctx context.Context, level isolation.Level) (decision, error) {
	base := newPreds(f, nil)
	order, cycle := base.sort()
	if cycle != nil {
		return decision{core: cycle}, nil
	}
	if level == isolation.True {
		return decision{order: order}, nil
	}
	if g, ok := guarantees[level]; ok {
		return f.follow(level, base, f.forceGuarantee(g)), nil
	}
	if level.Implies(isolation.RA) {
		if t, a, b := f.tornRead(); t >= 0 {
			return decision{core: []int32{t, a.from, b.from}}, nil
		}
	}
	switch level {
	case isolation.RC:
		return f.follow(level, base, f.forceRC()), nil
	case isolation.RA:
		return f.follow(level, base, f.forceRA()), nil
	case isolation.UA:
		return f.updateAtomic(ctx, base, order)
	}
	c, err := f.causally(ctx, order)
	switch {
	case err != nil:
		return decision{}, err
	case c.cycle != nil:
		return decision{core: f.justify(isolation.CC, base, c.forced, c.cycle)}, nil
	case level == isolation.CC:
		return decision{order: c.order}, nil
	}
	if level == isolation.PSI {
		return f.parallel(ctx, base, c)
	}
	return f.ordered(ctx, level, base, c)
}

// ordered searches an order at PC, SI or SER, in real time or not.
func (f *form) ordered(ctx context.Context, level isolation.Level, base *preds, c *causal) (decision, error) {
	g, core, work, err := f.order(ctx, level, c.w, c.forced, c.order)
	if err != nil {
		return decision{}, err
	}
	var order []int32
	for t := range f.n {
		order = append(order, int32(t))
	}
	slices.SortFunc(order, func(a, b int32) int { return int(g.ord[g.writes(a)]) - int(g.ord[g.writes(b)]) })
	if core != nil {
		return decision{core: f.justifyForced(base, c.forced, core), about: order, work: work}, nil
	}
	return decision{order: order, work: work}, nil
}

// follow decides RC or RA, which force edges.
func (f *form) follow(level isolation.Level, base *preds, forced []edge) decision {
	forced = append(forced, f.versionEdges()...)
	order, cycle := newPreds(f, forced).sort()
	if cycle != nil {
		return decision{core: f.justify(level, base, forced, cycle)}
	}
	return decision{order: order}
}

// justify returns the transactions of a cycle and those that force its edges.
func (f *form) justify(level isolation.Level, base *preds, forced []edge, cycle []int32) []int32 {
	known := make(map[edge]bool, len(forced))
	for _, e := range forced {
		known[e] = true
	}
	core := slices.Clone(cycle)
	for i, t := range cycle {
		if e := (edge{t, cycle[(i+1)%len(cycle)]}); known[e] {
			core = append(core, f.why(level, base, e)...)
		}
	}
	return core
}

// justifyForced adds, for each two transactions of the core between which causal
// consistency forces an edge, those that force it.
func (f *form) justifyForced(base *preds, forced []edge, core []int32) []int32 {
	all := slices.Clone(core)
	for _, e := range forced {
		if _, ok := slices.BinarySearch(core, e.from); !ok {
			continue
		}
		if _, ok := slices.BinarySearch(core, e.to); ok {
			all = append(all, f.why(isolation.CC, base, e)...)
		}
	}
	return all
}

// why returns transactions that make a level force the edge e. One of them reads a key from
// e.to that e.from writes as well; the others are those through which it sees e.from.
func (f *form) why(level isolation.Level, base *preds, e edge) []int32 {
	var best []int32
	for t := int32(1); int(t) < f.n; t++ {
		for i, r := range f.readsOf(t) {
			if r.from != e.to || !f.writesKey(e.from, r.key) {
				continue
			}
			if path := f.sees(level, base, t, i, e.from); path != nil && (best == nil || len(path) < len(best)) {
				best = path
			}
		}
	}
	return best
}

// sees returns transactions through which read i of t sees t2, or nil.
func (f *form) sees(level isolation.Level, base *preds, t int32, i int, t2 int32) []int32 {
	rs := f.readsOf(t)
	switch level {
	case isolation.RC:
		rs = rs[:i]
	case isolation.RA:
		for u := f.prev[t]; u >= 0; u = f.prev[u] {
			if u == t2 {
				return []int32{t2, t}
			}
		}
	case isolation.RYW, isolation.MR, isolation.MW, isolation.WFR:
		return f.guaranteed(level, t, i, t2)
	default:
		return base.path(func(u int32) bool { return u == t2 }, t)
	}
	for _, r := range rs {
		if r.from == t2 {
			return []int32{t2, t}
		}
	}
	return nil
}
