package check

import (
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// ordering decides PC, SI or SER for a form that satisfies CC. Transactions read at
// one point and write at another one; for SER, at the same. It searches an order of
// these points in which every read sees the last write. For SI two transactions that
// write the same key must not overlap.
//
// A polygraph (Papadimitriou, "The serializability of concurrent database updates",
// JACM 1979) has a choice for each two writers of a key: which comes first. All who
// read from the first come before the other, for all keys that both write. Here such a
// choice becomes a variable only when the current order of the graph shows that it is
// needed. Then a read sees something else than the last write, or writers overlap. Most
// histories need few.
type ordering struct {
	f      *form
	level  isolation.Level
	w      *writers
	g      *digraph
	s      *solver
	pairs  []edge         // by variable: its first literal says that from writes before to
	known  map[edge]int32 // the variable of a pair, the lesser first, but for what is forced
	arcs   []meaning      // by literal
	orders *versionOrders
	real   bool // with the order in real time
}

// meaning is the arcs that follow from a literal, count from first on. They are
// made when it is asserted for the first time, -1 before that; linked of them are in
// the graph.
type meaning struct{ first, count, linked int32 }

// order searches an order, from sorted on, which extends so ∪ wr ∪ forced. The graph has
// the nodes' positions in the order that was found. core is nil then. If no order is right,
// core has the transactions that show it, but not those that show the forced edges.
func (f *form) order(ctx context.Context, level isolation.Level, w *writers, forced []edge, sorted []int32) (g *digraph, core []int32, work Work, err error) {
	o := f.newOrdering(ctx, level, w, forced, sorted)
	ok, err := o.s.solve(ctx)
	work = o.s.work
	work.Edges = o.g.looked
	if err != nil {
		return nil, nil, work, err
	}
	if !ok {
		return o.g, o.s.refutation(), work, nil
	}
	return o.g, nil, work, nil
}

// newOrdering prepares the search.
func (f *form) newOrdering(ctx context.Context, level isolation.Level, w *writers, forced []edge, sorted []int32) *ordering {
	o := &ordering{f: f, w: w, known: make(map[edge]int32)}
	level, o.real = level.Timeless()
	o.level = level
	o.g = newDigraph(f, f.readers(), level != isolation.SER)
	o.s = newSolver(o)
	o.begin(ctx, forced, sorted)
	return o
}

// begin sets the initial order of the graph and fixes what is forced.
func (o *ordering) begin(ctx context.Context, forced []edge, sorted []int32) {
	size := len(forced) + 1
	o.s.reserve(size)
	o.pairs, o.arcs = make([]edge, 0, size), make([]meaning, 0, 2*size)
	for _, e := range forced {
		o.link(lit(2 * o.variable(e)))
	}
	if len(o.f.extra) > 0 || o.real {
		o.link(o.dependencies())
	}
	ok := o.g.simulate(ctx, o.level)
	for v := range o.pairs {
		o.retract(lit(2 * v))
	}
	if !ok {
		for i, t := range sorted {
			if o.g.split {
				o.g.ord[2*t], o.g.ord[2*t+1] = int32(2*i), int32(2*i+1)
			} else {
				o.g.ord[t] = int32(i)
			}
		}
	}
	for v := range o.pairs {
		o.s.fix(lit(2 * v))
	}
}

// dependencies returns a literal for all dependencies that the database tells of, and for the order
// in real time. Which
// transactions they are between shows in a cycle's nodes.
func (o *ordering) dependencies() lit {
	l := lit(2 * o.variable(edge{}))
	o.arcs[l].first = int32(len(o.g.arcs))
	if o.real {
		o.f.real.Reduced(func(t, u int32) {
			if o.f.prev[u] != t {
				o.g.arc(o.g.writes(t), o.g.reads(u), l)
			}
		})
	}
	for _, d := range o.f.extra {
		if d.anti {
			o.g.arc(o.g.reads(d.from), o.g.writes(d.to), l)
		} else {
			o.g.arc(o.g.writes(d.from), o.g.reads(d.to), l)
		}
	}
	o.arcs[l].count = int32(len(o.g.arcs)) - o.arcs[l].first
	return l
}

// variable makes the variable of a pair, which is decided at about the time of both.
func (o *ordering) variable(e edge) int32 {
	o.pairs = append(o.pairs, e)
	o.arcs = append(o.arcs, meaning{first: -1}, meaning{first: -1})
	return o.s.add(int64(o.g.ord[o.g.writes(e.from)]) + int64(o.g.ord[o.g.writes(e.to)]))
}

// pair returns the literal that says that a writes before b.
func (o *ordering) pair(a, b int32) lit {
	e, l := edge{a, b}, lit(0)
	if a > b {
		e, l = edge{b, a}, 1
	}
	v, ok := o.known[e]
	if !ok {
		v = o.variable(e)
		o.known[e] = v
	}
	return lit(2*v) | l
}

// meaning returns what l means, and makes its arcs if need be.
func (o *ordering) meaning(l lit) *meaning {
	m := &o.arcs[l]
	if m.first >= 0 {
		return m
	}
	g := o.g
	m.first = int32(len(g.arcs))
	a, b := o.pairs[l.of()].from, o.pairs[l.of()].to
	if l&1 == 1 {
		a, b = b, a
	}
	to := g.writes(b)
	if o.level == isolation.SI {
		to = g.reads(b)
	}
	g.arc(g.writes(a), to, l)
	for _, r := range g.rd.of(a) {
		if r.txn != b && o.f.writesKey(b, r.key) {
			g.arc(g.reads(r.txn), g.writes(b), l)
		}
	}
	m.count = int32(len(g.arcs)) - m.first
	return m
}

func (o *ordering) assert(l lit) (conflict []lit, txns []int32) {
	m := o.meaning(l)
	for ; m.linked < m.count; m.linked++ {
		if ok, nodes, lits := o.g.add(m.first + m.linked); !ok {
			o.retract(l)
			return o.lemma(l, nodes, lits)
		}
	}
	return nil, nil
}

// link asserts what agrees with any order.
func (o *ordering) link(l lit) {
	for m := o.meaning(l); m.linked < m.count; m.linked++ {
		o.g.link(m.first + m.linked)
	}
}

func (o *ordering) retract(l lit) {
	for m := &o.arcs[l]; m.linked > 0; m.linked-- {
		o.g.unlink(m.first + m.linked - 1)
	}
}

// shown returns the transactions of a variable that is fixed.
func (o *ordering) shown(v int32) []int32 { return []int32{o.pairs[v].from, o.pairs[v].to} }

// lemma returns what a cycle says that the literal l and others close.
func (o *ordering) lemma(l lit, nodes []int32, lits []lit) (conflict []lit, txns []int32) {
	lits = append(lits, l)
	slices.Sort(lits)
	lits = slices.Compact(lits)
	for _, v := range nodes {
		txns = append(txns, o.g.txn(v))
	}
	for _, k := range lits {
		p := o.pairs[k.of()]
		txns = append(txns, p.from, p.to)
	}
	slices.Sort(txns)
	return lits, slices.Compact(txns)
}

func (o *ordering) probe(l lit) (conflict []lit, txns []int32) {
	m := o.meaning(l)
	for _, a := range o.g.arcs[m.first : m.first+m.count] {
		if nodes, lits := o.g.cycle(a.from, a.to); nodes != nil {
			return o.lemma(l, nodes, lits)
		}
	}
	return nil, nil
}

// prefer chooses what changes the order of the graph less. Mostly the first of two
// writers comes first already. Where a read from it comes late, after the other has
// written, it may take less to put the other before both.
func (o *ordering) prefer(v int32) lit {
	if l := lit(2 * v); o.against(l) < o.against(l.not()) {
		return l
	}
	return lit(2*v + 1)
}

// against returns by how many positions in all the arcs of l go against the order.
func (o *ordering) against(l lit) int64 {
	m := o.meaning(l)
	sum := int64(0)
	for _, a := range o.g.arcs[m.first : m.first+m.count] {
		sum += max(0, int64(o.g.ord[a.from])-int64(o.g.ord[a.to]))
	}
	return sum
}

// complete looks for reads that see something else than the last write, and for writers
// that overlap. It looks where something has moved. When all is right there, it looks
// everywhere.
func (o *ordering) complete() {
	ask := func(a, b int32) bool { return o.s.ask(o.pair(a, b).of()) }
	if o.orders == nil {
		o.orders = newVersionOrders(o.f, o.g, o.w, o.level == isolation.SI)
	} else {
		o.orders.follow(o.g.takeMoved())
		if o.orders.checkChanged(ask) {
			return
		}
	}
	o.orders.all()
	o.orders.checkAll(ask)
}
