package check

import (
	"context"
	"errors"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// choice decides a level for a history with open reads: reads of values that several
// transactions wrote. The level is satisfied when some choice of writers satisfies it.
// The search chooses the writers read by read and leaves out the reads that are not
// chosen yet. When that part violates the level, every extension violates it too.
type choice struct {
	s      *sources
	r      rules
	level  isolation.Level
	chosen []int
	budget int
	steps  int64 // of the run of a store
}

// mostChoices is how many partial choices are looked at before giving up.
const mostChoices = 20000

var errChoices = errors.New("values that several transactions wrote leave too many possibilities")

// decideOpen returns the decision, and for which form. A violation has no core when it
// takes all choices to show it.
func (s *sources) decideOpen(ctx context.Context, level isolation.Level, r rules) (numbered, decision, error) {
	c := &choice{s: s, r: r, level: level, chosen: slices.Repeat([]int{-1}, len(s.open)), budget: mostChoices}
	c.sort()
	n, d, err := c.decideOpen(ctx, level, r)
	d.work.Steps = c.steps
	return n, d, err
}

func (c *choice) decideOpen(ctx context.Context, level isolation.Level, r rules) (numbered, decision, error) {
	n, d, err := c.decide(ctx)
	if err != nil || d.order == nil {
		return n, d, err
	}
	clear(c.chosen)
	if n, d, err := c.decide(ctx); err != nil || d.order != nil {
		return n, d, err
	}
	like := storeOf(level)
	chosen, steps, ok := c.s.operational(ctx, like, r)
	c.steps = int64(steps)
	switch {
	case ok && chosen != nil:
		c.chosen = chosen
		if n, d, err := c.decide(ctx); err != nil || d.order != nil {
			return n, d, err
		}
	case ok && like == level:
		return numbered{}, decision{}, nil
	}
	for i := range c.chosen {
		c.chosen[i] = -1
	}
	if impossible, err := c.prune(ctx); err != nil || impossible {
		return n, decision{}, err
	}
	n, d, err = c.search(ctx, 0)
	d.core = nil
	return n, d, err
}

// storeOf is the level of a store that is simulated for a level: the same, or a stronger one.
func storeOf(level isolation.Level) isolation.Level {
	switch level {
	case isolation.RA, isolation.CC, isolation.RYW, isolation.MR, isolation.MW, isolation.WFR:
		return isolation.PC
	case isolation.UA, isolation.PSI:
		return isolation.SI
	}
	return level
}

func (c *choice) decide(ctx context.Context) (numbered, decision, error) {
	n, ok := c.s.form(c.r, c.chosen)
	if !ok {
		return numbered{}, decision{}, nil
	}
	d, err := n.f.decide(ctx, c.level)
	c.budget--
	return n, d, err
}

// sort puts the likelier writers of each read first, those that are about as far
// on in their sessions.
func (c *choice) sort() {
	at := c.s.in.inSession()
	for _, o := range c.s.open {
		far := func(u int32) float64 {
			if u == 0 {
				return at[o.txn]
			}
			if d := at[o.txn] - at[u-1]; d >= 0 {
				return d
			} else {
				return 1 - d
			}
		}
		slices.SortStableFunc(o.from, func(a, b int32) int {
			switch d := far(a) - far(b); {
			case d < 0:
				return -1
			case d > 0:
				return 1
			}
			return 0
		})
	}
}

// prune leaves out writers that a read cannot be from; it reports whether none is
// left for some read.
func (c *choice) prune(ctx context.Context) (bool, error) {
	for i := range c.s.open {
		o := &c.s.open[i]
		var left []int32
		for k := range o.from {
			c.chosen[i] = k
			if c.budget <= mostChoices/2 {
				left = append(left, o.from[k])
				continue
			}
			_, d, err := c.decide(ctx)
			if err != nil {
				return false, err
			}
			if d.order != nil {
				left = append(left, o.from[k])
			}
		}
		c.chosen[i] = -1
		if len(left) == 0 {
			return true, nil
		}
		o.from = left
	}
	return false, nil
}

// search chooses for the reads from i on.
func (c *choice) search(ctx context.Context, i int) (numbered, decision, error) {
	n, d, err := c.decide(ctx)
	if err != nil || d.order == nil || i == len(c.chosen) {
		return n, d, err
	}
	if c.budget <= 0 {
		return n, decision{}, errChoices
	}
	for k := range c.s.open[i].from {
		c.chosen[i] = k
		n, d, err := c.search(ctx, i+1)
		if err != nil || d.order != nil {
			return n, d, err
		}
	}
	c.chosen[i] = -1
	return numbered{}, decision{}, nil
}
