package checker

import (
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// ordering decides PC, SI or SER for a form that satisfies CC: it searches an
// order of the points at which transactions read and write (for SER, both at
// once) in which every read sees the last write. For SI two transactions that
// write the same key must not overlap.
//
// A polygraph (Papadimitriou, "The serializability of concurrent database
// updates", JACM 1979) has a choice for each two writers of a key: which comes
// first; then all who read from it come before the other writes, for all keys
// that both write. Here such a choice becomes a variable only when the current
// order of the graph shows that it is needed: a read that sees something else
// than the last write, or writers that overlap. Most histories need few.
type ordering struct {
	f      *form
	level  isolation.Level
	w      *writers
	g      *digraph
	s      *solver
	pairs  []edge         // by variable
	known  map[edge]int32 // the variable of a pair, the lesser first
	arcs   [][]edge       // by literal
	dirty  []bool         // by key: to be looked at again
	first  bool
	readAt []int32  // by place in the writers: where the readers of the key from that writer begin
	placed []uint64 // scratch: places of writers in the order, and in the writers
}

// order returns the nodes' places, or the transactions that show that there is no
// order, but for those that show what is forced. sorted extends so ∪ wr ∪ forced.
func (f *form) order(ctx context.Context, level isolation.Level, w *writers, forced []edge, sorted []int32) (*digraph, []int32, error) {
	o := &ordering{f: f, level: level, w: w, known: make(map[edge]int32), first: true}
	o.g = newDigraph(f, f.readers(), level != isolation.SER)
	o.s = newSolver(o)
	o.dirty = make([]bool, f.keys)
	o.index()
	if !o.begin(forced, sorted) {
		return nil, o.s.refutation(), nil
	}
	ok, err := o.s.solve(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, o.s.refutation(), nil
	}
	return o.g, nil, nil
}

// begin sets the initial order of the graph and fixes what is forced.
func (o *ordering) begin(forced []edge, sorted []int32) bool {
	var lits []lit
	for _, e := range forced {
		lits = append(lits, o.pair(e.from, e.to))
	}
	for _, l := range lits {
		for _, a := range o.arcs[l] {
			o.g.push(a.from, a.to, l)
		}
	}
	if len(o.f.extra) > 0 {
		forced, lits = append(forced, edge{}), append(lits, o.told())
	}
	ok := o.g.guess(o.level)
	o.g.shrink(0)
	if !ok {
		for i, t := range sorted {
			if o.g.split {
				o.g.ord[2*t], o.g.ord[2*t+1] = int32(2*i), int32(2*i+1)
			} else {
				o.g.ord[t] = int32(i)
			}
		}
	}
	for i, l := range lits {
		if e := forced[i]; !o.s.fix(l, []int32{e.from, e.to}) {
			return false
		}
	}
	return true
}

// told returns a literal for all dependencies that the database tells of. Which
// transactions they are between shows in a cycle's nodes.
func (o *ordering) told() lit {
	l := lit(2 * o.s.add(0))
	arcs := make([]edge, 0, len(o.f.extra))
	for _, d := range o.f.extra {
		a := edge{o.g.writes(d.from), o.g.reads(d.to)}
		if d.anti {
			a = edge{o.g.reads(d.from), o.g.writes(d.to)}
		}
		arcs = append(arcs, a)
		o.g.push(a.from, a.to, l)
	}
	o.pairs = append(o.pairs, edge{})
	o.arcs = append(o.arcs, arcs, nil)
	return l
}

// pair returns the literal that says that a writes before b.
func (o *ordering) pair(a, b int32) lit {
	e, l := edge{a, b}, lit(0)
	if a > b {
		e, l = edge{b, a}, 1
	}
	v, ok := o.known[e]
	if !ok {
		v = o.s.add(int64(o.g.ord[o.g.writes(a)]) + int64(o.g.ord[o.g.writes(b)]))
		o.known[e] = v
		o.pairs = append(o.pairs, e)
		o.arcs = append(o.arcs, o.meaning(e.from, e.to), o.meaning(e.to, e.from))
	}
	return lit(2*v) | l
}

// meaning returns the arcs that follow when a writes before b.
func (o *ordering) meaning(a, b int32) []edge {
	g := o.g
	to := g.writes(b)
	if o.level == isolation.SI {
		to = g.reads(b)
	}
	arcs := []edge{{g.writes(a), to}}
	for _, r := range g.rd.of(a) {
		if r.txn != b && o.f.writesKey(b, r.key) {
			arcs = append(arcs, edge{g.reads(r.txn), g.writes(b)})
		}
	}
	return arcs
}

func (o *ordering) assert(l lit) (conflict []lit, txns []int32) {
	for _, a := range o.arcs[l] {
		ok, nodes, lits := o.g.add(a.from, a.to, l)
		if ok {
			continue
		}
		return o.lemma(l, nodes, lits)
	}
	return nil, nil
}

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
	for _, a := range o.arcs[l] {
		if nodes, lits := o.g.cycle(a.from, a.to); nodes != nil {
			return o.lemma(l, nodes, lits)
		}
	}
	return nil, nil
}

func (o *ordering) size() int { return len(o.g.arcs) }

func (o *ordering) undo(size int) { o.g.shrink(size) }

// prefer follows the order of the graph, in which whatever is known holds.
func (o *ordering) prefer(v int32) lit {
	p := o.pairs[v]
	if o.g.ord[o.g.writes(p.from)] < o.g.ord[o.g.writes(p.to)] {
		return lit(2 * v)
	}
	return lit(2*v + 1)
}

// complete looks for reads that see something else than the last write, and for
// writers that overlap. Keys whose transactions have kept their places since the
// last time are all right.
func (o *ordering) complete() {
	if o.first {
		o.first = false
		for x := range o.dirty {
			o.dirty[x] = true
		}
	}
	for _, t := range o.g.moved {
		o.g.movedMarked[t] = false
		for _, r := range o.f.readsOf(t) {
			o.dirty[r.key] = true
		}
		for _, x := range o.f.writesOf(t) {
			o.dirty[x] = true
		}
	}
	o.g.moved = o.g.moved[:0]
	for x, d := range o.dirty {
		if d {
			o.dirty[x] = o.look(int32(x))
		}
	}
}

// atOnce is how many variables a read may ask for at a time.
const atOnce = 4

// look asks for the variables that key x needs; it reports whether it does.
func (o *ordering) look(x int32) bool {
	g := o.g
	lo := o.w.off[x]
	ps := append(o.placed[:0], uint64(g.ord[g.writes(0)])<<32)
	for i, t := range o.w.of(x) {
		ps = append(ps, uint64(g.ord[g.writes(t)])<<32|uint64(lo+int32(i)+1))
	}
	o.placed = ps
	slices.Sort(ps)
	wrong := false
	for i := 0; i+1 < len(ps); i++ {
		t1, rs := o.writer(x, ps[i])
		t2, _ := o.writer(x, ps[i+1])
		if o.level == isolation.SI && int32(ps[i]>>32) > g.ord[g.reads(t2)] {
			wrong = o.s.ask(o.pair(t1, t2).of()) || wrong
		}
		last := int32(-1)
		for _, r := range rs {
			if r.key != x {
				break
			}
			last = max(last, g.ord[g.reads(r.txn)])
		}
		for j := i + 1; j < min(len(ps), i+1+atOnce) && int32(ps[j]>>32) < last; j++ {
			t2, _ := o.writer(x, ps[j])
			wrong = o.s.ask(o.pair(t1, t2).of()) || wrong
		}
	}
	return wrong
}

// writer returns a writer of x and what is read from it, beginning with x.
func (o *ordering) writer(x int32, placed uint64) (int32, []reader) {
	i := int32(placed&(1<<32-1)) - 1
	if i < 0 {
		return 0, o.g.rd.ofKey(0, x)
	}
	t := o.w.txn[i]
	return t, o.g.rd.at[o.readAt[i]:o.g.rd.off[t+1]]
}

// index finds where the readers of each writer and key begin.
func (o *ordering) index() {
	o.readAt = make([]int32, len(o.w.txn))
	next := slices.Clone(o.w.off)
	for t := int32(1); int(t) < o.f.n; t++ {
		at, end := o.g.rd.off[t], o.g.rd.off[t+1]
		for _, x := range o.f.writesOf(t) {
			for at < end && o.g.rd.at[at].key < x {
				at++
			}
			o.readAt[next[x]] = at
			next[x]++
		}
	}
}
