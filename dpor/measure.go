package dpor

import (
	"context"
	"math/rand/v2"

	"github.com/txmc/txmc/program"
)

// Measure estimates the number of calls of explore of an exploration from so many
// samples, without making it. The estimate is empty for what is not estimated: DFS, the
// engine States, and programs that grow.
func Measure(ctx context.Context, prog *program.Client, opts Options, samples int) (Estimate, error) {
	opts.Workers, opts.Checkpoint, opts.Resume, opts.Part = 1, nil, nil, nil
	x := Explore(ctx, prog, opts)
	x.sizing = true
	if prog.Grows() || x.opts.DFS || x.opts.Engine == States {
		return Estimate{}, nil
	}
	if x.opts.Engine == Swap {
		x.assign(Swap)
	} else if err := x.prepare(x.opts.Engine); err != nil {
		return Estimate{}, err
	}
	g := newEstimator(x.workers[0].algorithm.tree(), rand.New(rand.NewPCG(5, 6)), func() bool { return ctx.Err() != nil })
	for range samples {
		if err := g.more(); err != nil {
			return Estimate{}, err
		}
	}
	return g.estimate(), nil
}
