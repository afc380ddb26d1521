package check

import (
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// The core of a violation in a history with open reads. An open read has several possible
// writers. Each choice of writers may violate the level through other transactions. A core
// is a set of transactions that violates the level under every choice.
//
// An open read belongs to a set only when the set has all its possible writers. So every
// subset of a satisfied history is satisfied, and deletion finds a minimal core: it leaves
// out one transaction after another as long as the rest violates the level.

// Bounds on the search for a core: the choices tried for one set of transactions, and the
// transactions of all forms decided. Beyond them the verdict has no core.
const (
	coreChoices = 2000
	coreWork    = 4 << 20
)

// openCore returns a minimal core, or nil when the search exceeds its bounds. open are
// the open reads with all their writers.
func (s *sources) openCore(ctx context.Context, level isolation.Level, r rules, open []openRead) ([]int32, error) {
	var txns []int32
	for t, keep := range s.keep {
		if keep {
			txns = append(txns, int32(t))
		}
	}
	work := 0
	violated := func(txns []int32) (bool, error) {
		c := &choice{s: s.keeping(txns, open), r: r, level: level, budget: coreChoices}
		c.chosen = slices.Repeat([]int{-1}, len(c.s.open))
		c.sort()
		_, d, err := c.search(ctx, 0)
		work += len(txns) * (coreChoices - c.budget)
		return err == nil && d.order == nil, ctx.Err()
	}
	if ok, err := violated(txns); err != nil || !ok {
		return nil, err
	}
	for size := max(1, len(txns)/2); ; size /= 2 {
		for i := 0; i < len(txns); {
			rest := slices.Concat(txns[:i], txns[min(len(txns), i+size):])
			ok, err := violated(rest)
			switch {
			case err != nil || work > coreWork:
				return nil, err
			case ok:
				txns = rest
			default:
				i += size
			}
		}
		if size <= 1 {
			return txns, nil
		}
	}
}

// keeping restricts s to some transactions.
func (s *sources) keeping(txns []int32, open []openRead) *sources {
	in := s.in
	out := &sources{in: in, writes: s.writes, keep: make([]bool, in.txns()), sure: make([]bool, in.txns()), faulty: s.faulty,
		longest: s.longest, ambiguous: s.ambiguous}
	for _, t := range txns {
		out.keep[t], out.sure[t] = s.keep[t], s.sure[t]
	}
	out.from = slices.Clone(s.from)
	for _, t := range txns {
		for j := in.off[t]; j < in.off[t+1]; j++ {
			if u := out.from[j] - 1; u >= 0 && !out.keep[u] {
				out.from[j] = own
			}
		}
	}
	for _, o := range open {
		out.from[o.op] = own
		if out.keep[o.txn] && !slices.ContainsFunc(o.from, func(u int32) bool { return u > 0 && !out.keep[u-1] }) {
			out.open = append(out.open, openRead{o.txn, o.op, slices.Clone(o.from)})
		}
	}
	return out
}

// openViolation shows a minimal core by one choice of writers.
func (s *sources) openViolation(ctx context.Context, level isolation.Level, r rules, open []openRead) (*Violation, error) {
	txns, err := s.openCore(ctx, level, r, open)
	if err != nil || txns == nil {
		return nil, err
	}
	c := &choice{s: s.keeping(txns, open), r: r, level: level}
	c.sort()
	n, err := c.shown(ctx)
	if err != nil || n.f == nil {
		return nil, err
	}
	var all []int32
	for t := int32(1); int(t) < n.f.n; t++ {
		all = append(all, t)
	}
	v := n.violation(all)
	v.Choices = len(c.s.open)
	return v, nil
}

// weaker is the next weaker level.
func weaker(level isolation.Level) isolation.Level {
	switch level {
	case isolation.SSER, isolation.SSI:
		base, _ := level.Timeless()
		return base
	case isolation.PSI:
		return isolation.CC
	case isolation.UA:
		return isolation.RA
	case isolation.RYW, isolation.MR, isolation.MW, isolation.WFR:
		return isolation.True
	}
	return level - 1
}

// shown returns the form of a choice that satisfies the next weaker level, so that the
// violation is one of this level. If it finds none, it returns the likeliest choice.
func (c *choice) shown(ctx context.Context) (numbered, error) {
	var first numbered
	c.chosen = make([]int, len(c.s.open))
	for range coreChoices / 10 {
		if n, ok := c.s.form(c.r, c.chosen); ok {
			if first.f == nil {
				first = n
			}
			d, err := n.f.decide(ctx, weaker(c.level))
			if err != nil || d.order != nil {
				return n, err
			}
		}
		i := 0
		for ; i < len(c.chosen); i++ { // the next one
			if c.chosen[i]++; c.chosen[i] < len(c.s.open[i].from) {
				break
			}
			c.chosen[i] = 0
		}
		if i == len(c.chosen) {
			break
		}
	}
	return first, nil
}
