package dpor

import (
	"context"
	"math/rand/v2"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program"
)

// The size of an exploration is estimated while it runs, or instead of it.

// estimate estimates the size of t until over is closed.
func (x *Exploration) estimate(t work.Tree, over <-chan struct{}) {
	work.NewEstimator(t, rand.New(rand.NewPCG(5, 6)), x.pool.Halted).Until(over, func(now work.Estimate) {
		x.mu.Lock()
		x.stats.Estimate = now
		x.mu.Unlock()
	})
}

// beginEstimate starts estimate for the first pass, and endEstimate ends it.
func (x *Exploration) beginEstimate() {
	if !x.opts.Estimate || x.estimated {
		return
	}
	t := x.pool.Workers[0].Algorithm.Tree()
	if t == nil {
		return
	}
	x.estimated = true
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		x.estimate(t, over)
	}()
	x.estimates = func() {
		close(over)
		<-done
	}
}

func (x *Exploration) endEstimate() {
	if x.estimates != nil {
		x.estimates()
		x.estimates = nil
	}
}

// Size estimates how large the exploration is, without exploring it, until ctx ends:
// [Stats.Estimate] says so. An Exploration does that, or is ranged over. An error of the
// program ends it; exploring meets the same error.
func (x *Exploration) Size(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { x.pool.Stop(work.ByInterrupt) })
	defer stop()
	x.sizing = true
	if x.ready() != nil || x.pool.Halted() {
		return
	}
	if t := x.pool.Workers[0].Algorithm.Tree(); t != nil {
		x.pool.Run(1, func(int) error { x.estimate(t, ctx.Done()); return nil })
	}
}

// Measure estimates the number of calls of explore of an exploration from so many
// samples, without making it. The estimate is empty for what is not estimated: DFS, the
// engine States, and programs that grow.
func Measure(ctx context.Context, prog *program.Client, opts Options, samples int) (work.Estimate, error) {
	opts.Workers, opts.Checkpoint, opts.Resume, opts.Part = 1, nil, nil, nil
	x := Explore(ctx, prog, opts)
	x.sizing = true
	if prog.Grows() || x.opts.DFS || x.opts.Engine == States {
		return work.Estimate{}, nil
	}
	if x.opts.Engine == Swap {
		x.assign(Swap)
	} else if err := x.prepare(x.opts.Engine); err != nil {
		return work.Estimate{}, err
	}
	g := work.NewEstimator(x.pool.Workers[0].Algorithm.Tree(), rand.New(rand.NewPCG(5, 6)), func() bool { return ctx.Err() != nil })
	for range samples {
		if err := g.More(); err != nil {
			return work.Estimate{}, err
		}
	}
	return g.Estimate(), nil
}
