package dpor_test

import (
	"fmt"
	"github.com/txmc/txmc/isolation/reference"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// comparison compares the engine with the reference on one program.
type comparison struct {
	p      *prog
	all    map[string]*reference.History
	client *program.Client
}

func compared(p *prog) (*comparison, error) {
	client, err := newClient(p)
	if err != nil {
		return nil, err
	}
	return &comparison{p, histories(p, 0), client}, nil
}

// exploreCE checks soundness, completeness and optimality at every level over the
// strongest base, and strong optimality where that is the level itself (PLDI 2023,
// sections 5 and 6).
func exploreCE(p *prog) error {
	c, err := compared(p)
	if err != nil {
		return err
	}
	for _, l := range isolation.Levels() {
		if err := c.pair(l.Base(), l); err != nil {
			return err
		}
	}
	return c.serialAll()
}

// serialAll checks the serial engine at its levels.
func (c *comparison) serialAll() error {
	for _, l := range serialLevels {
		if err := c.serial(l); err != nil {
			return err
		}
	}
	return nil
}

// exploreCEStar checks all pairs of a base and a level (section 6).
func exploreCEStar(p *prog) error {
	c, err := compared(p)
	if err != nil {
		return err
	}
	for _, l := range isolation.Levels() {
		for base := isolation.True; base <= l.Base(); base++ {
			if err := c.pair(base, l); err != nil {
				return err
			}
		}
	}
	return c.serialAll()
}

func (c *comparison) pair(base, l isolation.Level) error {
	want := allowed(c.all, l)
	found, err := list(c.client, dpor.Options{Level: l, Base: base})
	if err == nil {
		err = found.equals(want)
	}
	if err == nil {
		err = found.once()
	}
	// The end states are the histories of the base, which knows nothing of locks.
	if ends := int64(len(allowed(unlocked(c.all), base))); err == nil && found.stats.EndStates != ends {
		err = fmt.Errorf("%d end states, %d histories of the base", found.stats.EndStates, ends)
	}
	if err == nil && base != isolation.True && found.stats.Blocked != 0 {
		err = fmt.Errorf("%d blocked calls", found.stats.Blocked)
	}
	if err != nil {
		return fmt.Errorf("%v over %v: %w", l, base, err)
	}
	return nil
}

// dfs checks the baseline at every level. It finds the same set of histories, and each
// history as often as so ∪ wr has total orders (section 7).
func dfs(p *prog) error {
	c, err := compared(p)
	if err != nil {
		return err
	}
	for _, l := range isolation.Levels() {
		found, err := list(c.client, dpor.Options{Level: l, Base: l.Base(), DFS: true})
		if err == nil {
			err = found.equals(allowed(c.all, l))
		}
		if err != nil {
			return fmt.Errorf("%v by dfs: %w", l, err)
		}
		for key, times := range found.times {
			if want := linearisations(c.all[key].Relations()); times != want {
				return fmt.Errorf("%v by dfs: %d times, has %d total orders: %s", l, times, want, key)
			}
		}
	}
	return nil
}

// linearisations returns the number of total orders that extend so ∪ wr.
func linearisations(g *reference.Relations) int {
	n := 0
	g.Orders(func(_ []int, _ int, complete bool) bool {
		if complete {
			n++
		}
		return !complete
	})
	return n
}
