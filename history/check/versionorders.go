package check

import (
	"math/bits"
	"slices"
)

// versionOrders lists the writers of each key in the order of the graph. It finds the
// reads that do not see the last write in that order. It follows the order as transactions
// move, and checks only what has changed.
//
// An entry is a writer of a key. Those of key x have the numbers from start[x] on,
// first the initial transaction, then the others, ascending.
type versionOrders struct {
	f        *form
	g        *digraph
	w        *writers
	alone    bool      // no two writers of a key may overlap
	entry    []int32   // of each of f.writes
	readAt   []int32   // by entry: where what reads from it begins in g.rd.at
	at       []int32   // by position: the entry there; those of key x have the positions from start[x] on
	position []int32   // by entry
	moved    positions // where entries have moved, or what reads from them
	look     positions // where entries may not be in order
}

func newVersionOrders(f *form, g *digraph, w *writers, alone bool) *versionOrders {
	size := len(w.txn) + f.keys
	n := &versionOrders{f: f, g: g, w: w, alone: alone,
		entry: make([]int32, len(f.writes)), readAt: make([]int32, size), at: make([]int32, size), position: make([]int32, size),
		moved: newPositions(size), look: newPositions(size)}
	for e := range n.at {
		n.put(int32(e), int32(e))
	}
	next := make([]int32, f.keys)
	for x := range next {
		e := n.start(int32(x))
		next[x] = e + 1
	}
	for i, r := range g.rd.of(0) {
		if e := n.start(r.key); i == 0 || g.rd.of(0)[i-1].key != r.key {
			n.readAt[e] = int32(i)
		}
	}
	for t := int32(1); int(t) < f.n; t++ {
		at, end := g.rd.off[t], g.rd.off[t+1]
		for i := f.writeOff[t]; i < f.writeOff[t+1]; i++ {
			x := f.writes[i]
			for at < end && g.rd.at[at].key < x {
				at++
			}
			n.entry[i], n.readAt[next[x]] = next[x], at
			next[x]++
		}
	}
	return n
}

func (n *versionOrders) start(x int32) int32 { return n.w.off[x] + x }

// writer returns the transaction of an entry of key x.
func (n *versionOrders) writer(e, x int32) int32 {
	if e == n.start(x) {
		return 0
	}
	return n.w.txn[e-x-1]
}

// ord returns where an entry of key x writes in the order.
func (n *versionOrders) ord(e, x int32) int32 { return n.g.ord[n.g.writes(n.writer(e, x))] }

// entryOf returns the entry of t, which writes x.
func (n *versionOrders) entryOf(t, x int32) int32 {
	if t == 0 {
		return n.start(x)
	}
	i, _ := slices.BinarySearch(n.f.writesOf(t), x)
	return n.entry[int(n.f.writeOff[t])+i]
}

// all puts all keys in order.
func (n *versionOrders) all() {
	var order []uint64
	for x := range int32(n.f.keys) {
		order = order[:0]
		lo := n.start(x)
		for _, e := range n.at[lo:n.start(x+1)] {
			order = append(order, uint64(n.ord(e, x))<<32|uint64(e))
		}
		slices.Sort(order)
		for i, o := range order {
			n.put(int32(uint32(o)), lo+int32(i))
		}
	}
}

func (n *versionOrders) put(e, position int32) { n.at[position], n.position[e] = e, position }

// follow puts the keys in order again after transactions have moved, but for the
// initial one.
func (n *versionOrders) follow(moved []int32) {
	for _, t := range moved {
		for _, r := range n.f.readsOf(t) {
			n.moved.add(n.position[n.entryOf(r.from, r.key)])
		}
		for _, e := range n.entry[n.f.writeOff[t]:n.f.writeOff[t+1]] {
			n.moved.add(n.position[e])
		}
	}
	n.moved.each(n.start, n.settle)
	n.moved.clear()
}

// settle puts the entry at position p of key x where it belongs among those before,
// which are in order. Where it has moved back, what comes after it is not.
func (n *versionOrders) settle(p, x int32) {
	lo, hi := n.start(x), n.start(x+1)
	for first := p; p < hi; p++ {
		e := n.at[p]
		mine := n.ord(e, x)
		q := p
		for ; q > lo && n.ord(n.at[q-1], x) > mine; q-- {
			n.put(n.at[q-1], q)
			n.look.add(q)
		}
		if q == p && p > first {
			return
		}
		n.put(e, q)
		n.look.add(q)
		if q > lo {
			n.look.add(q - 1)
		}
	}
}

// atOnce is how many variables a read may ask for at a time.
const atOnce = 4

// checkAll hands on the pairs of writers that are not in order. ask reports whether it
// did not know of a pair. checkAll reports whether there is such a pair.
func (n *versionOrders) checkAll(ask func(a, b int32) bool) bool {
	wrong := false
	for x := range int32(n.f.keys) {
		for p := n.start(x); p < n.start(x+1); p++ {
			wrong = n.check(p, x, ask) || wrong
		}
	}
	n.look.clear()
	return wrong
}

// checkChanged does that where something has changed since the last time.
func (n *versionOrders) checkChanged(ask func(a, b int32) bool) bool {
	wrong := false
	n.look.each(n.start, func(p, x int32) { wrong = n.check(p, x, ask) || wrong })
	n.look.clear()
	return wrong
}

// check looks at the entry at position p of key x: whether the next one overlaps with
// it, and whether what reads from it does so before the next ones write.
func (n *versionOrders) check(p, x int32, ask func(a, b int32) bool) bool {
	g, e, end := n.g, n.at[p], n.start(x+1)
	if p+1 == end {
		return false
	}
	t1, t2 := n.writer(e, x), n.writer(n.at[p+1], x)
	wrong := n.alone && g.ord[g.writes(t1)] > g.ord[g.reads(t2)] && ask(t1, t2)
	last := int32(-1)
	for _, r := range g.rd.at[n.readAt[e]:g.rd.off[t1+1]] {
		if r.key != x {
			break
		}
		last = max(last, g.ord[g.reads(r.txn)])
	}
	for j := p + 1; j < min(end, p+1+atOnce) && n.ord(n.at[j], x) < last; j++ {
		wrong = ask(t1, n.writer(n.at[j], x)) || wrong
	}
	return wrong
}

// positions is a set of positions in the version orders.
type positions []uint64

func newPositions(size int) positions { return make(positions, (size+63)/64) }

func (s positions) add(p int32) { s[p>>6] |= 1 << (p & 63) }

func (s positions) clear() { clear(s) }

// each goes through the positions in ascending order, with the keys to which they
// belong: those of key x begin at start(x).
func (s positions) each(start func(x int32) int32, do func(p, x int32)) {
	x := int32(0)
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			p := int32(i<<6 + bits.TrailingZeros64(word))
			for start(x+1) <= p {
				x++
			}
			do(p, x)
		}
	}
}
