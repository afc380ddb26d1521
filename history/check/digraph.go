package check

import "slices"

// digraph is an acyclic graph with a topological order that is kept while arcs
// are added (Pearce and Kelly, "A dynamic topological sort algorithm for directed
// acyclic graphs", JEA 2006). Removing arcs leaves the order as it is.
//
// A transaction is a node, or, when split, two nodes. It reads at node 2t, and writes
// at node 2t+1. The arcs of so ∪ wr, and from where a transaction reads to where it
// writes, are not stored: they are in the form.
type digraph struct {
	f     *form
	rd    *readers
	split bool
	ord   []int32 // position of a node in the order
	adjacency
	traversal
	displaced
	looked int64 // edges
}

// adjacency has the arcs that are stored.
type adjacency struct {
	out, in []int32 // the node's newest arc, or -1
	arcs    []arc   // those in the graph, and those that were or may yet be
}

// traversal is scratch memory for the searches forwards and backwards from a new arc.
type traversal struct {
	mark       []uint32
	via        []int32 // how the backward search came to a marked node: an arc, or -1-node
	stamp      uint32
	fore, back []int32
	positions  []int32
}

// displaced are the transactions that have another position since the last look.
type displaced struct {
	moved       []int32
	movedMarked []bool
}

// arc is an arc because of the literal lit. Those of a node are linked in both
// directions, -1 at the ends.
type arc struct {
	from, to         int32
	nextOut, prevOut int32
	nextIn, prevIn   int32
	lit              lit
}

func newDigraph(f *form, rd *readers, split bool) *digraph {
	n := f.n
	if split {
		n *= 2
	}
	g := &digraph{f: f, rd: rd, split: split,
		ord: make([]int32, n), adjacency: adjacency{out: make([]int32, n), in: make([]int32, n)},
		traversal: traversal{mark: make([]uint32, n), via: make([]int32, n)}, displaced: displaced{movedMarked: make([]bool, f.n)}}
	for i := range n {
		g.out[i], g.in[i] = -1, -1
	}
	return g
}

func (g *digraph) txn(v int32) int32 {
	if g.split {
		return v >> 1
	}
	return v
}

// reads and writes return where t reads and where it writes.
func (g *digraph) reads(t int32) int32 {
	if g.split {
		return 2 * t
	}
	return t
}

func (g *digraph) writes(t int32) int32 {
	if g.split {
		return 2*t + 1
	}
	return t
}

// eachNext calls do with each successor of v, and the arc to it or -1, until do
// returns false. The initial transaction's successors in session order are left
// out: nothing may come before it.
func (g *digraph) eachNext(v int32, do func(w, a int32) bool) bool {
	for a := g.out[v]; a >= 0; a = g.arcs[a].nextOut {
		if !do(g.arcs[a].to, a) {
			return false
		}
	}
	t := g.txn(v)
	if g.split && v&1 == 0 {
		return do(v+1, -1)
	}
	if n := t + 1; int(n) < g.f.n && t > 0 && g.f.prev[n] == t && !do(g.reads(n), -1) {
		return false
	}
	for _, r := range g.rd.of(t) {
		if !do(g.reads(r.txn), -1) {
			return false
		}
	}
	return true
}

// eachPrev does the same for the predecessors of v.
func (g *digraph) eachPrev(v int32, do func(u, a int32) bool) bool {
	for a := g.in[v]; a >= 0; a = g.arcs[a].nextIn {
		if !do(g.arcs[a].from, a) {
			return false
		}
	}
	t := g.txn(v)
	if g.split && v&1 == 1 {
		return do(v-1, -1)
	}
	if u := g.f.prev[t]; u >= 0 && !do(g.writes(u), -1) {
		return false
	}
	for _, r := range g.f.readsOf(t) {
		if !do(g.writes(r.from), -1) {
			return false
		}
	}
	return true
}

// arc makes an arc, which is not in the graph yet.
func (g *digraph) arc(u, v int32, l lit) {
	g.arcs = append(g.arcs, arc{from: u, to: v, lit: l})
}

// link puts arc i into the graph; it must agree with the order.
func (g *digraph) link(i int32) {
	a := &g.arcs[i]
	a.nextOut, a.prevOut = g.out[a.from], -1
	a.nextIn, a.prevIn = g.in[a.to], -1
	if a.nextOut >= 0 {
		g.arcs[a.nextOut].prevOut = i
	}
	if a.nextIn >= 0 {
		g.arcs[a.nextIn].prevIn = i
	}
	g.out[a.from], g.in[a.to] = i, i
}

// unlink takes arc i out of the graph.
func (g *digraph) unlink(i int32) {
	a := &g.arcs[i]
	if a.prevOut >= 0 {
		g.arcs[a.prevOut].nextOut = a.nextOut
	} else {
		g.out[a.from] = a.nextOut
	}
	if a.nextOut >= 0 {
		g.arcs[a.nextOut].prevOut = a.prevOut
	}
	if a.prevIn >= 0 {
		g.arcs[a.prevIn].nextIn = a.nextIn
	} else {
		g.in[a.to] = a.nextIn
	}
	if a.nextIn >= 0 {
		g.arcs[a.nextIn].prevIn = a.prevIn
	}
}

// add puts arc i into the graph. When it would close a cycle it stays out, and the
// path from its end to its beginning is returned, as nodes and the literals of its
// arcs.
func (g *digraph) add(i int32) (ok bool, nodes []int32, lits []lit) {
	u, v := g.arcs[i].from, g.arcs[i].to
	if u == v || g.f.init && g.txn(v) == 0 {
		return false, []int32{v, u}, nil
	}
	if g.ord[u] > g.ord[v] && !g.reorder(u, v) {
		nodes, lits = g.pathTo(u, v)
		return false, nodes, lits
	}
	g.link(i)
	return true, nil, nil
}

// cycle returns the path from v to u, if there is one.
func (g *digraph) cycle(u, v int32) (nodes []int32, lits []lit) {
	if u == v || g.f.init && g.txn(v) == 0 {
		return []int32{v, u}, nil
	}
	if g.ord[u] < g.ord[v] || !g.reaches(u, v) {
		return nil, nil
	}
	return g.pathTo(u, v)
}

// reorder makes room for the arc u → v: what v reaches moves behind what reaches
// u, within the positions between the two. It is false when v reaches u.
func (g *digraph) reorder(u, v int32) bool {
	if g.reaches(u, v) {
		return false
	}
	hi := g.ord[u]
	g.fore = append(g.fore[:0], v)
	g.mark[v] = g.stamp
	for i := 0; i < len(g.fore); i++ {
		g.searchNext(g.fore[i], hi)
	}
	g.permute()
	return true
}

// searchNext adds to fore the successors of v up to position hi that are not marked.
// This and searchBefore are eachNext and eachPrev with what is done for each written
// out: most of the time of a search for an order goes here.
func (g *digraph) searchNext(v, hi int32) {
	for a := g.out[v]; a >= 0; a = g.arcs[a].nextOut {
		g.forward(g.arcs[a].to, hi)
	}
	t := g.txn(v)
	if g.split && v&1 == 0 {
		g.forward(v+1, hi)
		return
	}
	if n := t + 1; int(n) < g.f.n && t > 0 && g.f.prev[n] == t {
		g.forward(g.reads(n), hi)
	}
	for _, r := range g.rd.of(t) {
		g.forward(g.reads(r.txn), hi)
	}
}

func (g *digraph) forward(w, hi int32) {
	g.looked++
	if g.mark[w] != g.stamp && g.ord[w] <= hi {
		g.mark[w] = g.stamp
		g.fore = append(g.fore, w)
	}
}

// reaches searches v backwards from u: mostly there is less before a transaction
// than after one that wrote what many have read. back becomes what reaches u from
// v's position on.
func (g *digraph) reaches(u, v int32) bool {
	lo := g.ord[v]
	g.stamp++
	g.back = append(g.back[:0], u)
	g.mark[u], g.via[u] = g.stamp, -1-u
	for i := 0; i < len(g.back); i++ {
		g.searchBefore(g.back[i], lo)
		if g.mark[v] == g.stamp {
			return true
		}
	}
	return false
}

// searchBefore adds to back the predecessors of v from position lo on that are not
// marked.
func (g *digraph) searchBefore(v, lo int32) {
	for a := g.in[v]; a >= 0; a = g.arcs[a].nextIn {
		g.backward(g.arcs[a].from, a, lo)
	}
	t := g.txn(v)
	if g.split && v&1 == 1 {
		g.backward(v-1, -1-v, lo)
		return
	}
	if u := g.f.prev[t]; u >= 0 {
		g.backward(g.writes(u), -1-v, lo)
	}
	for _, r := range g.f.readsOf(t) {
		g.backward(g.writes(r.from), -1-v, lo)
	}
}

// backward adds w, from which the search came by an arc or, as -1-node, to a node.
func (g *digraph) backward(w, via, lo int32) {
	g.looked++
	if g.mark[w] != g.stamp && g.ord[w] >= lo {
		g.mark[w], g.via[w] = g.stamp, via
		g.back = append(g.back, w)
	}
}

// permute gives the positions of back and fore to back first, then to fore.
func (g *digraph) permute() {
	byPlace := func(a, b int32) int { return int(g.ord[a]) - int(g.ord[b]) }
	slices.SortFunc(g.back, byPlace)
	slices.SortFunc(g.fore, byPlace)
	g.positions = g.positions[:0]
	for _, v := range g.back {
		g.positions = append(g.positions, g.ord[v])
	}
	for _, v := range g.fore {
		g.positions = append(g.positions, g.ord[v])
	}
	slices.Sort(g.positions)
	for i, v := range g.back {
		g.move(v, g.positions[i])
	}
	for i, v := range g.fore {
		g.move(v, g.positions[len(g.back)+i])
	}
}

func (g *digraph) move(v, position int32) {
	g.ord[v] = position
	if t := g.txn(v); !g.movedMarked[t] {
		g.movedMarked[t] = true
		g.moved = append(g.moved, t)
	}
}

// takeMoved returns the transactions that have moved since the last time. They are
// good until something moves again.
func (g *digraph) takeMoved() []int32 {
	moved := g.moved
	for _, t := range moved {
		g.movedMarked[t] = false
	}
	g.moved = g.moved[:0]
	return moved
}

// pathTo returns the path from v to u that the last search has found.
func (g *digraph) pathTo(u, v int32) (nodes []int32, lits []lit) {
	for w := v; ; {
		nodes = append(nodes, w)
		if w == u {
			return nodes, lits
		}
		if a := g.via[w]; a >= 0 {
			lits = append(lits, g.arcs[a].lit)
			w = g.arcs[a].to
		} else {
			w = -1 - a
		}
	}
}
