package isolation

import "github.com/txmc/txmc/semantics"

// readRC forces, for the read e = i of x from t1, the edge t2 → t1 for every
// other writer t2 of x from which its transaction has read before:
// φ(t2, e) = some read po-before e reads from t2.
func (k *Known) readRC(h *semantics.Ordered, i int) bool {
	e := h.Reads[i]
	writers := h.Writers(e.Var)
	clear(k.edges)
	for j := int(h.Txns[e.Txn].First); j < i; j++ {
		if t2 := int(h.Reads[j].From); t2 != int(e.From) && writers.Has(t2) {
			k.edges.Add(t2)
		}
	}
	return k.force(int(e.From))
}
