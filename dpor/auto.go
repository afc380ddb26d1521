package dpor

import "fmt"

// The second engine is preferred: its tree is small when the level forbids much
// of what CC allows, and not much larger than the other where it does not. It is
// left only for a tree that is likely to be a good deal smaller. Estimates are
// rough, so that the factor is large.
const (
	smallTree = 50_000 // steps that are done sooner than two estimates
	farLarger = 4
	fewPaths  = 8
	morePaths = 32
)

// decideEngine chooses the engine of the exploration and says why.
func (e *engine) decideEngine() (choice Engine, why string, err error) {
	steps, err := e.estimate(fewPaths, (*estimator).serial)
	if err != nil {
		return "", "", err
	}
	if steps < smallTree {
		return Serial, fmt.Sprintf("about %.2g steps, too few to compare", steps), nil
	}
	if steps, err = e.estimate(morePaths, (*estimator).serial); err != nil {
		return "", "", err
	}
	// The tree of the base alone: nothing is filtered in it.
	other := &engine{prog: e.prog, opts: e.opts, base: e.base, share: e.share}
	swaps, err := other.estimate(morePaths, (*estimator).swap)
	if err != nil {
		return "", "", err
	}
	choice = Serial
	if steps > farLarger*swaps {
		choice = Swap
	}
	return choice, fmt.Sprintf("about %.2g steps by serial, %.2g by swap", steps, swaps), nil
}
