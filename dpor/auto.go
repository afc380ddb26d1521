package dpor

import (
	"fmt"
	"math/rand/v2"
)

// The second engine is preferred: its tree is small when the level forbids much
// of what CC allows, and not much larger than the other where it does not. It is
// left only for a tree that is likely to be a good deal smaller. Estimates are
// rough, so that the factor is large.
const (
	smallTree   = 50_000 // steps that are done sooner than two estimates
	farLarger   = 4
	fewSamples  = 8
	fewSize     = 2 // of the cohorts
	moreSamples = 8
	moreSize    = 4
)

// decideEngine chooses the engine of the exploration and says why.
func (e *engine) decideEngine() (choice Engine, why string, err error) {
	first := &engine{prog: e.prog, opts: e.opts, base: e.base, share: e.share, serially: true, passing: e.passing, filtered: true}
	steps, err := first.estimate(fewSamples, fewSize)
	if err != nil {
		return "", "", err
	}
	if steps < smallTree {
		return Serial, fmt.Sprintf("about %.2g steps, too few to compare", steps), nil
	}
	if steps, err = first.estimate(moreSamples, moreSize); err != nil {
		return "", "", err
	}
	// The tree of the base alone: nothing is filtered in it.
	other := &engine{prog: e.prog, opts: e.opts, base: e.base, share: e.share}
	swaps, err := other.estimate(moreSamples, moreSize)
	if err != nil {
		return "", "", err
	}
	choice = Serial
	if steps > farLarger*swaps {
		choice = Swap
	}
	return choice, fmt.Sprintf("about %.2g steps by serial, %.2g by swap", steps, swaps), nil
}

// estimate returns the mean number of steps that samples of cohorts of at most
// so many tell.
func (e *engine) estimate(samples, most int) (float64, error) {
	g := newSampler(e, rand.New(rand.NewPCG(3, 4)))
	sum := 0.0
	for range samples {
		_, steps, err := g.sample(most)
		if err != nil {
			return 0, err
		}
		sum += steps
	}
	return sum / float64(samples), nil
}
