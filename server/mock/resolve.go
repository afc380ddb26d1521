package mock

import (
	"slices"

	"github.com/txmc/txmc/isolation"
)

// resolve looks for a commit order with which the level holds when t reads r besides,
// r may be nil. It begins with an order that extends what is forced and is like the
// one at hand. Where that breaks the level at two transactions, it tries both ways of
// ordering them, and what is forced by each. When there is such an order it becomes the
// witness.
func (s *KV) resolve(t *txn, r *read) bool {
	if !s.consistent() {
		return false
	}
	mark := len(s.forced.log)
	defer s.forced.undo(mark)
	return s.derive(t, r) && s.fixOrder() && s.branch(t, r)
}

// fixOrder adds the order of the marked transactions.
func (s *KV) fixOrder() bool {
	before := 0
	for _, t := range s.mark.txns {
		_, c := s.forced.points(t)
		if len(t.writes) > 0 {
			if !s.forced.add(before, c) {
				return false
			}
			before = c
		}
	}
	return true
}

func (s *KV) branch(t *txn, r *read) bool {
	order, at := s.extend()
	a, b := s.broken(t, r, at)
	if a == nil {
		s.window.witness.order, s.window.witness.valid = order, true
		s.window.witness.number(0)
		return true
	}
	for _, e := range []*edge{a, b} {
		mark := len(s.forced.log)
		if s.forced.add(e.before, e.after) && s.derive(t, r) && s.branch(t, r) {
			return true
		}
		s.forced.undo(mark)
	}
	return false
}

// edge is an order of two points.
type edge struct{ before, after int }

// extend returns the transactions in an order of their commits that extends what is
// forced, and for each point its place.
func (s *KV) extend() (order []*txn, at []int) {
	f, w := &s.forced, &s.window
	at = make([]int, f.before.Len())
	next := 1
	var place func(p int)
	place = func(p int) {
		if at[p] > 0 || p == 0 {
			return
		}
		at[p] = -1
		row := f.before.Row(p)
		for q := row.Next(0); q >= 0; q = row.Next(q + 1) {
			place(q)
		}
		at[p] = next
		next++
	}
	for _, t := range w.witness.order {
		if w.at[t] > 0 {
			_, c := f.points(t)
			place(c)
		}
	}
	for _, t := range w.placed {
		_, c := f.points(t)
		place(c)
	}
	order = slices.Clone(w.placed)
	slices.SortFunc(order, func(t, u *txn) int {
		_, a := f.points(t)
		_, b := f.points(u)
		return at[a] - at[b]
	})
	return order, at
}

// broken returns the two ways of ordering a pair at which the order breaks the level;
// nil when it shows it.
func (s *KV) broken(t *txn, r *read, at []int) (a, b *edge) {
	for _, u := range s.window.placed {
		for _, e := range u.reads {
			if a, b = s.brokenRead(u, e, at); a != nil {
				return a, b
			}
		}
		if s.options.Level == isolation.SI {
			if a, b = s.brokenWrite(u, at); a != nil {
				return a, b
			}
		}
	}
	if r != nil {
		return s.brokenRead(t, *r, at)
	}
	return nil, nil
}

// brokenRead: another transaction overwrites what t reads before t reads it.
func (s *KV) brokenRead(t *txn, r read, at []int) (a, b *edge) {
	f := &s.forced
	sight, commit := f.points(t)
	if r.lock {
		sight = commit
	}
	from := f.commit(r.from)
	s.writersOf(r.x, t, func(u *txn) {
		if u == t || u == r.from.writer {
			return
		}
		if _, c := f.points(u); a == nil && at[from] < at[c] && at[c] < at[sight] {
			a, b = &edge{sight, c}, &edge{c, from}
		}
	})
	return a, b
}

// brokenWrite: another transaction writes what t writes between its snapshot and its
// commit.
func (s *KV) brokenWrite(t *txn, at []int) (a, b *edge) {
	f := &s.forced
	snapshot, commit := f.points(t)
	for _, y := range t.writes {
		s.writersOf(y.Var, t, func(u *txn) {
			su, cu := f.points(u)
			if a == nil && u != t && at[snapshot] < at[cu] && at[cu] < at[commit] {
				a, b = &edge{cu, snapshot}, &edge{commit, su}
			}
		})
	}
	return a, b
}
