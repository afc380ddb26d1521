package isolation

import (
	"math/bits"

	"github.com/txmc/txmc/semantics"
)

// The computations that every read of an exploration needs, for histories of up to 64 transactions:
// there a set of transactions is a single word, and no rows are needed.

// readCCWord is readCC.
func (k *Known) readCCWord(h *semantics.Ordered, i int) bool {
	e := &h.Reads[i]
	before := h.BeforeWord(i)
	seen := before | h.PastWord(int(e.From)) | 1<<e.From
	if edges := seen & h.WritersWord(e.Var) &^ (1 << e.From); edges != 0 && !k.forceWord(int(e.From), edges) {
		return false
	}
	gained := seen &^ before
	if gained == 0 {
		return true
	}
	for j := int(h.Txns[e.Txn].First); j < i; j++ {
		d := &h.Reads[j]
		if edges := gained & h.WritersWord(d.Var) &^ (1 << d.From); edges != 0 && !k.forceWord(int(d.From), edges) {
			return false
		}
	}
	return true
}

// forceWord is force, of some edges.
func (k *Known) forceWord(target int, edges uint64) bool {
	rows := k.before.Words()
	k.free = false
	edges &^= rows[target]
	if edges == 0 {
		return true
	}
	gather := uint64(0)
	for b := edges; b != 0; b &= b - 1 {
		a := bits.TrailingZeros64(b)
		if a == target || rows[a]>>target&1 != 0 {
			return false
		}
		gather |= rows[a] | 1<<a
	}
	for u, row := range rows {
		if (u == target || row>>target&1 != 0) && gather&^row != 0 {
			k.log = append(k.log, change{int32(u), 0, row})
			rows[u] = row | gather
		}
	}
	return true
}

// endWord is end, of no final session.
func (k *Known) endWord(h *semantics.Ordered, t int) {
	rows := k.before.Words()
	row := h.PastWord(t) | rows[h.Txns[t].Prev]
	from, to := h.ReadsOf(t)
	for i := from; i < to; i++ {
		row |= rows[h.Reads[i].From]
	}
	k.before.Push()[0] = row
	k.marks = append(k.marks, int32(len(k.log)))
}
