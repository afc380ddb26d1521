package check

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// asked counts how often somebody asks whether it has ended.
type asked struct {
	context.Context
	times int
}

func (a *asked) Err() error {
	a.times++
	return nil
}

// All that may take long looks now and then whether it is to end, and does.
func TestPoller(t *testing.T) {
	t.Parallel()
	f := randomRun(rand.New(rand.NewPCG(1, 51)), isolation.SER, 20, 4000, 300, 0)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	order, _ := newPreds(f, nil).sort()
	w := f.writers()
	forced := func(ctx context.Context) []edge {
		b := &band{f: f, w: w, clock: f.clock(order), width: 20, window: 2, row: make([]int32, f.n*20), floor: make([]int32, f.n),
			poller: poller{ctx: ctx}}
		return b.run(1, f.chains(), order)
	}
	if len(forced(t.Context())) == 0 || forced(over) != nil {
		t.Error("causal consistency does not end, or forces nothing")
	}
	simulate := func(ctx context.Context) bool { return newDigraph(f, f.readers(), false).simulate(ctx, isolation.SER) }
	if !simulate(t.Context()) || simulate(over) {
		t.Error("the first order does not end, or is none")
	}
	c, err := f.causally(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	o, a := f.newOrdering(t.Context(), isolation.SER, c.w, c.forced, c.order), &asked{Context: t.Context()}
	if ok, err := o.s.solve(a); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if a.times < 3 {
		t.Errorf("a search among %d transactions asks %d times", f.n, a.times)
	}
	s, steps := newSprings(f), &asked{Context: t.Context()}
	if s.settle(steps, 10); steps.times < 3 {
		t.Errorf("an estimate asks %d times in 10 steps", steps.times)
	}
	if _, _, _, err := f.order(over, isolation.SER, c.w, c.forced, c.order); err == nil {
		t.Error("the search does not end")
	}
}
