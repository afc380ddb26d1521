package semantics

import (
	"math/bits"

	"github.com/txmc/txmc/program/behaviour"
)

// Reads are what an ordered history is extended by most often, and what is taken back: of most nothing is to be known
// but what the reader saw before.

// Read extends the pending transaction by a read of x from the transaction from.
// Whether it is a locking read the point says at which the transaction stands.
func (h *Ordered) Read(x behaviour.VarID, from int) {
	t := len(h.Txns) - 1
	before, past := h.before.Push(), h.past.Row(t)
	copy(before, past)
	recency := Unseen
	if past.Has(from) {
		recency = Newest
		if h.later(x, from, t) >= 0 {
			recency = Overtaken
		}
	} else {
		past.Union(h.past.Row(from))
		past.Add(from)
	}
	h.addRead(t, from, x, recency)
}

// addRead appends a read of transaction t. It is set field by field, in place: a copy of a whole one, just made, is slow.
func (h *Ordered) addRead(t, from int, x behaviour.VarID, recency Recency) {
	k := len(h.Reads)
	if k == cap(h.Reads) {
		h.Reads = append(h.Reads, ReadFrom{})
	}
	h.Reads = h.Reads[:k+1]
	r, node := &h.Reads[k], h.Txns[t].Node
	r.Txn, r.From, r.Var = int32(t), int32(from), x
	r.Free, r.Past, r.Lock, r.Node = 0, recency, node != nil && node.Lock, node
}

// ReadOnly is Read in a history from which no swap follows: how the writer stands to those
// in the causal past is not noted.
func (h *Ordered) ReadOnly(x behaviour.VarID, from int) {
	h.before.pushCopy(&h.past, len(h.Txns)-1)
	h.addRead(len(h.Txns)-1, from, x, Unseen)
	if h.words == 1 {
		if past := &h.past.bits[len(h.Txns)-1]; *past>>from&1 == 0 {
			*past |= h.past.bits[from] | 1<<from
		}
		return
	}
	past := h.past.Row(len(h.Txns) - 1)
	if !past.Has(from) {
		past.Union(h.past.Row(from))
		past.Add(from)
	}
}

// Unwritten reports whether only the initial transaction has written x.
func (h *Ordered) Unwritten(x behaviour.VarID) bool {
	if h.words > 1 {
		return h.Writers(x).Next(1) < 0
	}
	return h.writers.n <= int(x) || h.writers.bits[x] == 1
}

// ReadInitial is ReadOnly of a variable that nobody else has written. As every transaction has seen
// the initial one, such a read changes nothing of what is known.
func (h *Ordered) ReadInitial(x behaviour.VarID) {
	if h.writers.n <= int(x) {
		h.discover(x)
	}
	h.before.pushCopy(&h.past, len(h.Txns)-1)
	h.addRead(len(h.Txns)-1, 0, x, Unseen)
}

// Answer lets the pending transaction, whose last event is a read, go on to the point n. What
// the session does there may tell that the read is a locking one.
func (h *Ordered) Answer(n *behaviour.Node) {
	h.Last().Node = n
	if n.Joined {
		h.Reads[len(h.Reads)-1].Lock = true
	}
}

// later returns the first writer of x after from in the causal past of t, or -1.
func (h *Ordered) later(x behaviour.VarID, from, t int) int {
	writers, past := h.Writers(x), h.past.Row(t)
	for w := from >> 6; w < len(past); w++ {
		b := writers[w] & past[w]
		if w == from>>6 {
			b &= ^uint64(1) << (from & 63)
		}
		if b != 0 {
			return w<<6 + bits.TrailingZeros64(b)
		}
	}
	return -1
}

// UndoRead is the inverse of Read.
func (h *Ordered) UndoRead() { h.UndoReads(len(h.Reads) - 1) }

// UndoReads takes back all reads but the first n, which are the pending transaction's.
func (h *Ordered) UndoReads(n int) {
	if n == len(h.Reads) {
		return
	}
	if h.words == 1 {
		h.past.bits[len(h.Txns)-1] = h.before.bits[n]
	} else {
		copy(h.past.Row(len(h.Txns)-1), h.before.Row(n))
	}
	h.before.Truncate(n)
	h.Reads = h.Reads[:n]
}
