package dpor

import "github.com/txmc/txmc/program"

// Bound limits an exploration by its work, which is the same in every run, however
// fast the machine is. A bounded exploration has one worker.
type Bound struct {
	// Calls of explore, up to the next multiple of publishEvery; 0 means no limit.
	Calls int64
	// Nodes of behaviour trees that the exploration goes through, each counted once:
	// whether they were recorded before or client code runs for them.
	Nodes int
}

// reach counts the nodes that a bounded exploration goes through.
type reach struct {
	most  int
	nodes map[*program.Node]struct{}
	share *share
}

// newReach returns nil, which counts nothing, without a bound.
func newReach(b *Bound, s *share) *reach {
	if b == nil {
		return nil
	}
	return &reach{most: b.Nodes, nodes: map[*program.Node]struct{}{}, share: s}
}

// visit stops the exploration at the node that is one too many.
func (r *reach) visit(n *program.Node) error {
	r.nodes[n] = struct{}{}
	if len(r.nodes) <= r.most {
		return nil
	}
	r.share.stop(ByBound)
	return errStopped
}
