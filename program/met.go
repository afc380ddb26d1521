package program

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// What a symmetry knows follows from the nodes that it has looked at. So these are what
// another process needs to know as much. They are named without a number of a node, a
// variable or a value: an answer is named by who has written it.

// Met is a node that an answer leads to, or the first of a session, and those that follow it
// without an answer. Positions count all of these nodes, in the order of a list.
type Met struct {
	Session int `json:"s"`
	After   int `json:"a"` // position of the node that got the answer; -1: the first of a session
	Writer  int `json:"w"` // position of the commit that wrote the answer; -1: nobody, it is initial
}

// Met lists the nodes that were looked at, each after those that it needs. It reports false
// when some are not there any more, as the client has cut them off. Call it when no
// exploration runs, or when all its workers rest.
func (y *Symmetry) Met() (list []Met, whole bool) {
	if y.client.Evictions() != y.begun {
		return nil, false
	}
	l := metList{y: y, at: map[*behaviour.Node]int{}, writers: map[behaviour.VarID]map[behaviour.ValueID]int{}}
	open := y.first()
	for len(open) > 0 {
		var later []*behaviour.Node
		for _, n := range open {
			m, ready := l.describe(n)
			if !ready {
				later = append(later, n)
				continue
			}
			list = append(list, m)
			l.add(n)
		}
		if len(later) == len(open) {
			return nil, false
		}
		open = later
	}
	return list, true
}

// first are the nodes that were looked at, in the order in which they were recorded. Nodes
// that follow a node without an answer are left out.
func (y *Symmetry) first() (list []*behaviour.Node) {
	var walk func(n *behaviour.Node)
	walk = func(n *behaviour.Node) {
		if n.Mirrored.Load() != y.number {
			return
		}
		list = append(list, n)
		for n != nil && !n.Waits {
			n = n.Next()
		}
		if n == nil {
			return
		}
		for _, m := range n.Answered() {
			walk(m)
		}
	}
	for i := range y.client.trees {
		if root := y.client.trees[i].root; root != nil {
			walk(root)
		}
	}
	slices.SortFunc(list, func(a, b *behaviour.Node) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// metList is a list in the making.
type metList struct {
	y       *Symmetry
	at      map[*behaviour.Node]int
	writers map[behaviour.VarID]map[behaviour.ValueID]int // positions of commits
}

// describe makes data of a node, if what it needs is in the list.
func (l *metList) describe(n *behaviour.Node) (m Met, ready bool) {
	m = Met{Session: int(n.Session), After: -1, Writer: -1}
	before := n.Before()
	if before == nil {
		return m, true
	}
	if m.After, ready = l.at[before]; !ready {
		return m, false
	}
	if n.Value() != l.y.client.Initial(before.Var) {
		m.Writer, ready = l.writers[before.Var][n.Value()]
	}
	return m, ready
}

// add adds a node and those that follow it without an answer.
func (l *metList) add(n *behaviour.Node) {
	for ; n != nil; n = n.Next() {
		at := len(l.at)
		l.at[n] = at
		for _, w := range n.Writes {
			if n.Kind != behaviour.Commit {
				break
			}
			if l.writers[w.Var] == nil {
				l.writers[w.Var] = map[behaviour.ValueID]int{}
			}
			if _, known := l.writers[w.Var][w.Val]; !known {
				l.writers[w.Var][w.Val] = at
			}
		}
		if n.Waits {
			return
		}
	}
}

// Meet looks at the nodes of a list, which another process has made of the same program. An
// error is the client's, a [*Difference], or that it does not have such a node.
func (y *Symmetry) Meet(list []Met) error {
	var nodes []*behaviour.Node
	for _, m := range list {
		n, err := y.meet(m, nodes)
		if err != nil {
			return err
		}
		if err := y.Holds(n); err != nil {
			return err
		}
		for ; n != nil; n = n.Next() {
			nodes = append(nodes, n)
			if n.Waits {
				break
			}
		}
	}
	return nil
}

// meet runs a session to a node.
func (y *Symmetry) meet(m Met, nodes []*behaviour.Node) (*behaviour.Node, error) {
	c := y.client
	if m.After < 0 {
		if m.Session < 0 || m.Session >= c.Sessions() {
			return nil, &NotMet{m}
		}
		return c.Root(m.Session)
	}
	if m.After >= len(nodes) || m.Writer >= len(nodes) {
		return nil, &NotMet{m}
	}
	before := nodes[m.After]
	if before.Kind != behaviour.Read || !before.Waits || int(before.Session) != m.Session {
		return nil, &NotMet{m}
	}
	v := c.Initial(before.Var)
	if m.Writer >= 0 {
		writer := nodes[m.Writer]
		var written bool
		if v, written = writer.Written(before.Var); !written || writer.Kind != behaviour.Commit {
			return nil, &NotMet{m}
		}
	}
	return c.Child(before, v)
}

// NotMet says that a program does not have a node that it should have.
type NotMet struct{ Met Met }

// Error says what was not met.
func (e *NotMet) Error() string {
	return fmt.Sprintf("no session does what session %d is said to do after node %d", e.Met.Session, e.Met.After)
}
