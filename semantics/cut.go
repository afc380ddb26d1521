package semantics

import "github.com/txmc/txmc/program/behaviour"

// Cut makes g the rest of h when transaction t is kept and read k is cut off. What has
// to come before t is kept too, its causal past or more. g has no events after k in <
// whose transactions are not in past, and it does not have k. The reader of k, which
// must not be in past, is pending in g and stands before k; it is moved to the end of
// <. It returns the position of t in g. (PLDI 2023, section 5.2.)
//
// What comes before the reader in < stays as it is. The past has, of each of its
// transactions, the causal past too.
func (g *Ordered) Cut(h *Ordered, k, t int, past Row) int {
	reader := int(h.Reads[k].Txn)
	g.copyFrom(h, reader)
	g.moved = g.moved[:0]
	for i := reader + 1; i <= t; i++ {
		g.moved = append(g.moved, int32(g.Len()))
		if i == t || past.Has(i) {
			g.repeat(h, i, reader)
		}
	}
	g.repeatReader(h, reader, k)
	return int(g.moved[t-reader-1])
}

// repeat appends the ended transaction i of h to g. Positions up to reader are
// the same in both; from there on g.moved tells them.
func (g *Ordered) repeat(h *Ordered, i, reader int) {
	log := h.Txns[i]
	g.Begin(int(log.Session))
	at := int32(g.Len() - 1)
	from, to := h.ReadsOf(i)
	for k := from; k < to; k++ {
		r := h.Reads[k]
		r.Txn = at
		if int(r.From) > reader {
			r.From = g.moved[int(r.From)-reader-1]
		}
		g.Reads = append(g.Reads, r)
		g.relocate(g.before.Push(), h.before.Row(k), reader)
	}
	g.relocate(g.past.Row(int(at)), h.past.Row(i), reader)
	g.Last().Node = log.Node
	g.endAs(&log)
}

// repeatReader appends the transaction reader of h to g, pending before its read
// k. All that it has seen is before it in both.
func (g *Ordered) repeatReader(h *Ordered, reader, k int) {
	g.Begin(int(h.Txns[reader].Session))
	first := int(h.Txns[reader].First)
	at := int32(g.Len() - 1)
	for i := first; i < k; i++ {
		r := h.Reads[i]
		r.Txn = at
		g.Reads = append(g.Reads, r)
		copy(g.before.Push(), h.before.Row(i))
	}
	copy(g.past.Row(int(at)), h.before.Row(k))
	g.Last().Node = h.Reads[k].Node
}

// relocate makes dst the set src with the positions of g instead of h's.
func (g *Ordered) relocate(dst, src Row, reader int) {
	copy(dst, src)
	w := reader >> 6
	dst[w] &= 1<<(reader&63) - 1
	clear(dst[w+1:])
	for i := src.Next(reader + 1); i >= 0; i = src.Next(i + 1) {
		dst.Add(int(g.moved[i-reader-1]))
	}
}

// CopyPrefix makes g a copy of the first txns transactions and the first reads
// reads of h. The last transaction of the prefix is pending and stands at node,
// unless node is nil.
func (g *Ordered) CopyPrefix(h *Ordered, txns, reads int, node *behaviour.Node) {
	if node == nil {
		g.copyFrom(h, txns)
		return
	}
	last := txns - 1
	g.copyFrom(h, last)
	g.Begin(int(h.Txns[last].Session))
	from, to := h.ReadsOf(last)
	for k := from; k < min(to, reads); k++ {
		g.Reads = append(g.Reads, h.Reads[k])
		copy(g.before.Push(), h.before.Row(k))
	}
	seen := h.past.Row(last)
	if reads < to {
		seen = h.before.Row(reads)
	}
	copy(g.past.Row(last), seen)
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
	g.progress = append(g.progress[:0], h.progress...)
	for i := range g.progress {
		p := &g.progress[i]
		for int(p.last) >= n {
			p.last = h.Txns[p.last].Prev
			p.done--
		}
		p.node = g.start(int32(i), p.last)
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
