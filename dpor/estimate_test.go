package dpor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// counters is sessions of txns increments of the same variable.
func counters(sessions, txns int) func(*program.Program) {
	return func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for range txns {
					s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
				}
			})
		}
	}
}

// explored explores counters to the end, and returns the tree for estimates.
func explored(t *testing.T, sessions, txns int, opts Options) (Stats, work.Tree) {
	client, err := program.NewClient("ExploreTest", counters(sessions, txns), program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts.All, opts.Workers = true, 1
	x := Explore(context.Background(), client, opts)
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(client.Park)
	return x.Stats(), x.pool.Workers[0].Algorithm.Tree()
}

func never() bool { return false }

// TestEstimate: the size of these trees is known by counting. Whatever the seed, the
// estimate is near the size, and the size is within the range that goes with the
// estimate, but for a few.
func TestEstimate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sessions, txns int
		opts           Options
		samples        int
		off            float64 // how far an estimate may be off on average, as a share
	}{
		{2, 3, Options{Level: isolation.RC, Base: isolation.RC}, 12, 0.4},
		{3, 2, Options{Level: isolation.RC, Base: isolation.RC}, 16, 0.3},
		{3, 2, Options{Level: isolation.CC, Base: isolation.CC}, 8, 0.3},
		{3, 2, Options{Level: isolation.CC, Base: isolation.CC}, 16, 0.1},
		{3, 2, Options{Level: isolation.SI, Base: isolation.CC}, 16, 0.1},
		{4, 2, Options{Level: isolation.CC, Base: isolation.CC}, 24, 0.3},
		{4, 2, Options{Level: isolation.SI, Base: isolation.CC, Engine: Serial}, 12, 0.25},
		{3, 3, Options{Level: isolation.SER, Base: isolation.CC, Engine: Serial}, 12, 0.25},
		{3, 2, Options{Level: isolation.PC, Base: isolation.CC, Engine: Serial}, 12, 0.15},
	} {
		if c.sessions == 4 && !deadlinetest.Full() {
			continue // to count these takes longer than all else
		}
		name := fmt.Sprintf("%d × %d %s %s, %d samples", c.sessions, c.txns, c.opts.Level, c.opts.Engine, c.samples)
		stats, tr := explored(t, c.sessions, c.txns, c.opts)
		size := float64(stats.Explored)
		const seeds = 10
		inside, squares := 0, 0.0
		for seed := range uint64(seeds) {
			g := work.NewEstimator(tr, rand.New(rand.NewPCG(seed, 1)), never)
			for range c.samples {
				if err := g.More(); err != nil {
					t.Fatal(err)
				}
			}
			now := g.Estimate()
			off := now.Calls/size - 1
			squares += off * off
			const rounding = 1e-9
			if least, most := now.Range(); least <= size*(1+rounding) && size <= most*(1+rounding) {
				inside++
			}
		}
		off := math.Sqrt(squares / seeds)
		t.Logf("%s: %.0f calls, off by %.1f%%, %d of %d in the range", name, size, 100*off, inside, seeds)
		if off > c.off {
			t.Errorf("%s: off by %.1f%% on average, want at most %.0f%%", name, 100*off, 100*c.off)
		}
		if inside < seeds*8/10 {
			t.Errorf("%s: %d of %d in the range", name, inside, seeds)
		}
	}
}

// A cohort that has room for all counts them.
func TestEstimateAll(t *testing.T) {
	t.Parallel()
	for _, opts := range []Options{{Level: isolation.CC, Base: isolation.CC}, {Level: isolation.SER, Engine: Serial}} {
		stats, tr := explored(t, 3, 2, opts)
		g := work.NewSampler(tr, rand.New(rand.NewPCG(1, 2)), never)
		calls, steps, err := g.Sample(1 << 20)
		if err != nil || calls != float64(stats.Explored) {
			t.Errorf("%s: %v calls counted, %d made, %v", opts.Level, calls, stats.Explored, err)
		}
		// A call of explore makes one step unless the history is complete.
		if want := float64(stats.Explored - stats.EndStates); opts.Engine != Serial && steps != want {
			t.Errorf("%s: %v steps, want %v", opts.Level, steps, want)
		}
	}
}

// An estimate that is too low never says that all is done.
func TestEstimateTooLow(t *testing.T) {
	share, least, most := work.Estimate{Calls: 10, Error: 100, Samples: work.FewSamples}.Share(1000)
	if share >= 1 || most >= 1 || least > share {
		t.Error(share, least, most)
	}
	if share, least, most = (work.Estimate{}).Share(5); share != 0 || least != 0 || most != 1 {
		t.Error(share, least, most)
	}
	share, least, most = work.Estimate{Calls: 1000, Error: 100, Samples: 16}.Share(500)
	if share != 0.5 || least >= 0.5 || most <= 0.5 {
		t.Error(share, least, most)
	}
}

// While workers explore, the size is estimated beside them, and the end of the
// exploration is the end of that.
func TestEstimateBeside(t *testing.T) {
	t.Parallel()
	for _, opts := range []Options{{Level: isolation.CC, Base: isolation.CC}, {Level: isolation.SER, Base: isolation.CC, Engine: Serial}} {
		client, err := program.NewClient("ExploreTest", counters(4, 4), program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		opts.List, opts.All, opts.Workers, opts.Estimate = true, true, 2, true
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		x := Explore(ctx, client, opts)
		for _, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			if x.Stats().Estimate.Samples > 1 {
				break
			}
			time.Sleep(time.Millisecond) // the workers wait, and the estimate does not
		}
		if s := x.Stats(); s.Complete || s.Estimate.Calls <= float64(s.Explored) {
			t.Errorf("%s: %+v after %d calls, complete: %v", opts.Level, s.Estimate, s.Explored, s.Complete)
		}
	}
}

// The mean of the steps that auto looks at is that of the serial engine as well.
func TestMeanSteps(t *testing.T) {
	t.Parallel()
	stats, tr := explored(t, 3, 3, Options{Level: isolation.SER, Engine: Serial})
	exact, err := func() (float64, error) {
		_, steps, err := work.NewSampler(tr, rand.New(rand.NewPCG(1, 2)), never).Sample(1 << 20)
		return steps, err
	}()
	if err != nil {
		t.Fatal(err)
	}
	// Each call but the first ends a transaction of two steps; more are in vain.
	if least := 2 * float64(stats.Explored-1); exact < least {
		t.Errorf("%.0f steps, at least %.0f are made", exact, least)
	}
	got, err := meanSteps(tr, 400, 16, never)
	if err != nil || math.Abs(got/exact-1) > 0.05 {
		t.Errorf("%.0f steps estimated, %.0f made, %v", got, exact, err)
	}
}
