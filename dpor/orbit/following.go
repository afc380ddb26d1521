package orbit

import "github.com/txmc/txmc/semantics"

// Explore-ce takes transactions out of histories again, so that decisions cannot be
// compared one by one, as [Canonical] does. Instead sessions that are alike come in one order
// as long as they do the same. Transaction i of a session *follows* transaction i of the
// session before it in its set when all transactions before number i read the same in both.
// What a transaction follows is kept by swaps as its causal past is, and so never reads
// from it. This is one more order of the program, beside the session order, and explore-ce
// holds for each such order. Each orbit has a history in which (so ∪ wr ∪ follows) has no
// cycle; where it has several, representative.go takes one. docs/symmetry.md has the
// argument.

// Following is the relation follows, for one goroutine.
type Following struct {
	leaders []int32 // by session: the one before it in its set, or -1; nil: nothing follows
	past    []uint64
}

// NewFollowing returns the relation of a group; without one nothing follows.
func NewFollowing(g *Group, sessions int) (f Following) {
	if g == nil {
		return f
	}
	f.leaders = make([]int32, sessions)
	for i := range f.leaders {
		f.leaders[i] = -1
	}
	for _, set := range g.sets {
		for i := range set[1:] {
			f.leaders[set[i+1]] = int32(set[i])
		}
	}
	return f
}

// Kept is what a swap with transaction t keeps besides t: its past by (so ∪ wr ∪ follows)⁺.
// It is valid until the next call.
func (f *Following) Kept(h *semantics.Ordered, t int) semantics.Row {
	if f.leaders == nil {
		return h.Past(t)
	}
	f.past = append(f.past[:0], h.Past(t)...)
	row := semantics.Row(f.past)
	for i := t; i > 0; i-- {
		if i != t && !row.Has(i) {
			continue
		}
		if u := f.follows(h, i); u > 0 {
			row.Add(u)
			row.Union(h.Past(u))
		}
	}
	return row
}

// follows is the transaction that transaction t follows, or -1.
func (f *Following) follows(h *semantics.Ordered, t int) int {
	log := &h.Txns[t]
	other := f.leaders[log.Session]
	if other < 0 {
		return -1
	}
	u := h.Place(other, log.Index)
	if u < 0 || !beganAlike(h, t, u) {
		return -1
	}
	return u
}

// beganAlike reports whether the transactions before t in its session read the same as those
// before u in its session. There are as many of both.
func beganAlike(h *semantics.Ordered, t, u int) bool {
	for {
		t, u = int(h.Txns[t].Prev), int(h.Txns[u].Prev)
		if t == 0 {
			return true
		}
		if !readAlike(h, t, u) {
			return false
		}
	}
}

// readAlike reports whether transactions of two sessions read the same: from the same
// transactions of others, or each from those of its own session at the same places.
func readAlike(h *semantics.Ordered, t, u int) bool {
	i, end := h.ReadsOf(t)
	k, other := h.ReadsOf(u)
	if end-i != other-k {
		return false
	}
	a, b := h.Txns[t].Session, h.Txns[u].Session
	for ; i < end; i, k = i+1, k+1 {
		v, w := h.Reads[i].From, h.Reads[k].From
		from, also := &h.Txns[v], &h.Txns[w]
		switch {
		case from.Session == a && also.Session == b:
			if from.Index != also.Index {
				return false
			}
		case v != w || from.Session == a || from.Session == b:
			return false
		}
	}
	return true
}
