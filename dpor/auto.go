package dpor

import (
	"fmt"
	"github.com/txmc/txmc/dpor/serial"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"math/rand/v2"
)

// The serial engine is preferred. Its tree is small when the level forbids much of what CC
// allows. Else its tree is not much larger than the other. Swap is taken only for a tree that
// is likely to be a good deal smaller. Estimates are rough: therefore the factor is large. At
// SI and SER it is larger still, for two reasons. No program is known whose tree is much
// larger with serial there. And samples miss most of the tree of swap, which has all
// histories of CC.
const (
	farLarger  = 4
	farthest   = 64 // at SI and SER
	samples    = 8
	sampleSize = 4 // of the cohorts
)

// decideEngine decides between serial and swap by the sizes of their trees, and
// says why.
func decideEngine(m *swap.Moves, p *serial.Exploration, halted func() bool) (choice Engine, why string, err error) {
	steps, err := meanSteps(serial.NewTree(m, p, serial.NoAblation), samples, sampleSize, halted)
	if err != nil {
		return "", "", err
	}
	swaps, err := meanSteps(swap.NewTree(m), samples, sampleSize, halted)
	if err != nil {
		return "", "", err
	}
	choice = Serial
	factor := float64(farLarger)
	if m.Exclusive {
		factor = farthest
	}
	if steps > factor*swaps {
		choice = Swap
	}
	return choice, fmt.Sprintf("about %.2g steps by serial, %.2g by swap", steps, swaps), nil
}

// meanSteps returns the mean number of steps of a tree by samples of cohorts of at
// most so many.
func meanSteps(t work.Tree, number, most int, halted func() bool) (float64, error) {
	g := work.NewSampler(t, rand.New(rand.NewPCG(3, 4)), halted)
	sum := 0.0
	for range number {
		_, steps, err := g.Sample(most)
		if err != nil {
			return 0, err
		}
		sum += steps
	}
	return sum / float64(number), nil
}
