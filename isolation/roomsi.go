package isolation

import (
	"math/bits"

	"github.com/txmc/txmc/semantics"
)

// makeRoomBefore is makeRoom at SI, for an order of the transactions that write. It is used where
// extendSnapshot finds no snapshot for t: t reads versions that are overwritten, and has to see
// transactions that come later. The later ones are moved before the first that overwrites, with
// all that has to come before them there. It is for histories without locking reads.
func (w *witness) makeRoomBefore(h *semantics.Ordered, t int) bool {
	first, over := w.overwriters(h, t)
	after := w.from(first)
	moved := w.sees(h, t) & after
	for more := moved; more != 0; {
		if moved&over != 0 {
			return false
		}
		before := w.mustMove(h, t, moved, after)
		more = before &^ moved
		moved |= before
	}
	w.move(moved, first)
	if len(h.Txns[t].Writes) > 0 {
		w.rank[t] = w.size
		w.size++
	}
	return true
}

// sees returns the transactions that u sees: its causal past, and who comes before it in the order and writes
// what it writes.
func (w *witness) sees(h *semantics.Ordered, u int) uint64 {
	set := h.PastWord(u)
	for _, v := range h.Txns[u].Writes {
		others := h.WritersWord(v.Var) & (1<<(len(w.rank)-1) - 1) &^ (1 << u)
		if w.rank[u] >= 0 {
			others = w.ahead(u, others)
		}
		set |= others
	}
	return set
}

// mustMove returns the transactions of the set after that have to move as well. All that a moved
// one sees have to. The transactions that a transaction u sees have to move too, where u cannot
// stay: there a write that u must not see would come before one that u sees (uncovers).
func (w *witness) mustMove(h *semantics.Ordered, t int, moved, after uint64) (set uint64) {
	for b := moved; b != 0; b &= b - 1 {
		set |= w.sees(h, bits.TrailingZeros64(b)) & after
	}
	for u := 1; u < t; u++ {
		if seen := w.sees(h, u) & after; seen&^moved != 0 && w.uncovers(h, u, moved, after) {
			set |= seen
		}
	}
	return set
}

// uncovers reports whether a write that transaction u must not see is moved before something that u sees and that stays. A
// read whose writer stays needs no look: the write came before that writer already, or does now.
func (w *witness) uncovers(h *semantics.Ordered, u int, moved, after uint64) bool {
	from, to := h.ReadsOf(u)
	for i := from; i < to; i++ {
		r := &h.Reads[i]
		if after&^moved>>r.From&1 != 0 {
			continue
		}
		if others := h.WritersWord(r.Var) & moved &^ (1<<r.From | 1<<u); others&^w.ahead(int(r.From), others) != 0 {
			return true
		}
	}
	return false
}

// contradictsBefore reports whether t, which has ended, would have to see at SI what it must not see: a transaction that is
// known to overwrite what it reads. It sees its causal past and what is known to precede what it sees. Let u read what a
// transaction v is known to overwrite, where t sees v: then t sees all that u sees. For u began before the end of v; if both
// write the same variable, it ended before the other began.
func (k *Known) contradictsBefore(h *semantics.Ordered, t int) bool {
	rows := k.before.Words()
	over := k.overwriters(h, t)
	if over == 0 {
		return false
	}
	sees := uint64(0)
	for fresh := h.PastWord(t) | k.seenWith(h, 1<<t, t); fresh != 0; {
		if sees |= fresh; sees&over != 0 {
			return true
		}
		set := k.seenWith(h, fresh, t)
		for b := fresh; b != 0; b &= b - 1 {
			set |= rows[bits.TrailingZeros64(b)]
		}
		fresh = set &^ sees
	}
	return false
}

// seenWith returns what t sees because some read what is known to be overwritten by one of the set, which t sees, or is.
func (k *Known) seenWith(h *semantics.Ordered, set uint64, t int) (seen uint64) {
	rows := k.before.Words()
	for i := range h.Reads[:h.Txns[t].First] {
		r := &h.Reads[i]
		for b := h.WritersWord(r.Var) & set &^ (1<<r.From | 1<<r.Txn); b != 0; b &= b - 1 {
			v := bits.TrailingZeros64(b)
			if rows[v]>>r.From&1 == 0 {
				continue
			}
			if v != t {
				seen |= h.PastWord(int(r.Txn))
			}
			if overlap(h, int(r.Txn), v) || v != t && overlap(h, int(r.Txn), t) {
				seen |= 1 << r.Txn
			}
		}
	}
	return seen
}

// overlap reports whether u and v write the same variable.
func overlap(h *semantics.Ordered, u, v int) bool {
	for _, x := range h.Txns[v].Writes {
		if h.WritersWord(x.Var)>>u&1 != 0 {
			return true
		}
	}
	return false
}
