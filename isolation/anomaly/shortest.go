package anomaly

import (
	"math"

	"github.com/txmc/txmc/program/behaviour"
)

// The cost of a path is the number of its edges. Among equals it is the number of all
// edges that it takes to argue for the path: its own and, recursively, those of their
// premises. A path of fewest edges is the shortest story; both numbers add up along a
// path, so that shortest paths can be computed.
const (
	edgeCost = 1<<40 + 1
	sizeMask = 1<<40 - 1
	maxSize  = 1 << 30 // premises of premises may grow exponentially
	noPath   = math.MaxInt64 / 4
)

const (
	noLink   = -1
	internal = -2 // from a transaction's read point to its write point
)

// paths are the shortest paths in the graphs that the rounds of g have made.
type paths struct {
	g   *graph
	by  []matrix  // by round
	why []*Reason // by link: its whole reason, once it is known
}

// matrix holds, by pair of points, the shortest paths of a graph.
type matrix struct {
	cost  []int64
	first []int32 // the link that begins the path
}

// shortest computes the paths, by the algorithm of Floyd and Warshall once a
// round.
func (g *graph) shortest() *paths {
	p := &paths{g: g, why: make([]*Reason, len(g.links))}
	for round := range g.rounds + 1 {
		m := p.begin(round)
		m.close(g.nodes)
		p.by = append(p.by, m)
	}
	return p
}

// begin returns the paths of one edge.
func (p *paths) begin(round int) matrix {
	n := p.g.nodes
	m := matrix{make([]int64, n*n), make([]int32, n*n)}
	for i := range m.cost {
		m.cost[i], m.first[i] = noPath, noLink
	}
	if p.g.snapshots {
		for t := range p.g.n {
			i := p.g.readPoint(t)*n + p.g.writePoint(t)
			m.cost[i], m.first[i] = 0, internal
		}
	}
	for i := range p.g.links {
		l := &p.g.links[i]
		if l.round > round {
			break
		}
		at, c := l.u*n+l.v, p.costOf(l)
		if c < m.cost[at] || c == m.cost[at] && p.g.conflict(l) && !p.g.conflict(&p.g.links[m.first[at]]) {
			m.cost[at], m.first[at] = c, int32(i)
		}
	}
	return m
}

// conflict reports whether the edge is rw and the reader overwrites what it has
// read: of two rw edges between the same transactions that one tells more.
func (g *graph) conflict(l *link) bool {
	return l.edge.Kind == RW && g.writes(l.edge.From, l.edge.Var)
}

// costOf is the cost of an edge. It is argued for in the graph of the rounds
// before its own.
func (p *paths) costOf(l *link) int64 {
	if l.since < 0 {
		if l.edge.Reason == nil {
			return edgeCost
		}
		return edgeCost + int64(len(l.edge.Reason.Premise))
	}
	return edgeCost + min(p.by[l.round-1].cost[l.since*p.g.nodes+l.until]&sizeMask, maxSize)
}

func (m matrix) close(n int) {
	for k := range n {
		from := m.cost[k*n : k*n+n]
		for i := range n {
			c := m.cost[i*n+k]
			if c == noPath {
				continue
			}
			begin, row, first := m.first[i*n+k], m.cost[i*n:i*n+n], m.first[i*n:i*n+n]
			for j, d := range from {
				if c+d < row[j] {
					row[j], first[j] = c+d, begin
				}
			}
		}
	}
}

// path returns the edges of the shortest path from u to v, which must exist, with
// their reasons. When u is v it is a cycle.
func (p *paths) path(round, u, v int) []Edge {
	var edges []Edge
	for at, moved := u, false; at != v || !moved; moved = true {
		i := int(p.by[round].first[at*p.g.nodes+v])
		if i == internal {
			at = p.g.writePoint(at / 2)
			continue
		}
		edges = append(edges, p.edge(i))
		at = p.g.links[i].v
	}
	return edges
}

// edge returns the edge of link i with its whole reason.
func (p *paths) edge(i int) Edge {
	l := &p.g.links[i]
	e := l.edge
	if e.Reason == nil {
		return e
	}
	if p.why[i] == nil {
		r := *e.Reason
		if l.since >= 0 {
			r.Premise = p.path(l.round-1, l.since, l.until)
		}
		p.why[i] = &r
	}
	e.Reason = p.why[i]
	return e
}

// cycle returns a shortest cycle, nil when there is none; of several one that is
// simple.
func (p *paths) cycle() []Edge {
	n, cost := p.g.nodes, p.by[p.g.rounds].cost
	least, best := int64(noPath), []Edge(nil)
	for u := range n {
		c := cost[u*n+u]
		if c == noPath || c > least {
			continue
		}
		if cycle := p.agree(turn(p.path(p.g.rounds, u, u))); c < least || simpler(cycle, best) {
			least, best = c, cycle
		}
	}
	return best
}

// agree makes the edges of a cycle be about the same variable where that costs nothing.
// Between the same transactions there are often several edges, and a
// first-committer-wins edge may be about any variable that both transactions write.
func (p *paths) agree(cycle []Edge) []Edge {
	if len(cycle) == 2 && cycle[0].Kind == RW && cycle[1].Kind == WW {
		p.replace(&cycle[0], cycle[1].Var)
	}
	x := cycle[0].Var
	for i := range cycle {
		e := &cycle[i]
		if e.Reason != nil && e.Reason.Rule == FirstCommitter && p.g.writes(e.From, x) && p.g.writes(e.To, x) {
			e.Var = x
		}
	}
	return cycle
}

// replace puts another rw edge, about x, in e's place if there is one that costs
// the same.
func (p *paths) replace(e *Edge, x behaviour.VarID) {
	cost, other := int64(noPath), noLink
	for i := range p.g.links {
		l := &p.g.links[i]
		if l.edge.Kind != RW || l.edge.From != e.From || l.edge.To != e.To {
			continue
		}
		c := p.costOf(l)
		if cost = min(cost, c); c == cost && l.edge.Var == x {
			other = i
		}
	}
	if other != noLink && p.costOf(&p.g.links[other]) == cost {
		*e = p.edge(other)
	}
}
