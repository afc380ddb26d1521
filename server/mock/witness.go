package mock

import (
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// witness is a commit order that shows the level, of what is placed. It is tried
// first: an open transaction's step is allowed when the order still shows the level
// with the transaction at another place. Only when it does not is an order searched.
type witness struct {
	order []*txn
	valid bool
	bad   []bool // scratch: places that are not possible
}

// without takes a transaction out, and returns where it was, or -1.
func (w *witness) without(t *txn) int {
	at := slices.Index(w.order, t)
	if at < 0 {
		return -1
	}
	w.order = slices.Delete(w.order, at, at+1)
	w.number(at)
	return at
}

// number notes the places from one on.
func (w *witness) number(from int) {
	for i := from; i < len(w.order); i++ {
		w.order[i].rank = i
	}
}

// put puts a transaction at a place.
func (w *witness) put(t *txn, at int) {
	w.order = slices.Insert(w.order, at, t)
	w.number(at)
}

// rankOf is the rank of a version's writer; -1 for what lies before the window.
func rankOf(v *version) int {
	if v.writer == nil {
		return -1
	}
	return v.writer.rank
}

// fit finds a place for the open transaction t such that the order shows the level. It
// counts what t has read and written, and the read r if that is not nil. It puts t at that
// place, or leaves it where it was.
func (s *KV) fit(t *txn, r *read, forced bool) bool {
	w := &s.window.witness
	if !w.valid {
		return false
	}
	was := w.without(t)
	at := s.placeOf(t, r, forced)
	switch {
	case at >= 0:
		w.put(t, at)
		return true
	case was >= 0:
		w.put(t, was)
	}
	return false
}

// placeOf returns the place; -1 when there is none.
func (s *KV) placeOf(t *txn, r *read, forced bool) int {
	w, end := &s.window.witness, len(s.window.witness.order)
	if s.options.Level.CausallyExtensible() {
		if forced && !s.window.respected() || s.lockedBefore(t, r) {
			return -1
		}
		return end
	}
	low, high := s.snapshots(t, r)
	switch {
	case low > high:
		return -1
	case s.options.Level == isolation.SER:
		return s.serialPlace(t, low, high)
	case len(t.writes) == 0 && !w.locks(t, r):
		return low
	}
	return end
}

// locks reports whether t has read by a locking read.
func (w *witness) locks(t *txn, r *read) bool {
	return r != nil && r.lock || slices.ContainsFunc(t.reads, func(r read) bool { return r.lock })
}

// lockedBefore reports whether somebody has overwritten what t reads by a locking
// read.
func (s *KV) lockedBefore(t *txn, r *read) (is bool) {
	see := func(r read) {
		if r.lock {
			s.writersOf(r.x, t, func(u *txn) { is = is || u.rank > rankOf(r.from) })
		}
	}
	for _, r := range t.reads {
		see(r)
	}
	if r != nil {
		see(*r)
	}
	return is
}

// respected reports whether the order extends the forced edges.
func (w *window) respected() bool {
	w.before = append(w.before[:0], make(semantics.Row, w.h.Words())...)
	w.before.Add(0)
	for _, u := range w.witness.order {
		at := w.at[u]
		if at == 0 || w.pending && at == len(w.placed) {
			continue // has no edges to others
		}
		if !w.before.Contains(w.known.Before(at)) {
			return false
		}
		w.before.Add(at)
	}
	return true
}

// snapshots returns the least and the greatest number of transactions, in the order,
// after which t can have read what it has read and r. At SI nobody may have written
// since what t writes.
func (s *KV) snapshots(t *txn, r *read) (low, high int) {
	w := &s.window.witness
	low, high = 0, len(w.order)
	for _, u := range w.order {
		if u.session == t.session {
			low = u.rank + 1
		}
	}
	for _, u := range t.after {
		if s.window.at[u] > 0 {
			low = max(low, u.rank+1)
		}
	}
	see := func(r read) {
		from := rankOf(r.from)
		low = max(low, from+1)
		s.writersOf(r.x, t, func(u *txn) {
			if u.rank > from {
				high = min(high, u.rank)
				if r.lock && s.options.Level != isolation.SER {
					high = -1 // overwritten before t could commit
				}
			}
		})
	}
	for _, r := range t.reads {
		see(r)
	}
	if r != nil {
		see(*r)
	}
	if s.options.Level == isolation.SI {
		for _, y := range t.writes {
			s.writersOf(y.Var, t, func(u *txn) { low = max(low, u.rank+1) })
		}
	}
	return low, high
}

// writersOf calls visit with those of the order that write x, but for t.
func (s *KV) writersOf(x behaviour.VarID, t *txn, visit func(*txn)) {
	for _, v := range s.items.list[x].versions {
		if v.writer != nil {
			visit(v.writer)
		}
	}
	for _, u := range s.open {
		if u != t && s.window.at[u] > 0 && u.wrote(x) != nil {
			visit(u)
		}
	}
}

// serialPlace returns the last place from low to high at which t overwrites nothing
// that is read afterwards; -1 when there is none.
func (s *KV) serialPlace(t *txn, low, high int) int {
	w := &s.window.witness
	w.bad = append(w.bad[:0], make([]bool, len(w.order)+1)...)
	for _, u := range w.order {
		for _, r := range u.reads {
			if t.wrote(r.x) == nil {
				continue
			}
			for k := rankOf(r.from) + 1; k <= u.rank; k++ {
				w.bad[k] = true
			}
		}
	}
	for k := high; k >= low; k-- {
		if !w.bad[k] {
			return k
		}
	}
	return -1
}

// search looks for any order. The open transaction is pending on top, with what it
// does.
func (s *KV) search(t *txn) bool {
	w := &s.window
	w.end(t.writes)
	positions, ok := w.checker.Order(&w.h, &w.known, w.level)
	if ok {
		w.witness.order, w.witness.valid = w.txnsAt(positions), true
		w.witness.number(0)
	}
	w.unend()
	return ok
}

// txnsAt names the transactions of a commit order. Those without writes that it does
// not have come where they can.
func (w *window) txnsAt(positions []int32) []*txn {
	var order []*txn
	for _, p := range positions {
		if p > 0 {
			order = append(order, w.placed[p-1])
		}
	}
	if len(order) < len(w.placed) {
		order = w.withReaders(order)
	}
	return order
}
