package work

import "github.com/txmc/txmc/program/behaviour"

// NodeLimit counts the nodes that a bounded exploration goes through.
type NodeLimit struct {
	most  int
	nodes map[*behaviour.Node]struct{}
	pool  *Pool
}

// LimitNodes stops a pool at so many nodes.
func (p *Pool) LimitNodes(most int) *NodeLimit {
	return &NodeLimit{most: most, nodes: map[*behaviour.Node]struct{}{}, pool: p}
}

// Count stops the exploration at the node that is one too many.
func (l *NodeLimit) Count(n *behaviour.Node) error {
	l.nodes[n] = struct{}{}
	if len(l.nodes) <= l.most {
		return nil
	}
	l.pool.Stop(ByBound)
	return ErrStopped
}
