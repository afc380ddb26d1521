package program

import "github.com/txmc/txmc/program/behaviour"

// grow counts the nodes that a run has recorded from n on. When the trees together
// become larger than Options.MaxTreeBytes the largest is cut down to its root. Nodes
// that are needed again are recorded again, by running the session along the path. So
// every count stays the same. Nodes that an exploration stands on stay usable; they
// know their path.
func (c *Client) grow(n *behaviour.Node) {
	t := &c.trees[n.Session]
	for ; n != nil; n = n.Next() {
		t.bytes += n.Size()
	}
	var sum int64
	largest := t
	for i := range c.trees {
		sum += c.trees[i].bytes
		if c.trees[i].bytes > largest.bytes {
			largest = &c.trees[i]
		}
	}
	if sum <= c.opts.MaxTreeBytes || c.opts.Database { // there a node stands for what led to it
		return
	}
	for n := largest.root; n != nil; n = n.Next() {
		n.Cut()
	}
	largest.bytes = 0
	largest.ends, c.judged = nil, nil // they hold on to what was cut off
	c.evictions.Add(1)
}

// Evictions returns how often a tree was cut down to its root.
func (c *Client) Evictions() int { return int(c.evictions.Load()) }
