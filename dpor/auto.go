package dpor

import (
	"fmt"
	"math/rand/v2"
)

// The serial engine is preferred: its tree is small when the level forbids much
// of what CC allows, and not much larger than the other where it does not. Swap is
// taken only for a tree that is likely to be a good deal smaller. Estimates are
// rough: therefore the factor is large.
const (
	smallTree   = 50_000 // steps that are done sooner than two estimates
	farLarger   = 4
	fewSamples  = 8
	fewSize     = 2 // of the cohorts
	moreSamples = 8
	moreSize    = 4
)

// decideEngine decides between serial and swap by the sizes of their trees, and
// says why.
func decideEngine(m *moves, p *passes, halted func() bool) (choice Engine, why string, err error) {
	serially := newSerialTree(m, p, noAblation)
	steps, err := meanSteps(serially, fewSamples, fewSize, halted)
	if err != nil {
		return "", "", err
	}
	if steps < smallTree {
		return Serial, fmt.Sprintf("about %.2g steps, too few to compare", steps), nil
	}
	if steps, err = meanSteps(serially, moreSamples, moreSize, halted); err != nil {
		return "", "", err
	}
	swaps, err := meanSteps(newSwapTree(m), moreSamples, moreSize, halted)
	if err != nil {
		return "", "", err
	}
	choice = Serial
	if steps > farLarger*swaps {
		choice = Swap
	}
	return choice, fmt.Sprintf("about %.2g steps by serial, %.2g by swap", steps, swaps), nil
}

// meanSteps returns the mean number of steps of a tree by samples of cohorts of at
// most so many.
func meanSteps(t tree, samples, most int, halted func() bool) (float64, error) {
	g := newSampler(t, rand.New(rand.NewPCG(3, 4)), halted)
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
