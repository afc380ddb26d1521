package program

import (
	"fmt"
	"sync"

	"github.com/txmc/txmc/program/behaviour"
)

// Copies holds sessions against each other that are said to be copies: after the same
// answers they do the same, with the same keys and values. It looks at what sessions have
// been seen to do, node by node. For each node that is reached it runs all sessions of the
// set along the same answers. docs/symmetry.md says what follows from that.
//
// The nodes that sessions of a set reach by the same answers are a class. Its number is the
// ID of the node of the set's first session.
//
// Its methods may be called from several goroutines.
type Copies struct {
	client *Client
	number uint64
	seats  []seat // by session

	exchanges [][2]int // neighbours in a set

	mu      sync.Mutex
	classes map[int64][]*behaviour.Node // by number: the nodes, by place in the set
}

// seat is where a session is: a set, and a place in it. The set is nil for a session that
// is in none.
type seat struct {
	set []int
	at  int
}

// classBits are the bits of Node.Class that have the number of the class. The others
// have the number of the Copies.
const classBits = 40

// NewCopies returns the copies of the sets of sessions, which have no session in common.
// Nothing is known of them yet.
func (c *Client) NewCopies(sets [][]int) *Copies {
	y := &Copies{client: c, number: c.copies.Add(1), seats: make([]seat, c.Sessions()), classes: map[int64][]*behaviour.Node{}}
	for _, set := range sets {
		for i, s := range set {
			y.seats[s] = seat{set, i}
			if i > 0 {
				y.exchanges = append(y.exchanges, [2]int{set[i-1], s})
			}
		}
	}
	return y
}

// Class returns the number of the node's class, which must have been looked at; false of
// a session that is in no set.
func (y *Copies) Class(n *behaviour.Node) (class int64, ok bool) {
	if y.seats[n.Session].set == nil {
		return 0, false
	}
	return classNumber(n), true
}

func classNumber(n *behaviour.Node) int64 { return int64(n.Class.Load() & (1<<classBits - 1)) }

// Look looks at a node that has been reached, and at those before it. The error is a
// [*Difference] when a session of its set does not do the same, or that of the client.
func (y *Copies) Look(n *behaviour.Node) error {
	if y.seats[n.Session].set == nil || y.looked(n) {
		return nil
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.look(n)
}

// looked reports whether the node has its class.
func (y *Copies) looked(n *behaviour.Node) bool { return n.Class.Load()>>classBits == y.number }

func (y *Copies) look(n *behaviour.Node) error {
	if y.looked(n) {
		return nil
	}
	var before []*behaviour.Node
	if n.Before() != nil {
		if err := y.look(n.Before()); err != nil {
			return err
		}
		before = y.nodes(n.Before())
	}
	set := y.seats[n.Session].set
	class := make([]*behaviour.Node, len(set))
	for i, s := range set {
		var err error
		switch {
		case before == nil:
			class[i], err = y.client.Root(s)
		case n.Before().Waits:
			class[i], err = y.client.Child(before[i], n.Value())
		default:
			class[i] = before[i].Next()
		}
		if err != nil {
			return err
		}
	}
	for i := range set[1:] {
		if err := y.compare(class[i], class[i+1]); err != nil {
			return err
		}
	}
	y.add(class)
	return nil
}

// add makes nodes a class.
func (y *Copies) add(class []*behaviour.Node) {
	number := class[0].ID
	y.classes[number] = class
	for _, n := range class {
		n.Class.Store(y.number<<classBits | uint64(number))
	}
}

// nodes are those of the class of a node, by place in the set.
func (y *Copies) nodes(n *behaviour.Node) []*behaviour.Node { return y.classes[classNumber(n)] }

// compare returns how two nodes of neighbours differ that are to be of one class.
func (y *Copies) compare(n, m *behaviour.Node) error {
	i := 0
	for i < min(len(n.Events), len(m.Events)) && n.Events[i].Same(m.Events[i]) {
		i++
	}
	if i == len(n.Events) && i == len(m.Events) && n.Same(m) && n.Txn == m.Txn && len(n.Failures) == len(m.Failures) {
		return nil
	}
	c := y.client
	own, at := c.step(n, i, false)
	other, _ := c.step(m, i, false)
	if own == other {
		other += ", but with something else"
	}
	return y.differ(n, m, own, at, other)
}

// differ says what two sessions come to at two nodes of a class.
func (y *Copies) differ(n, m *behaviour.Node, own string, at behaviour.Loc, other string) error {
	c := y.client
	line := ""
	if l := c.Location(at); l.File != "" {
		line = " at " + behaviour.LineOf(l)
	}
	a, b := int(n.Session), int(m.Session)
	return &Difference{a, b, fmt.Sprintf("%s comes to %s%s, where %s comes to %s", c.SessionName(a), own, line, c.SessionName(b), other)}
}

// Evaluate is [Client.Evaluate]. The error is a [*Difference] when another session of the
// set makes something else of the row.
func (y *Copies) Evaluate(n *behaviour.Node, x behaviour.VarID, v behaviour.ValueID) (behaviour.Verdict, error) {
	verdict, err := y.client.Evaluate(n, x, v)
	if err != nil || y.seats[n.Session].set == nil {
		return verdict, err
	}
	if err := y.Look(n); err != nil {
		return behaviour.Verdict{}, err
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	var before *behaviour.Node
	var first behaviour.Verdict
	for _, m := range y.nodes(n) {
		other, err := y.client.Evaluate(m, x, v)
		if err != nil {
			return behaviour.Verdict{}, err
		}
		if before != nil && !other.Same(first) {
			row := " of " + y.client.Key(x)
			return behaviour.Verdict{}, y.differ(before, m, y.client.stop(before)+row, before.Loc, y.client.stop(m)+row+", but makes something else of it")
		}
		before, first = m, other
	}
	return verdict, nil
}

// Exchanges is the number of exchanges: those of neighbours in a set.
func (y *Copies) Exchanges() int { return len(y.exchanges) }

// Sessions are those that exchange i exchanges.
func (y *Copies) Sessions(i int) (a, b int) { return y.exchanges[i][0], y.exchanges[i][1] }

// Mirror adds to images the ends of the execution in which exchange i exchanges the
// sessions. The ends must have been looked at.
func (y *Copies) Mirror(i int, ends, images []*behaviour.Node) ([]*behaviour.Node, error) {
	a, b := y.Sessions(i)
	at := len(images)
	images = append(images, ends...)
	y.mu.Lock()
	defer y.mu.Unlock()
	images[at+a] = y.nodes(ends[b])[y.seats[a].at]
	images[at+b] = y.nodes(ends[a])[y.seats[b].at]
	return images, nil
}

// All are the nodes of the class of a node that was looked at: what each session of the
// set does there.
func (y *Copies) All(n *behaviour.Node) []*behaviour.Node {
	if y.seats[n.Session].set == nil {
		return []*behaviour.Node{n}
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.nodes(n)
}

// Differs is the difference that the invariants see between two outcomes: one, and the one in
// which the sessions of exchange i have changed places.
func (y *Copies) Differs(i int, invariant string) error {
	a, b := y.Sessions(i)
	return y.client.toldApart(a, b, invariant)
}

// toldApart says that an invariant fails for one outcome and not for its image.
func (c *Client) toldApart(a, b int, invariant string) error {
	return &Difference{a, b, fmt.Sprintf("invariant %q tells %s and %s apart", invariant, c.SessionName(a), c.SessionName(b))}
}
