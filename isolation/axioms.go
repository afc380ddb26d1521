package isolation

import (
	"math/bits"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// The axioms of RC, RA and CC in their fast form. Let e be a read of x from t1, in t3.
// It forces the edge t2 → t1 of the commit order for every other writer t2 of x with
// φ(t2, e). The literal form of these axioms, and of those of PC, SI and SER, is
// reference.Relations.Phi. PC, SI and SER are decided by search.
//
//	RC   φ(t2, e) = some read po-before e in t3 reads from t2
//	RA   φ(t2, e) = (t2, t3) ∈ so ∪ wr
//	CC   φ(t2, e) = (t2, t3) ∈ (so ∪ wr)⁺
//	PC   φ(t2, e) = ∃t4: (t2, t4) ∈ co*, (t4, t3) ∈ so ∪ wr
//	SI   φ(t2, e) = PC's, or ∃t4, y: t3 and t4 write y, (t2, t4) ∈ co*, (t4, t3) ∈ co
//	SER  φ(t2, e) = (t2, t3) ∈ co

// readRC forces edges t2 → t1 for the read e = i of x from t1. t2 is another writer of x,
// and the transaction of e has read from it before: φ(t2, e) = some read po-before e
// reads from t2.
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

// readRA forces what the read i adds under φ(t2, e) = (t2, tr(e)) ∈ so ∪ wr. The new
// read sees the session's earlier transactions and everything that its transaction
// reads from. The transaction's earlier reads now see the writer from which i reads.
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

// readCC forces what the read i adds under φ(t2, e) = (t2, tr(e)) ∈ (so ∪ wr)⁺. The new
// read sees the reader's whole causal past. The transaction's earlier reads see what
// the past has gained by the writer from which i reads.
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

// Forbids reports whether one look shows that the level forbids a read: that the pending
// transaction of h reads x from the ended transaction t. Another writer, which the reader has
// seen, comes after t. At CC that is most of what Read would find out. A read that Forbids does
// not forbid may still break the level.
func (k *Known) Forbids(h *semantics.Ordered, x behaviour.VarID, t int) bool {
	if k.level != CC {
		return false
	}
	past := h.Past(h.Len() - 1)
	for w, b := range h.Writers(x) {
		for b &= past[w]; b != 0; b &= b - 1 {
			if k.before.Row(w<<6 + bits.TrailingZeros64(b)).Has(t) {
				return true
			}
		}
	}
	return false
}

// Unforbidden returns the ended transactions that write x and of which Forbids is false. Where sets of transactions are
// no single words it returns none.
func (k *Known) Unforbidden(h *semantics.Ordered, x behaviour.VarID) (set uint64) {
	if h.Words() > 1 {
		return 0
	}
	set = h.WritersWord(x)
	if k.level != CC {
		return set
	}
	rows := k.before.Words()
	for b := set & h.PastWord(h.Len()-1); b != 0; b &= b - 1 {
		set &^= rows[bits.TrailingZeros64(b)]
	}
	return set
}

// Last reports whether the ended transaction t, which writes x, is known to come after all others
// that write x. It works where sets of transactions are single words.
func (k *Known) Last(h *semantics.Ordered, x behaviour.VarID, t int) bool {
	return h.Words() == 1 && h.WritersWord(x)&^(k.before.Words()[t]|1<<t) == 0
}

// Refuses reports whether the level forbids every history in which read i of h is
// re-pointed to the last transaction t. It looks for an earlier read of the same
// transaction, of a variable from w, and for a transaction u that the reader sees only
// after the swap. u has overwritten the variable after seeing w. The causal order is
// enough to find them. A swap that Refuses accepts may still break the level.
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
