package recorded

import (
	"slices"

	"github.com/txmc/txmc/isolation"
)

// The axioms of the levels (Biswas and Enea, OOPSLA 2019; PLDI 2023, section 2.2). For
// a read of x from t1 in t3 and every other transaction t2 that writes x: φ(t2, read)
// implies that t2 comes before t1 in the commit order. Transactions are positions in
// that order, and the initial one comes before all others.

// allows reports whether the commit order satisfies the level when read i is from
// from[i].
func (r *run) allows(l isolation.Level, from []int) bool {
	for i, e := range r.reads {
		if from[i] >= e.reader {
			return false // so ∪ wr must be part of the order; so is
		}
		for t2 := range r.txns {
			if t2 > from[i] && r.txns[t2].writes(e.item) && r.phi(l, t2, i, from) {
				return false
			}
		}
	}
	return true
}

// phi is the level's φ(t2, read i).
func (r *run) phi(l isolation.Level, t2, i int, from []int) bool {
	t3 := r.reads[i].reader
	switch l {
	case isolation.RC:
		return slices.ContainsFunc(r.readsOf(t3), func(k int) bool { return k < i && from[k] == t2 })
	case isolation.RA:
		return r.sees(t2, t3, from)
	case isolation.CC:
		return r.causes(t2, t3, from)
	case isolation.SER:
		return t2 < t3
	}
	for t4 := t2; t4 < len(r.txns); t4++ {
		if r.sees(t4, t3, from) || l == isolation.SI && t4 < t3 && r.conflict(t4, t3) {
			return true
		}
	}
	return false
}

// readsOf lists the reads of a transaction, in their order.
func (r *run) readsOf(t int) (list []int) {
	for k, e := range r.reads {
		if e.reader == t {
			list = append(list, k)
		}
	}
	return list
}

// sees reports whether (a, b) is in so ∪ wr.
func (r *run) sees(a, b int, from []int) bool {
	return a < b && r.txns[a].Session == r.txns[b].Session ||
		slices.ContainsFunc(r.readsOf(b), func(k int) bool { return from[k] == a })
}

// causes reports whether (a, b) is in (so ∪ wr)⁺.
func (r *run) causes(a, b int, from []int) bool {
	if r.sees(a, b, from) {
		return true
	}
	for c := a + 1; c < b; c++ {
		if r.sees(c, b, from) && r.causes(a, c, from) {
			return true
		}
	}
	return false
}

// conflict reports whether two transactions write the same item.
func (r *run) conflict(a, b int) bool {
	return slices.ContainsFunc(r.txns[a].Ops, func(o Op) bool {
		switch o.Kind {
		case Write, Append:
			return r.txns[b].writes(item{o.Object, 0})
		case Add:
			return r.txns[b].writes(item{o.Object, o.Value})
		}
		return false
	})
}
