package isolation

import "github.com/txmc/txmc/semantics"

// readRA forces what the read i adds under φ(t2, e) = (t2, tr(e)) ∈ so ∪ wr: the
// new read sees the session's earlier transactions and everything that its
// transaction reads from; the transaction's earlier reads now see the writer
// that i reads from.
func (k *Known) readRA(h *semantics.Ordered, i int) bool {
	e := h.Reads[i]
	t1 := int(e.From)
	first := int(h.Txns[e.Txn].First)
	k.sessionOrder(h, int(e.Txn))
	for j := first; j < i; j++ {
		k.seen.Add(int(h.Reads[j].From))
	}
	k.see(h, i)
	if !k.force(t1) {
		return false
	}
	for j := first; j < i; j++ {
		d := h.Reads[j]
		if int(d.From) != t1 && h.Writers(d.Var).Has(t1) {
			clear(k.edges)
			k.edges.Add(t1)
			if !k.force(int(d.From)) {
				return false
			}
		}
	}
	return true
}

// sessionOrder sets k.seen to the transactions before t in session order.
func (k *Known) sessionOrder(h *semantics.Ordered, t int) {
	clear(k.seen)
	if int(h.Txns[t].Session) == h.Final() {
		for i := range t {
			k.seen.Add(i)
		}
		return
	}
	for p := int(h.Txns[t].Prev); p != 0; p = int(h.Txns[p].Prev) {
		k.seen.Add(p)
	}
	k.seen.Add(0)
}

// see sets k.edges to the writers in k.seen of the variable that i reads, other
// than the one it reads from.
func (k *Known) see(h *semantics.Ordered, i int) {
	e := h.Reads[i]
	writers := h.Writers(e.Var)
	for w := range k.edges {
		k.edges[w] = k.seen[w] & writers[w]
	}
	k.edges.Remove(int(e.From))
}
