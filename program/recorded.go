package program

import (
	"cmp"
	"slices"
)

// What the sessions have been seen to do, as data. The numbers of nodes, variables and
// values of a Client follow from the order in which its sessions were run, as client
// code is deterministic. So a process that runs them in the same order again gets the
// same numbers.

// Recording is one run of a session from an answer to its next wait or its end.
type Recording struct {
	Session int   `json:"s"`
	After   int64 `json:"a"` // the ID of the node that got the answer; -1 at the session's beginning
	// Answer is the answer that the node got.
	Answer ValueID `json:"v,omitempty"`
	ID     int64   `json:"i"` // of the first node after it
}

// Recordings lists what was recorded, in the order in which it was. Call it when no
// exploration runs, or when all its workers rest.
func (c *Client) Recordings() []Recording {
	var list []Recording
	var walk func(n *Node, r Recording)
	walk = func(n *Node, r Recording) {
		r.ID = n.ID
		list = append(list, r)
		for n != nil && !n.Waits {
			n = n.next
		}
		if n == nil {
			return
		}
		if kids := n.kids.Load(); kids != nil {
			for _, k := range *kids {
				walk(k.node, Recording{Session: r.Session, After: n.ID, Answer: k.val})
			}
		}
	}
	for i := range c.trees {
		if root := c.trees[i].root; root != nil {
			walk(root, Recording{Session: i, After: -1})
		}
	}
	slices.SortFunc(list, func(a, b Recording) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// Record makes the recordings again, of the same program in another process. It
// reports whether they got the same numbers. The error is the program's.
func (c *Client) Record(list []Recording) (same bool, err error) {
	nodes := map[int64]*Node{}
	for _, r := range list {
		n, err := c.recordAgain(r, nodes)
		if err != nil || n == nil || n.ID != r.ID {
			return false, err
		}
		for ; n != nil; n = n.next {
			nodes[n.ID] = n
		}
	}
	return true, nil
}

// recordAgain runs the session on; nil where it does not stand there, or the answer is
// none.
func (c *Client) recordAgain(r Recording, nodes map[int64]*Node) (*Node, error) {
	if r.After < 0 {
		if r.Session < 0 || r.Session >= len(c.trees) {
			return nil, nil
		}
		return c.Root(r.Session)
	}
	n := nodes[r.After]
	if n == nil || int(n.Session) != r.Session || !n.takes(r.Answer) || int(r.Answer) >= c.values.len() {
		return nil, nil
	}
	return c.Child(n, r.Answer)
}

// takes reports whether an answer is one that the session can go on with.
func (n *Node) takes(answer ValueID) bool {
	switch {
	case !n.Waits:
		return false
	case n.Kind == Ask:
		return false // its answers are values that no session has made
	case answer == Done:
		return n.Kind != Read && n.Kind != Find
	case answer == NoRow:
		return n.Kind == Read || n.Kind == Find || n.Kind == Change || n.Kind == Set
	}
	return answer >= 0 || ErrorOf(answer) != nil
}
