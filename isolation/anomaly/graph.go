package anomaly

import "github.com/txmc/txmc/semantics"

// graph is what is known of the order of points in time. At serializability the points
// are transactions. At prefix consistency and snapshot isolation a transaction has two:
// at one it reads, at the other its writes become visible. An edge is an order that
// every commit order has. A level forbids a history when its graph has a cycle; see
// saturate.go for when the converse holds.
//
// Read as a cycle of transactions, a cycle of points is one of those that Cerone and
// Gotsman prove characteristic. At snapshot isolation it has no two rw edges in a row;
// at prefix consistency an rw edge comes only after so or wr. The reason is that an rw
// edge ends at the point of the writes, and another rw edge leaves from the point of
// the reads, which is earlier.
type graph struct {
	*facts
	snapshots bool // two points a transaction
	exclusive bool // writers of the same variable do not overlap
	nodes     int
	rounds    int
	links     []link // by round
	reach     semantics.Rows
	cyclic    bool
}

// link is an edge between points.
type link struct {
	u, v  int
	round int
	edge  Edge
	// since and until are the ends of the premise in the graph of the rounds
	// before; the path is looked for when it is needed. When since is -1 the edge
	// has all the premise it needs.
	since, until int
}

// newGraph returns the graph of so ∪ wr.
func newGraph(f *facts, snapshots, exclusive bool) *graph {
	g := &graph{facts: f, snapshots: snapshots, exclusive: exclusive, nodes: f.n}
	if snapshots {
		g.nodes = 2 * f.n
	}
	g.reach.Reset((g.nodes + 63) / 64)
	for range g.nodes {
		g.reach.Push()
	}
	if snapshots {
		for t := range f.n {
			g.reach.Row(g.readPoint(t)).Add(g.writePoint(t))
		}
	}
	for a := range f.n {
		for b := range f.n {
			if e, ok := f.direct(a, b); ok {
				g.add(link{u: g.writePoint(a), v: g.readPoint(b), edge: e, since: -1})
			}
		}
	}
	return g
}

// readPoint is the point at which t reads, writePoint that at which it writes.
func (g *graph) readPoint(t int) int {
	if g.snapshots {
		return 2 * t
	}
	return t
}

func (g *graph) writePoint(t int) int {
	if g.snapshots {
		return 2*t + 1
	}
	return t
}

// after is a point of t, where t writes a variable that another transaction writes
// earlier. The point comes after the writes of that other transaction.
func (g *graph) after(t int) int {
	if g.exclusive {
		return g.readPoint(t)
	}
	return g.writePoint(t)
}

func (g *graph) before(u, v int) bool { return g.reach.Row(u).Has(v) }

// add adds an edge and closes reach transitively.
func (g *graph) add(l link) {
	g.links = append(g.links, l)
	g.rounds = max(g.rounds, l.round)
	if g.before(l.u, l.v) {
		return
	}
	after := g.reach.Row(l.v)
	for a := range g.nodes {
		row := g.reach.Row(a)
		if a != l.u && !row.Has(l.u) {
			continue
		}
		row.Union(after)
		row.Add(l.v)
		g.cyclic = g.cyclic || row.Has(a)
	}
}

// clone returns a copy that can grow on its own.
func (g *graph) clone() *graph {
	c := *g
	c.links = g.links[:len(g.links):len(g.links)]
	c.reach = semantics.Rows{}
	c.reach.CopyFrom(&g.reach, g.nodes)
	return &c
}
