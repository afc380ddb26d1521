package program

import (
	"fmt"
	"sync"

	"github.com/txmc/txmc/program/behaviour"
)

// Symmetry holds sessions against each other that are said to be alike. To exchange two
// of them, with a renaming of keys and values, leaves the program as it is. It looks at
// what sessions have been seen to do, node by node. docs/symmetry.md says what follows
// from that.
//
// The exchanges are those of neighbours in a set of sessions: together they make all
// permutations of the set. Each exchange has a renaming of its own, found on the way.
// One session accesses a key at a node, and the other session accesses a key at the
// node that mirrors it. Then the first key is renamed to the second. Values that they
// write are renamed in the same way.
//
// Its methods may be called from several goroutines.
type Symmetry struct {
	client *Client
	number int32
	begun  int // evictions before

	mu        sync.Mutex
	exchanges []*exchange
	evictions int // when the nodes of exchanges were noted
}

// exchange is a permutation of two sessions, and its renaming. Values are renamed by
// variable: no value of one variable is compared with that of another.
type exchange struct {
	a, b   int
	vars   bijection[behaviour.VarID]
	values map[behaviour.VarID]*bijection[behaviour.ValueID]
	nodes  map[*behaviour.Node]*behaviour.Node
}

// bijection is a renaming as far as it is known: a function that has an inverse.
type bijection[T comparable] struct{ to, from map[T]T }

// bind adds that a is renamed to b; false when that contradicts what is known.
func (f *bijection[T]) bind(a, b T) (fresh, ok bool) {
	if f.to == nil {
		f.to, f.from = map[T]T{}, map[T]T{}
	}
	to, named := f.to[a]
	from, taken := f.from[b]
	if named || taken {
		return false, named && taken && to == b && from == a
	}
	f.to[a], f.from[b] = b, a
	return true, true
}

// Difference is what tells sessions apart that were said to be alike.
type Difference struct {
	A, B int    // the sessions
	What string // how, in words
}

// Error is What.
func (d *Difference) Error() string { return d.What }

// NewSymmetry returns the symmetry of the sets of sessions, which have no session in
// common. Nothing is known of it yet.
func (c *Client) NewSymmetry(sets [][]int) *Symmetry {
	y := &Symmetry{client: c, number: c.symmetries.Add(1), begun: c.Evictions()}
	for _, set := range sets {
		for i := range set[1:] {
			y.exchanges = append(y.exchanges, &exchange{a: set[i], b: set[i+1], values: map[behaviour.VarID]*bijection[behaviour.ValueID]{}, nodes: map[*behaviour.Node]*behaviour.Node{}})
		}
	}
	return y
}

// Holds looks at a node that has been reached, and at those that follow without an
// answer. It runs the sessions along the paths that mirror the path to it, in every
// exchange, and so on with the nodes where these end. The error is a [*Difference]
// when one does not do the same, or that of the client.
//
// All nodes on the path to n, and those of the transactions that have written what the
// path has read, have been looked at before.
func (y *Symmetry) Holds(n *behaviour.Node) error {
	if n.Mirrored.Load() == y.number {
		return nil
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.forgetEvicted()
	for open := []*behaviour.Node{n}; len(open) > 0; {
		m := open[len(open)-1]
		open = open[:len(open)-1]
		if m.Mirrored.Load() == y.number {
			continue
		}
		for _, e := range y.exchanges {
			image, err := y.mirror(e, m)
			if err != nil {
				return err
			}
			open = append(open, image)
		}
		m.Mirrored.Store(y.number)
		if m.Next() != nil {
			open = append(open, m.Next())
		}
	}
	return nil
}

// forgetEvicted forgets the nodes that the client has cut off, so that their memory is
// free.
func (y *Symmetry) forgetEvicted() {
	if n := y.client.Evictions(); n != y.evictions {
		y.evictions = n
		for _, e := range y.exchanges {
			clear(e.nodes)
		}
	}
}

// mirror returns the node that mirrors n.
func (y *Symmetry) mirror(e *exchange, n *behaviour.Node) (image *behaviour.Node, err error) {
	if image := e.nodes[n]; image != nil {
		return image, nil
	}
	switch before := n.Before(); {
	case before == nil:
		image, err = y.client.Root(e.of(int(n.Session)))
	default:
		if image, err = y.mirror(e, before); err != nil {
			return nil, err
		}
		if !before.Waits {
			image = image.Next()
			break
		}
		v, known := e.value(before.Var, n.Value())
		if !known {
			return nil, y.differ(e, n, &unlike{"reads " + y.client.Format(n.Value()), "nobody writes its like"})
		}
		image, err = y.client.Child(image, v)
	}
	if err != nil {
		return nil, err
	}
	if u := y.compare(e, n, image); u != nil {
		return nil, y.differ(e, n, u)
	}
	e.nodes[n] = image
	return image, nil
}

// of is the session in whose place session s is.
func (e *exchange) of(s int) int {
	switch s {
	case e.a:
		return e.b
	case e.b:
		return e.a
	}
	return s
}

// value is the value that mirrors v in x.
func (e *exchange) value(x behaviour.VarID, v behaviour.ValueID) (behaviour.ValueID, bool) {
	if f := e.values[x]; f != nil {
		to, known := f.to[v]
		return to, known
	}
	return 0, false
}

// unlike says in words what a session does at a node, and what it does there instead when two
// sessions are exchanged. Nil says nothing.
type unlike struct{ does, instead string }

// compare returns in what m, which is to mirror n, is unlike it.
func (y *Symmetry) compare(e *exchange, n, m *behaviour.Node) *unlike {
	if n.Kind != m.Kind || n.Txn != m.Txn || n.Lock != m.Lock || n.Joined != m.Joined || n.Waits != m.Waits {
		return &unlike{"comes to a " + n.Kind.String(), "to a " + m.Kind.String()}
	}
	if len(n.Failures) != len(m.Failures) || n.Dropped != m.Dropped {
		return &unlike{"fails or assumes something", "not so"}
	}
	if u := y.compareWritten(e, n, m); u != nil {
		return u
	}
	if n.Kind == behaviour.Read && !y.rename(e, n.Var, m.Var) {
		return &unlike{"reads " + y.client.Key(n.Var), "it reads " + y.client.Key(m.Var)}
	}
	if n.Kind == behaviour.Commit {
		return y.compareWrites(e, n, m)
	}
	return nil
}

// compareWritten compares the keys written between two nodes, in order.
func (y *Symmetry) compareWritten(e *exchange, n, m *behaviour.Node) *unlike {
	own, other := n.VarsWritten(), m.VarsWritten()
	for i, x := range own[:min(len(own), len(other))] {
		if !y.rename(e, x, other[i]) {
			return &unlike{"writes " + y.client.Key(x), "it writes " + y.client.Key(other[i])}
		}
	}
	switch {
	case len(own) > len(other):
		return &unlike{"writes " + y.client.Key(own[len(other)]), "it does not"}
	case len(own) < len(other):
		return &unlike{"does not write " + y.client.Key(other[len(own)]), "it does"}
	}
	return nil
}

// compareWrites compares what two transactions make visible. Their keys have been
// renamed.
func (y *Symmetry) compareWrites(e *exchange, n, m *behaviour.Node) *unlike {
	c := y.client
	for _, w := range n.Writes {
		to := e.vars.to[w.Var]
		v, _ := m.Written(to)
		if _, ok := e.values[w.Var].bind(w.Val, v); !ok {
			return &unlike{fmt.Sprintf("writes %s to %s", c.Format(w.Val), c.Key(w.Var)),
				fmt.Sprintf("it writes %s to %s, though one of them stands for another value elsewhere", c.Format(v), c.Key(to))}
		}
	}
	return nil
}

// rename binds x to z, and the initial value of x to that of z.
func (y *Symmetry) rename(e *exchange, x, z behaviour.VarID) bool {
	fresh, ok := e.vars.bind(x, z)
	if fresh {
		f := &bijection[behaviour.ValueID]{}
		f.bind(y.client.Initial(x), y.client.Initial(z))
		e.values[x] = f
	}
	return ok
}

// differ says why the exchange does not leave the program as it is.
func (y *Symmetry) differ(e *exchange, n *behaviour.Node, u *unlike) error {
	c := y.client
	at := ""
	if l := c.Location(n.Loc); l.File != "" {
		at = " at " + behaviour.LineOf(l)
	}
	return &Difference{e.a, e.b, fmt.Sprintf("%s %s%s; with %s and %s exchanged %s",
		c.SessionName(int(n.Session)), u.does, at, c.SessionName(e.a), c.SessionName(e.b), u.instead)}
}

// Exchanges is the number of exchanges.
func (y *Symmetry) Exchanges() int { return len(y.exchanges) }

// Sessions are those that exchange i exchanges.
func (y *Symmetry) Sessions(i int) (a, b int) { return y.exchanges[i].a, y.exchanges[i].b }

// Variable is what exchange i renames x to; false when that is not known.
func (y *Symmetry) Variable(i int, x behaviour.VarID) (behaviour.VarID, bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	to, known := y.exchanges[i].vars.to[x]
	return to, known
}

// Mirror adds to images the nodes that mirror the ends of the sessions in exchange i:
// the ends of the history with the sessions exchanged.
func (y *Symmetry) Mirror(i int, ends, images []*behaviour.Node) ([]*behaviour.Node, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	e := y.exchanges[i]
	at := len(images)
	images = append(images, ends...)
	for _, n := range ends {
		image, err := y.mirror(e, n)
		if err != nil {
			return nil, err
		}
		images[at+int(image.Session)] = image
	}
	return images, nil
}

// Differs is the difference that the invariants see between an outcome and the one
// that mirrors it in exchange i.
func (y *Symmetry) Differs(i int, invariant string) error {
	return y.client.toldApart(y.exchanges[i].a, y.exchanges[i].b, invariant)
}
