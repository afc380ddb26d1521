package checker

import (
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// A history with reads that may be from several writers can violate a level whatever
// they are from, each choice by other transactions. What shows that are transactions
// that alone violate the level by every choice. Of those a read counts only when all
// that it may be from are among them, so that what is left of a satisfied history is
// satisfied, and leaving out one after another ends with a part that needs them all.

// Bounds on the search for that part: how many choices are looked at for a set of
// transactions, and how many transactions are in all the forms that are decided. Beyond
// them there is a verdict, and nothing that shows it.
const (
	fewChoices = 2000
	mostWork   = 4 << 20
)

// openPart finds such a part of a history that violates the level by every choice; nil
// when that takes too long. open are the reads with all their writers.
func (s *sources) openPart(ctx context.Context, level isolation.Level, r rules, open []openRead) ([]int32, error) {
	var txns []int32
	for t, keep := range s.keep {
		if keep {
			txns = append(txns, int32(t))
		}
	}
	work := 0
	violated := func(txns []int32) (bool, error) {
		c := &choice{s: s.keeping(txns, open), r: r, level: level, budget: fewChoices}
		c.chosen = slices.Repeat([]int{-1}, len(c.s.open))
		c.sort()
		_, d, err := c.search(ctx, 0)
		work += len(txns) * (fewChoices - c.budget)
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
			case err != nil || work > mostWork:
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

// keeping is what is left of s when only some transactions are kept.
func (s *sources) keeping(txns []int32, open []openRead) *sources {
	in := s.in
	out := &sources{in: in, writes: s.writes, keep: make([]bool, in.txns()), sure: make([]bool, in.txns()), faulty: s.faulty}
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

// openViolation shows that part by one choice.
func (s *sources) openViolation(ctx context.Context, level isolation.Level, r rules, open []openRead) (*Violation, error) {
	txns, err := s.openPart(ctx, level, r, open)
	if err != nil || txns == nil {
		return nil, err
	}
	c := &choice{s: s.keeping(txns, open), r: r, level: level}
	c.sort()
	n, err := c.telling(ctx)
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

// telling makes a choice that satisfies the weaker levels, so that what it shows is
// wrong at this one; or else the likeliest of those that are possible.
func (c *choice) telling(ctx context.Context) (numbered, error) {
	var first numbered
	c.chosen = make([]int, len(c.s.open))
	for range fewChoices / 10 {
		if n, ok := c.s.form(c.r, c.chosen); ok {
			if first.f == nil {
				first = n
			}
			d, err := n.f.decide(ctx, c.level-1)
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
