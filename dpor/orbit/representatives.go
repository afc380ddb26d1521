package orbit

import "github.com/txmc/txmc/semantics"

// Representatives tells which histories that the engine swap meets are output, one of each
// orbit. Of the histories in which sessions follow each other it is the one with the least
// name. It is for one goroutine.
type Representatives struct {
	*Group                // nil: every history is output
	names  [][]origin     // by session, what it has read
	alike  [][]int32      // by two sessions of a set, how many transactions began alike
	past   semantics.Rows // by transaction of a permuted history, what has to come before it
	place  [][]int32      // by session and number, positions of transactions
}

// origin is the transaction that a read is from; that of the initial values has session
// -1.
type origin struct{ session, index int32 }

// Orbit is the number of histories that permutations make of a complete history. It is 0 if
// another one of these is the one that is output.
func (r *Representatives) Orbit(h *semantics.Ordered) int64 {
	if r.Group == nil {
		return 1
	}
	r.look(h)
	same := int64(1)
	for i := range r.perms {
		p := &r.perms[i]
		switch c := r.compare(p); {
		case c == undecided:
			same++
		case c == smaller && r.reached(h, p):
			return 0
		}
	}
	return r.order() / same
}

// look notes what the sessions of a history have read.
func (r *Representatives) look(h *semantics.Ordered) {
	if r.names == nil {
		r.names, r.place = make([][]origin, h.Sessions()), make([][]int32, h.Sessions())
		r.alike = make([][]int32, h.Sessions())
		for s := range r.alike {
			r.alike[s] = make([]int32, h.Sessions())
		}
	}
	for s := range r.names {
		r.names[s], r.place[s] = r.names[s][:0], r.place[s][:0]
		for i := range h.Done(s) {
			t := h.Place(int32(s), int32(i))
			r.place[s] = append(r.place[s], int32(t))
			from, to := h.ReadsOf(t)
			for _, read := range h.Reads[from:to] {
				log := &h.Txns[read.From]
				r.names[s] = append(r.names[s], origin{log.Session, log.Index})
			}
		}
	}
	for _, set := range r.sets {
		for i, a := range set {
			for _, b := range set[:i] {
				n := r.beganAlike(h, a, b)
				r.alike[a][b], r.alike[b][a] = n, n
			}
		}
	}
}

// beganAlike is how many transactions of two sessions have begun when all before had read
// the same.
func (r *Representatives) beganAlike(h *semantics.Ordered, a, b int) (n int32) {
	for most := min(len(r.place[a]), len(r.place[b])); int(n) < most; {
		n++
		if !readAlike(h, int(r.place[a][n-1]), int(r.place[b][n-1])) {
			break
		}
	}
	return n
}

// compare compares the name of a permuted history with that of the history: session by session, and
// read by read. It is undecided when they are equal.
func (r *Representatives) compare(p *permutation) comparison {
	for s, own := range r.names {
		other := r.names[p.from[s]]
		for i := range min(len(own), len(other)) { // as many, as long as they are equal
			o := other[i]
			if o.session >= 0 {
				o.session = p.to[o.session]
			}
			switch {
			case o == own[i]:
			case o.session < own[i].session, o.session == own[i].session && o.index < own[i].index:
				return smaller
			default:
				return greater
			}
		}
	}
	return undecided
}

// reached reports whether the search reaches a permuted history: whether its (so ∪ wr ∪ follows) has no
// cycle.
func (r *Representatives) reached(h *semantics.Ordered, p *permutation) bool {
	r.past.Reset(h.Words())
	for t := range h.Len() {
		r.past.Push().Union(h.Past(t))
	}
	for _, set := range r.sets {
		for i := range set[1:] {
			a, b := p.from[set[i]], p.from[set[i+1]]
			for k := range r.alike[a][b] {
				r.past.Row(int(r.place[b][k])).Add(int(r.place[a][k]))
			}
		}
	}
	open := r.past.Push()
	for t := range h.Len() {
		open.Add(t)
	}
	return r.empties(open, h.Len())
}

// empties takes away what has nothing open before it, again and again. It reports whether
// nothing is left of n.
func (r *Representatives) empties(open semantics.Row, n int) bool {
	for had := n + 1; n > 0 && n < had; {
		had = n
		for t := open.Next(0); t >= 0; t = open.Next(t + 1) {
			if !open.Meets(r.past.Row(t)) {
				open.Remove(t)
				n--
			}
		}
	}
	return n == 0
}
