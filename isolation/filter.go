package isolation

import (
	"math/bits"
	"slices"

	"github.com/txmc/txmc/semantics"
)

// Filter decides PC, SI or SER for an ordered history that grows and shrinks at
// its end and satisfies CC. For the ended transactions it keeps a commit order
// that shows the level, or the knowledge that there is none. The levels are
// prefix-closed: a history whose prefix has none has none either. Mostly the order
// of a prefix only has to be extended by the transaction that follows, which takes
// one look at its reads. Only where that fails is a new order
// searched.
type Filter struct {
	level  Level
	search search
	// steps[m] is for the history with m ended transactions; nil where it is not
	// known. Those of a history that was continued belong to its filter.
	steps []*witness
	own   []*witness
}

// witness is a commit order that shows a level: for SER of all transactions, for
// PC and SI of those that write.
type witness struct {
	rank []int32 // place in the order, by transaction; -1 when not in it
	size int32   // of the order
	none bool    // there is no order
}

// Reset starts with the initial history.
func (f *Filter) Reset(l Level) {
	f.level = l
	f.steps = append(f.steps[:0], nil)
	w := f.push()
	w.rank, w.size = append(w.rank, 0), 1
}

// Continue starts with h; only ended transactions count. The first n of them are the first n
// of the history that filter g has seen. Filter g must not change while f is in use.
func (f *Filter) Continue(h *semantics.Ordered, known *Known, g *Filter, n int) {
	f.level = g.level
	f.steps = append(f.steps[:0], g.steps[:n+1]...)
	for f.steps[n] == nil {
		n--
	}
	old, ended := f.steps[n], h.Ended()
	for len(f.steps) < ended {
		f.steps = append(f.steps, nil)
	}
	if len(f.steps) > ended {
		return
	}
	f.decide(h, known, old, n)
}

// Copy makes f a copy of g for the first n ended transactions of its history.
func (f *Filter) Copy(g *Filter, n int) {
	f.level = g.level
	f.steps = f.steps[:0]
	for _, w := range g.steps[:n+1] {
		if w == nil {
			f.steps = append(f.steps, nil)
			continue
		}
		own := f.push()
		own.rank, own.size, own.none = append(own.rank, w.rank...), w.size, w.none
	}
}

// End follows the end of the last transaction of h.
func (f *Filter) End(h *semantics.Ordered, known *Known) {
	n := len(f.steps) - 1
	for f.steps[n] == nil {
		n--
	}
	for n < len(f.steps)-1 && f.recall(h, n) {
		n++
	}
	f.decide(h, known, f.steps[n], n)
}

// EndAllowed is End where the last transaction can be put last in every order for the others. Each of its reads is from
// a transaction that comes after all others that have written the variable, as was known before the read. So the level
// allows what it allowed before. An order is made when one is asked for.
func (f *Filter) EndAllowed() { f.steps = append(f.steps, nil) }

// recall makes the step for n + 1 ended transactions of h, which EndAllowed has left out: the last of them is put last. It
// reports false where there is no order before it.
func (f *Filter) recall(h *semantics.Ordered, n int) bool {
	if len(f.own) <= n+1 {
		f.enlarge(n + 1)
	}
	old, w := f.steps[n], f.own[n+1]
	if old.none {
		return false
	}
	w.rank, w.size, w.none = append(append(w.rank[:0], old.rank...), -1), old.size, false
	if f.level == SER || len(h.Txns[n].Writes) > 0 {
		w.rank[n] = w.size
		w.size++
	}
	f.steps[n+1] = w
	return true
}

// UndoEnd is the inverse of End.
func (f *Filter) UndoEnd() { f.steps = f.steps[:len(f.steps)-1] }

// Valid reports whether the ended transactions satisfy the level.
func (f *Filter) Valid() bool {
	w := f.steps[len(f.steps)-1]
	return w == nil || !w.none
}

// decide appends the step for all ended transactions of h, given that of the
// first n.
func (f *Filter) decide(h *semantics.Ordered, known *Known, old *witness, n int) {
	w := f.push()
	if old.none {
		w.none = true
		return
	}
	w.rank, w.size = append(w.rank, old.rank...), old.size
	for t, ended := n, h.Ended(); t < ended; t++ {
		w.rank = append(w.rank, -1)
		if !f.extend(h, w, t) {
			f.find(h, known, w, n)
			return
		}
	}
}

// push appends a step of f's own.
func (f *Filter) push() *witness {
	m := len(f.steps)
	if len(f.own) <= m {
		f.enlarge(m)
	}
	w := f.own[m]
	w.rank, w.size, w.none = w.rank[:0], 0, false
	f.steps = append(f.steps, w)
	return w
}

// enlarge makes witnesses of f's own for up to m ended transactions and some
// more, in one piece.
func (f *Filter) enlarge(m int) {
	more := make([]witness, max(16, m+1))
	n := len(f.own) + len(more) // as many as there can be in an order
	ranks := make([]int32, len(more)*n)
	f.own = slices.Grow(f.own, len(more))
	for i := range more {
		more[i].rank = ranks[i*n : i*n : (i+1)*n]
		f.own = append(f.own, &more[i])
	}
	f.steps = slices.Grow(f.steps, max(0, n-len(f.steps)))
}

// find searches an order for all ended transactions of h, of which the first n
// have one. Most of those without an order are told sooner than searched.
func (f *Filter) find(h *semantics.Ordered, known *Known, w *witness, n int) {
	ended := h.Ended()
	for t := n; t < ended; t++ {
		if f.refuses(h, known, t) {
			w.none = true
			return
		}
	}
	if !f.search.decide(h, known, ended, f.level) {
		w.none = true
		return
	}
	w.rank, w.size = w.rank[:0], int32(len(f.search.order))
	for range ended {
		w.rank = append(w.rank, -1)
	}
	for i, u := range f.search.order {
		w.rank[u] = int32(i)
	}
}

// refuses reports whether t alone tells that there is no order.
func (f *Filter) refuses(h *semantics.Ordered, known *Known, t int) bool {
	switch {
	case f.level == PC:
		return false
	case h.Words() > 1:
		return f.lostUpdate(h, t)
	case f.level == SER:
		return known.contradicts(h, t)
	}
	return known.contradictsBefore(h, t)
}

// lostUpdate reports whether t and another transaction both read a variable from
// the same transaction and both overwrite it, which SI and SER forbid.
func (f *Filter) lostUpdate(h *semantics.Ordered, t int) bool {
	if h.Txns[t].Status != semantics.Committed {
		return false
	}
	from, to := h.ReadsOf(t)
	for _, r := range h.Reads[from:to] {
		writers := h.Writers(r.Var)
		if !writers.Has(t) {
			continue
		}
		for u := writers.Next(1); u >= 0; u = writers.Next(u + 1) {
			if u != t && readsSame(h, u, &r) {
				return true
			}
		}
	}
	return false
}

// readsSame reports whether transaction t reads from the same write as r.
func readsSame(h *semantics.Ordered, t int, r *semantics.ReadFrom) bool {
	from, to := h.ReadsOf(t)
	for i := from; i < to; i++ {
		if q := &h.Reads[i]; q.Var == r.Var && q.From == r.From {
			return true
		}
	}
	return false
}

// extend puts t into the order of w where t's reads are right. t is the last
// transaction that w knows of. It returns false when there is no such place.
func (f *Filter) extend(h *semantics.Ordered, w *witness, t int) bool {
	small := h.Words() == 1
	switch f.level {
	case SER:
		return w.extendSerial(h, t) || small && w.makeRoom(h, t)
	case SI:
		return w.extendSnapshot(h, t, true) || small && !locking(h, t+1) && w.makeRoomBefore(h, t)
	}
	return w.extendSnapshot(h, t, false)
}

// overwritten returns the least rank of a transaction that overwrites what the
// read r reads, or most if none does before.
func (w *witness) overwritten(h *semantics.Ordered, r *semantics.ReadFrom, most int32) int32 {
	own := w.rank[r.From]
	for i, b := range h.Writers(r.Var) {
		for ; b != 0; b &= b - 1 {
			u := i<<6 + bits.TrailingZeros64(b)
			if u >= len(w.rank) {
				return most
			}
			if k := w.rank[u]; k > own && k < most {
				most = k
			}
		}
	}
	return most
}

// extendSerial inserts t at the last rank that is possible: nobody before it has
// overwritten what t reads, and nobody after it reads what t would overwrite.
func (w *witness) extendSerial(h *semantics.Ordered, t int) bool {
	least, most := w.rank[h.Txns[t].Prev]+1, w.size
	if int(h.Txns[t].Session) == h.Final() {
		least = most
	}
	from, to := h.ReadsOf(t)
	for i := from; i < to; i++ {
		r := &h.Reads[i]
		least = max(least, w.rank[r.From]+1)
		most = w.overwritten(h, r, most)
	}
	if most < w.size && len(h.Txns[t].Writes) > 0 {
		most = w.beforeReaders(h, t, least, most)
	}
	if most < least {
		return false
	}
	if most < w.size {
		for u, k := range w.rank {
			if k >= most {
				w.rank[u] = k + 1
			}
		}
	}
	w.rank[t] = most
	w.size++
	return true
}

// beforeReaders returns the last rank up to most at which t's writes come
// between no read and what it reads, or something less than least.
func (w *witness) beforeReaders(h *semantics.Ordered, t int, least, most int32) int32 {
	for again := true; again && most >= least; {
		again = false
		for i := range h.Reads[:h.Txns[t].First] {
			r := &h.Reads[i]
			if w.rank[r.Txn] >= most && w.rank[r.From] < most && h.Writers(r.Var).Has(t) {
				most, again = w.rank[r.From], true
			}
		}
	}
	return most
}

// extendSnapshot lets t write last, and read from the first state that has all
// it must see: its causal past and, with exclusive, everything it overwrites. What
// it reads by a locking read must be the latest when it writes.
func (w *witness) extendSnapshot(h *semantics.Ordered, t int, exclusive bool) bool {
	least := int32(0) // rank of the last transaction in the snapshot
	for i, b := range h.Past(t) {
		for ; b != 0; b &= b - 1 {
			least = max(least, w.rank[i<<6+bits.TrailingZeros64(b)])
		}
	}
	if exclusive {
		for _, v := range h.Txns[t].Writes {
			writers := h.Writers(v.Var)
			for u := writers.Next(1); u >= 0 && u < t; u = writers.Next(u + 1) {
				least = max(least, w.rank[u])
			}
		}
	}
	writes := len(h.Txns[t].Writes) > 0
	from, to := h.ReadsOf(t)
	for i := from; i < to; i++ {
		seen := least
		if r := &h.Reads[i]; r.Lock && writes {
			seen = w.size // up to the write of t
		}
		if w.overwritten(h, &h.Reads[i], seen+1) <= seen {
			return false
		}
	}
	if writes {
		w.rank[t] = w.size
		w.size++
	}
	return true
}
