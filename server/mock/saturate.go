package mock

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// forced is what must hold of every commit order that shows PC, SI or SER: an order of
// points, derived until nothing new follows. A contradiction refutes a read at once,
// where a search would have to try everything. A transaction has two points, its
// snapshot and its commit; at SER they are one.
//
// With W a writer of x other than t1, and t3 the reader of x from t1:
//
//	commit(t1) < snapshot(t3)                   wr; so likewise
//	commit(W) < snapshot(t3) ⟹ commit(W) < commit(t1)
//	commit(t1) < commit(W)   ⟹ snapshot(t3) < commit(W)
//	SI, t and u write y: snapshot(u) < commit(t) ⟹ commit(u) < snapshot(t)
//
// A locking read counts at the reader's commit instead of its snapshot.
type forced struct {
	level   isolation.Level
	before  semantics.Rows // by point: those that come before it
	words   int
	ids     map[*txn]int // number of its points before it
	log     []oldWord
	stale   bool // what it was derived from does not hold any more
	changed bool
	gather  semantics.Row
}

// oldWord is an entry of the undo log.
type oldWord struct {
	point, word int
	old         uint64
}

func (f *forced) reset(level isolation.Level) {
	f.level, f.words, f.stale = level, 1, false
	f.before.Reset(1)
	f.before.Push() // of everything before the window
	f.ids = map[*txn]int{}
	f.log = f.log[:0]
}

// points returns the snapshot and the commit of a transaction.
func (f *forced) points(t *txn) (snapshot, commit int) {
	n, ok := f.ids[t]
	if !ok {
		n = f.before.Len()
		f.ids[t] = n
		if n+2 > 64*f.words {
			f.words *= 2
			f.before.Widen(f.words)
		}
		f.before.Push().Add(0)
		if f.level == isolation.SER {
			return n, n
		}
		f.before.Push().Add(0)
		f.before.Row(n + 1).Add(n)
	}
	if f.level == isolation.SER {
		return n, n
	}
	return n, n + 1
}

// commit is the commit of a version's writer.
func (f *forced) commit(v *version) int {
	if v.writer == nil {
		return 0
	}
	_, c := f.points(v.writer)
	return c
}

func (f *forced) has(a, b int) bool { return f.before.Row(b).Has(a) }

// add adds that a comes before b, and reports whether it can.
func (f *forced) add(a, b int) bool {
	if f.has(a, b) {
		return true
	}
	if a == b || f.has(b, a) {
		return false
	}
	f.changed = true
	if len(f.gather) != f.words {
		f.gather = make(semantics.Row, f.words)
	}
	copy(f.gather, f.before.Row(a))
	f.gather.Add(a)
	for u := range f.before.Len() {
		row := f.before.Row(u)
		if u != b && !row.Has(b) {
			continue
		}
		for w, bits := range f.gather {
			if bits&^row[w] != 0 {
				f.log = append(f.log, oldWord{u, w, row[w]})
				row[w] |= bits
			}
		}
	}
	return true
}

func (f *forced) undo(mark int) {
	for i := len(f.log) - 1; i >= mark; i-- {
		f.before.Row(f.log[i].point)[f.log[i].word] = f.log[i].old
	}
	f.log = f.log[:mark]
}

// consistent derives what follows from what is placed, and reports whether there is no
// contradiction.
func (s *KV) consistent() bool {
	f := &s.forced
	if f.stale || f.ids == nil {
		f.reset(s.options.Level)
	}
	ok := s.derive(nil, nil)
	f.stale = !ok
	return ok
}

// derive adds what follows, until nothing new does. It is false when there is a
// contradiction.
func (s *KV) derive(t *txn, r *read) bool {
	f := &s.forced
	for again := true; again; again = f.changed {
		f.changed = false
		last := map[*Session]*txn{}
		for _, u := range s.window.placed {
			if !s.deriveFrom(u, last[u.session]) || u == t && r != nil && !s.deriveRead(t, *r) {
				return false
			}
			last[u.session] = u
		}
	}
	return true
}

// deriveFrom adds what follows from a transaction, which comes after prev in its
// session.
func (s *KV) deriveFrom(t, prev *txn) bool {
	f := &s.forced
	snapshot, commit := f.points(t)
	if prev != nil {
		if _, c := f.points(prev); !f.add(c, snapshot) {
			return false
		}
	}
	for _, u := range t.after {
		if s.window.at[u] == 0 {
			continue // forgotten
		}
		if _, c := f.points(u); !f.add(c, snapshot) {
			return false
		}
	}
	for _, r := range t.reads {
		if !s.deriveRead(t, r) {
			return false
		}
	}
	if f.level != isolation.SI {
		return true
	}
	for _, y := range t.writes {
		if !s.others(y.Var, t, func(u *txn) bool {
			su, cu := f.points(u)
			return !f.has(su, commit) || f.add(cu, snapshot)
		}) {
			return false
		}
	}
	return true
}

// deriveRead adds what follows from a read.
func (s *KV) deriveRead(t *txn, r read) bool {
	f := &s.forced
	snapshot, commit := f.points(t)
	from := f.commit(r.from)
	if !f.add(from, snapshot) {
		return false
	}
	at := snapshot
	if r.lock {
		at = commit
	}
	return s.others(r.x, t, func(u *txn) bool {
		if u == r.from.writer {
			return true
		}
		_, cu := f.points(u)
		if f.has(cu, at) && !f.add(cu, from) {
			return false
		}
		return !f.has(from, cu) || f.add(at, cu)
	})
}

// others calls visit with the writers of x that are placed, but for t, until it is
// false.
func (s *KV) others(x behaviour.VarID, t *txn, visit func(*txn) bool) (ok bool) {
	ok = true
	s.writersOf(x, t, func(u *txn) { ok = ok && (u == t || visit(u)) })
	return ok
}
