package isolation

import (
	"slices"

	"github.com/txmc/txmc/semantics"
)

// Known is what is known of the commit order of an ordered history: the
// transitive closure of so ∪ wr and of the edges that a level's axiom forces. A
// history satisfies RC, RA or CC exactly when that relation is acyclic. It grows
// with the history, read by read; a pending transaction has no successors, so a
// read forces edges among ended transactions only.
type Known struct {
	level  Level
	before semantics.Rows // by ended transaction: those that precede it in co
	log    []change
	marks  []int32       // by transaction: the length of the log when it began
	seen   semantics.Row // scratch: what the reader sees after a read
	edges  semantics.Row // scratch: sources of forced edges
	gather semantics.Row // scratch
	free   bool          // whether the present read has forced nothing, not even known edges
}

// change is an entry of the undo log.
type change struct {
	txn, word int32
	old       uint64
}

// Reset empties k for histories of level l, which is True, RC, RA or CC.
func (k *Known) Reset(h *semantics.Ordered, l Level) {
	k.level = l
	k.log = k.log[:0]
	k.before.Reset(h.Words())
	k.scratch(h.Words())
	k.before.Push()
	k.marks = append(slices.Grow(k.marks[:0], 16), 0, 0)
}

func (k *Known) scratch(words int) {
	if len(k.seen) != words {
		k.seen, k.edges, k.gather = make(semantics.Row, words), make(semantics.Row, words), make(semantics.Row, words)
	}
}

// fit follows the growth of h's rows.
func (k *Known) fit(h *semantics.Ordered) {
	if len(k.seen) != h.Words() {
		k.widen(h.Words())
	}
}

func (k *Known) widen(words int) {
	k.scratch(words)
	k.before.Widen(words)
}

// Before returns the ended transactions known to precede the ended transaction
// t in every commit order that the level allows.
func (k *Known) Before(t int) semantics.Row { return k.before.Row(t) }

// Mark returns the present state for Undo.
func (k *Known) Mark() int { return len(k.log) }

// Undo restores the state at mark. Transactions ended since then are undone
// first.
func (k *Known) Undo(mark int) {
	for i := len(k.log) - 1; i >= mark; i-- {
		c := k.log[i]
		k.before.Row(int(c.txn))[c.word] = c.old
	}
	k.log = k.log[:mark]
}

// End adds the last transaction of h, which has just ended.
func (k *Known) End(h *semantics.Ordered) { k.end(h, h.Len()-1) }

func (k *Known) end(h *semantics.Ordered, t int) {
	k.fit(h)
	if h.Words() == 1 && int(h.Txns[t].Session) != h.Final() {
		k.endWord(h, t)
		return
	}
	row := k.before.Push()
	row.Union(h.Past(t))
	k.marks = append(k.marks, int32(len(k.log)))
	if int(h.Txns[t].Session) == h.Final() {
		for i := 1; i < t; i++ {
			row.Union(k.before.Row(i))
		}
		return
	}
	row.Union(k.before.Row(int(h.Txns[t].Prev)))
	from, to := h.ReadsOf(t)
	for _, r := range h.Reads[from:to] {
		row.Union(k.before.Row(int(r.From)))
	}
}

// UndoEnd is the inverse of End.
func (k *Known) UndoEnd() {
	k.before.Truncate(k.before.Len() - 1)
	k.marks = k.marks[:len(k.marks)-1]
}

// Read adds what the last read of h forces. It reports whether the history still
// satisfies the level; if not, the caller must Undo.
func (k *Known) Read(h *semantics.Ordered) bool { return k.read(h, len(h.Reads)-1) }

// ReadOnly is Read where no swap follows: whether the read forces anything is not noted.
func (k *Known) ReadOnly(h *semantics.Ordered) bool {
	if k.level == CC && h.Words() == 1 {
		return k.readCCWord(h, len(h.Reads)-1)
	}
	return k.Read(h)
}

func (k *Known) read(h *semantics.Ordered, i int) bool {
	if h.Reads[i].Free == uint8(k.level) {
		return true
	}
	k.fit(h)
	k.free = true
	ok := true
	switch k.level {
	case RC:
		ok = k.readRC(h, i)
	case RA:
		ok = k.readRA(h, i)
	case CC:
		if h.Words() == 1 {
			ok = k.readCCWord(h, i)
		} else {
			ok = k.readCC(h, i)
		}
	}
	if k.free {
		h.Reads[i].Free = uint8(k.level)
	}
	return ok
}

// Continue makes k what g knew when the first n transactions had ended and no other had
// begun. It is for a history h that begins with these.
func (k *Known) Continue(h *semantics.Ordered, g *Known, n int) {
	k.level = g.level
	k.log = append(k.log[:0], g.log[:g.marks[n]]...)
	k.marks = append(k.marks[:0], g.marks[:n+1]...)
	k.before.CopyFrom(&g.before, n)
	for i := len(g.log) - 1; i >= len(k.log); i-- {
		if c := g.log[i]; int(c.txn) < n {
			k.before.Row(int(c.txn))[c.word] = c.old
		}
	}
	k.widen(h.Words())
}

// Replay adds the transactions of h from n on to what is known of the first n,
// and reports whether the history satisfies the level.
func (k *Known) Replay(h *semantics.Ordered, n int) bool {
	ended := h.Ended()
	for t := n; t < h.Len(); t++ {
		from, to := h.ReadsOf(t)
		for i := from; i < to; i++ {
			if !k.read(h, i) {
				return false
			}
		}
		if t < ended {
			k.end(h, t)
		}
	}
	return true
}

// Precede adds that the ended transaction a comes before the ended transaction b in
// every commit order that is wanted. It reports whether there can still be one.
func (k *Known) Precede(h *semantics.Ordered, a, b int) bool {
	k.fit(h)
	clear(k.edges)
	k.edges.Add(a)
	return k.force(b)
}

// force adds the edges from all of k.edges to target; false if that makes a
// cycle. All edges lead to one target, so a cycle uses exactly one of them.
func (k *Known) force(target int) bool {
	known := k.before.Row(target)
	var some, fresh uint64
	for w, b := range k.edges {
		some |= b
		b &^= known[w]
		k.edges[w] = b
		fresh |= b
	}
	k.free = k.free && some == 0
	if fresh == 0 {
		return true
	}
	clear(k.gather)
	for a := k.edges.Next(0); a >= 0; a = k.edges.Next(a + 1) {
		row := k.before.Row(a)
		if a == target || row.Has(target) {
			return false
		}
		k.gather.Union(row)
		k.gather.Add(a)
	}
	for u := range k.before.Len() {
		row := k.before.Row(u)
		if u != target && !row.Has(target) {
			continue
		}
		for w, b := range k.gather {
			if b&^row[w] != 0 {
				k.log = append(k.log, change{int32(u), int32(w), row[w]})
				row[w] |= b
			}
		}
	}
	return true
}
