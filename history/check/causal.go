package check

import "context"

// causal is what causal consistency forces. The levels from CC on need it, and find
// it once for all, whichever comes first.
type causal struct {
	turn   chan struct{} // who finds it
	found  bool
	w      *writers
	forced []edge
	order  []int32 // extends so ∪ wr ∪ forced, nil when there is a cycle
	cycle  []int32
}

func newCausal() *causal { return &causal{turn: make(chan struct{}, 1)} }

// causally returns what causal consistency forces. order extends so ∪ wr.
func (f *form) causally(ctx context.Context, order []int32) (*causal, error) {
	c := f.causal
	if c == nil {
		c = newCausal()
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.found {
		return c, nil
	}
	w := f.writers()
	forced, err := f.forceCC(ctx, order, w)
	if err != nil {
		return nil, err
	}
	c.w, c.forced, c.found = w, append(forced, f.versionEdges()...), true
	c.order, c.cycle = newPreds(f, c.forced).sort()
	return c, nil
}
