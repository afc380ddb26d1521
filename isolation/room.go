package isolation

import (
	"math/bits"

	"github.com/txmc/txmc/semantics"
)

// makeRoom puts t into the order of w at SER where extendSerial finds no place. t is the last
// transaction that w knows of. t reads versions that some transactions overwrite, and has to
// follow others that come later than these. Those others are moved before the first that
// overwrites, with all that has to come before them, and t follows them. What is moved keeps its
// order, as does what is not.
//
// It reports false, and changes nothing, where one that overwrites would be moved too. There may be an order
// even so. Sets of transactions are single words.
func (w *witness) makeRoom(h *semantics.Ordered, t int) bool {
	first, over := w.overwriters(h, t)
	after := w.from(first)
	moved := uint64(1) << t
	for more := moved; more != 0; {
		before := w.mustPrecede(h, t, moved, after)
		more = before &^ moved
		moved |= before
		if moved&over != 0 {
			return false
		}
	}
	w.move(moved, first)
	w.rank[t] = first + int32(bits.OnesCount64(moved)) - 1
	w.size++
	return true
}

// from returns the transactions in the order from rank first on.
func (w *witness) from(first int32) (set uint64) {
	for u, k := range w.rank {
		if k >= first {
			set |= 1 << u
		}
	}
	return set
}

// overwriters returns the transactions that overwrite what t reads, and the least of their ranks, or the size of
// the order.
func (w *witness) overwriters(h *semantics.Ordered, t int) (first int32, set uint64) {
	first = w.size
	from, to := h.ReadsOf(t)
	for i := from; i < to; i++ {
		r := &h.Reads[i]
		for b := h.WritersWord(r.Var) & (1<<t - 1); b != 0; b &= b - 1 {
			u := bits.TrailingZeros64(b)
			if w.rank[u] > w.rank[r.From] {
				set |= 1 << u
				first = min(first, w.rank[u])
			}
		}
	}
	return first, set
}

// mustPrecede returns the transactions of the set after that have to come before a moved one.
// These are the causal past of the moved ones. Others read what a moved one overwrites, from a
// transaction that is moved or not in after. And others write: their write would else come
// between a moved transaction and one that reads from it and stays.
func (w *witness) mustPrecede(h *semantics.Ordered, t int, moved, after uint64) (set uint64) {
	for b := moved; b != 0; b &= b - 1 {
		set |= h.PastWord(bits.TrailingZeros64(b)) & after
	}
	stay := after &^ moved
	_, to := h.ReadsOf(t)
	for i := range h.Reads[:to] {
		r := &h.Reads[i]
		if after>>r.Txn&1 == 0 {
			continue
		}
		writers := h.WritersWord(r.Var)
		switch {
		case stay>>r.From&1 == 0 && w.somePrecededBy(int(r.Txn), t, writers&moved&^(1<<r.From|1<<r.Txn)):
			set |= 1 << r.Txn
		case moved>>r.From&1 != 0 && stay>>r.Txn&1 != 0:
			set |= w.ahead(int(r.From), writers&stay)
		}
	}
	return set
}

// somePrecededBy reports whether u is before one of the set, t being the last.
func (w *witness) somePrecededBy(u, t int, set uint64) bool {
	return set>>t&1 != 0 || set&^w.ahead(u, set) != 0
}

// ahead returns those of the set that are before u.
func (w *witness) ahead(u int, set uint64) (before uint64) {
	for b := set; b != 0; b &= b - 1 {
		if v := bits.TrailingZeros64(b); w.rank[v] < w.rank[u] {
			before |= 1 << v
		}
	}
	return before
}

// move puts those that are moved at rank first and the next ones. If one of them has no rank yet, a place is left
// for it behind the others.
func (w *witness) move(moved uint64, first int32) {
	var at [64]int32 // by rank: the transaction
	for u, k := range w.rank {
		if k >= first {
			at[k] = int32(u)
		}
	}
	place, rest := first, first+int32(bits.OnesCount64(moved))
	for _, u := range at[first:w.size] {
		if moved>>u&1 != 0 {
			w.rank[u] = place
			place++
		} else {
			w.rank[u] = rest
			rest++
		}
	}
}

// contradicts reports whether t, which has ended, would have to come both before and after
// another transaction at SER. Before t comes what is known to come before it. Before each of
// these comes a transaction that reads what it is known to overwrite. Sets of transactions are
// single words.
func (k *Known) contradicts(h *semantics.Ordered, t int) bool {
	rows := k.before.Words()
	over := k.overwriters(h, t)
	before := uint64(1) << t
	for fresh := before; fresh != 0 && over != 0; {
		set := k.readBefore(h, fresh, before)
		for b := fresh; b != 0; b &= b - 1 {
			set |= rows[bits.TrailingZeros64(b)]
		}
		fresh = set &^ before
		before |= fresh
		if before&over != 0 {
			return true
		}
	}
	return false
}

// overwriters returns the transactions that are known to overwrite what t reads.
func (k *Known) overwriters(h *semantics.Ordered, t int) (set uint64) {
	rows := k.before.Words()
	from, to := h.ReadsOf(t)
	for i := from; i < to; i++ {
		r := &h.Reads[i]
		for b := h.WritersWord(r.Var) &^ (1<<r.From | 1<<t); b != 0; b &= b - 1 {
			if u := bits.TrailingZeros64(b); u < len(rows) && rows[u]>>r.From&1 != 0 {
				set |= 1 << u
			}
		}
	}
	return set
}

// readBefore returns those, but for others, who read what one of the set is known to overwrite.
func (k *Known) readBefore(h *semantics.Ordered, set, others uint64) (readers uint64) {
	rows := k.before.Words()
	for i := range h.Reads {
		r := &h.Reads[i]
		if int(r.Txn) >= len(rows) || others>>r.Txn&1 != 0 {
			continue
		}
		for b := h.WritersWord(r.Var) & set &^ (1 << r.From); b != 0; b &= b - 1 {
			if rows[bits.TrailingZeros64(b)]>>r.From&1 != 0 {
				readers |= 1 << r.Txn
			}
		}
	}
	return readers
}
