package semantics

import "github.com/txmc/txmc/program"

// Cut makes g the history that is left of h when transaction t is kept with all
// that precedes it causally, and read k is cut off: without the events after k
// in < whose transactions are not in the causal past of t, and without k. The
// reader of k, which must not be in the causal past of t, is pending in g and
// stands before k; it is moved to the end of <. It returns the position of t in
// g. (PLDI 2023, section 5.2.)
//
// What comes before the reader in < stays as it is.
func (g *Ordered) Cut(h *Ordered, k, t int) int {
	reader := int(h.Reads[k].Txn)
	g.copyFrom(h, reader)
	past := h.Past(t)
	g.moved = g.moved[:0]
	for i := reader + 1; i <= t; i++ {
		g.moved = append(g.moved, int32(g.Len()))
		if i == t || past.Has(i) {
			g.repeat(h, i, reader, len(h.Reads))
			g.Last().Node = h.Txns[i].Node
			g.endAs(&h.Txns[i])
		}
	}
	g.repeat(h, reader, reader, k)
	g.Last().Node = h.Reads[k].Node
	return int(g.moved[t-reader-1])
}

// CopyPrefix makes g a copy of the first txns transactions and the first reads
// reads of h. The last transaction of the prefix is pending and stands at node,
// unless node is nil.
func (g *Ordered) CopyPrefix(h *Ordered, txns, reads int, node *program.Node) {
	if node == nil {
		g.copyFrom(h, txns)
		return
	}
	g.copyFrom(h, txns-1)
	g.repeat(h, txns-1, txns, reads)
	g.Last().Node = node
}

// copyFrom makes g a copy of the first n transactions of h, all ended.
func (g *Ordered) copyFrom(h *Ordered, n int) {
	reads := len(h.Reads)
	if n < len(h.Txns) {
		reads = int(h.Txns[n].First)
	}
	g.words, g.final, g.roots = h.words, h.final, h.roots
	g.Txns = append(g.Txns[:0], h.Txns[:n]...)
	g.Reads = append(g.Reads[:0], h.Reads[:reads]...)
	g.past.CopyFrom(&h.past, n)
	g.before.CopyFrom(&h.before, reads)
	g.writers.CopyFrom(&h.writers, h.writers.Len())
	if n < len(h.Txns) {
		g.writers.Below(n)
	}
	g.places = append(g.places[:0], h.places...)
	for i := range g.places {
		p := &g.places[i]
		for int(p.last) >= n {
			p.last = h.Txns[p.last].Prev
			p.done--
		}
		p.node = g.start(int32(i), p.last)
	}
}

// repeat begins transaction i of h in g, with its reads before read k. Those of
// h's transactions that come after reader stand in g where g.moved says.
func (g *Ordered) repeat(h *Ordered, i, reader, k int) {
	g.Begin(int(h.Txns[i].Session))
	from, to := h.ReadsOf(i)
	for _, r := range h.Reads[from:min(to, k)] {
		at := int(r.From)
		if at > reader {
			at = int(g.moved[at-reader-1])
		}
		g.Last().Node = r.Node
		g.Read(r.Var, at)
		g.Reads[len(g.Reads)-1].Free = r.Free
	}
}

// endAs ends the pending transaction as log ended.
func (h *Ordered) endAs(log *Log) {
	if log.Status == Committed {
		h.Commit(log.Writes)
	} else {
		h.Abort()
	}
}
