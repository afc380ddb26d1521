package isolation

import "github.com/txmc/txmc/semantics"

// readCC forces what the read i adds under φ(t2, e) = (t2, tr(e)) ∈ (so ∪ wr)⁺:
// the new read sees the reader's whole causal past, and the transaction's
// earlier reads see what the past has gained by the writer that i reads from.
func (k *Known) readCC(h *semantics.Ordered, i int) bool {
	e := &h.Reads[i]
	t1 := int(e.From)
	before, past, writers := h.Before(i), h.Past(t1), h.Writers(e.Var)
	var sources, some uint64
	for w, b := range before {
		seen := b | past[w]
		if w == t1>>6 {
			seen |= 1 << (t1 & 63)
		}
		edges := seen & writers[w]
		if w == t1>>6 {
			edges &^= 1 << (t1 & 63)
		}
		gained := seen &^ b
		k.seen[w], k.edges[w] = gained, edges
		some |= gained
		sources |= edges
	}
	if sources != 0 && !k.force(t1) {
		return false
	}
	if some == 0 {
		return true
	}
	for j := int(h.Txns[e.Txn].First); j < i; j++ {
		k.see(h, j)
		if !k.force(int(h.Reads[j].From)) {
			return false
		}
	}
	return true
}
