package isolation

import "github.com/txmc/txmc/semantics"

// Refuses reports whether read i of h, re-pointed to the last transaction t,
// would break the level whatever is kept of the rest: an earlier read of the same
// transaction reads a variable from w that somebody newly seen has overwritten
// after seeing w. It needs the causal order only, and so spares the caller most
// of the histories that do not satisfy the level; those that it lets pass may
// still not.
func (k *Known) Refuses(h *semantics.Ordered, i, t int) bool {
	if k.level != RA && k.level != CC {
		return false
	}
	k.fit(h)
	clear(k.seen)
	if k.level == CC {
		copy(k.seen, h.Past(t))
	}
	k.seen.Add(t)
	for w, b := range h.Before(i) {
		k.seen[w] &^= b
	}
	for j := int(h.Txns[h.Reads[i].Txn].First); j < i; j++ {
		e := &h.Reads[j]
		writers := h.Writers(e.Var)
		for w := range k.seen {
			k.edges[w] = k.seen[w] & writers[w]
		}
		for u := k.edges.Next(0); u >= 0; u = k.edges.Next(u + 1) {
			if h.Past(u).Has(int(e.From)) {
				return true
			}
		}
	}
	return false
}
