package semantics

import "github.com/txmc/txmc/program"

// Cut makes g the history that is left of h when transaction t is kept with all
// that precedes it causally, and read k is cut off: without the events after k
// in < whose transactions are not in the causal past of t, and without k. The
// reader of k, which must not be in the causal past of t, is pending in g and
// stands before k; it is moved to the end of <. It returns the position of t in
// g. (PLDI 2023, section 5.2.)
func (g *Ordered) Cut(h *Ordered, k, t int) int {
	g.words = max(g.words, h.words)
	g.Reset(len(h.places), int(h.final), h.roots)
	reader := int(h.Reads[k].Txn)
	past := h.Past(t)
	moved := t // position in g of the transaction at position i of h, i > reader
	shift := make([]int32, 0, 64)
	at := func(i int32) int {
		if int(i) < reader {
			return int(i)
		}
		return int(shift[int(i)-reader-1])
	}
	for i := 1; i <= t; i++ {
		if i > reader {
			shift = append(shift, int32(g.Len()))
		}
		if i == reader || i > reader && i != t && !past.Has(i) {
			continue
		}
		moved = g.Len()
		g.Begin(int(h.Txns[i].Session))
		from, to := h.ReadsOf(i)
		for _, r := range h.Reads[from:to] {
			g.Last().Node = r.Node
			g.Read(r.Var, at(r.From))
		}
		g.Last().Node = h.Txns[i].Node
		g.endAs(&h.Txns[i])
	}
	g.Begin(int(h.Txns[reader].Session))
	from, _ := h.ReadsOf(reader)
	for _, r := range h.Reads[from:k] {
		g.Last().Node = r.Node
		g.Read(r.Var, at(r.From))
	}
	g.Last().Node = h.Reads[k].Node
	return moved
}

// CopyPrefix makes g a copy of the first txns transactions and the first reads
// reads of h. The last transaction of the prefix is pending and stands at node,
// unless node is nil.
func (g *Ordered) CopyPrefix(h *Ordered, txns, reads int, node *program.Node) {
	g.words = h.words
	g.Reset(len(h.places), int(h.final), h.roots)
	for t := 1; t < txns; t++ {
		log := &h.Txns[t]
		g.Begin(int(log.Session))
		from, to := h.ReadsOf(t)
		for _, r := range h.Reads[from:min(to, reads)] {
			g.Last().Node = r.Node
			g.Read(r.Var, int(r.From))
		}
		if t == txns-1 && node != nil {
			g.Last().Node = node
			return
		}
		g.Last().Node = log.Node
		g.endAs(log)
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
