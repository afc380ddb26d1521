package isolation

import "github.com/txmc/txmc/semantics"

// readCC forces what the read i adds under φ(t2, e) = (t2, tr(e)) ∈ (so ∪ wr)⁺:
// the new read sees the reader's whole causal past, and the transaction's
// earlier reads see what the past has gained by the writer that i reads from.
func (k *Known) readCC(h *semantics.Ordered, i int) bool {
	e := h.Reads[i]
	t1 := int(e.From)
	before, past := h.Before(i), h.Past(t1)
	for w := range k.seen {
		k.seen[w] = before[w] | past[w]
	}
	k.seen.Add(t1)
	k.see(h, i)
	if !k.force(t1) {
		return false
	}
	gained, some := k.seen, uint64(0)
	for w, b := range before {
		gained[w] &^= b
		some |= gained[w]
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
