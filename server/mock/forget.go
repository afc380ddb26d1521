package mock

import (
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// What is forgotten, and why the answers stay right.
//
// When two windows of transactions have committed, the older half is marked. One order
// of these transactions that shows the level is fixed from then on, as edges that the
// checkers know. Transactions that begin later are offered only the last version of
// each key that the marked ones wrote, as long as this leaves an answer.
//
// When the transactions that were open at the mark have ended, a commit order of all is
// computed. Its beginning up to the last marked transaction is forgotten. The last
// versions of this beginning are what the keys have had before all transactions. To
// forget has two conditions. None of the forgotten transactions is open. And no open
// transaction has read what a forgotten one has overwritten. Until they hold, it waits
// for further ends, and at last it fails the transactions that are in the way.
//
// A history that extends what is remembered within the level extends the whole
// history within the level: a commit order of it goes on after the one that was
// computed. What is left to be shown is that committed transactions which have read
// an overwritten version that is forgotten keep what they ask for:
//
//	RC, RA, CC  the transactions that such a read must see are in the reader's past,
//	            which is fixed; what that forces is within what is forgotten;
//	PC          the reader's snapshot is within what is forgotten, and asks for nothing
//	            more, but for what it has locked: no locked version is overwritten;
//	SI          so it is, and no other transaction may write what it wrote between its
//	            snapshot and its commit: as if it had read that from the beginning of
//	            what is remembered;
//	SER         there is none: the reader would come before who has overwritten it.

// mark is what is to be forgotten next.
type mark struct {
	set    bool
	txns   []*txn // in the order that is fixed
	newest map[behaviour.VarID]*version
}

// impatience is how many windows may fill up until the transactions in the way are
// failed.
const impatience = 4

// forget sets a mark and forgets what can be forgotten, when it is time.
func (s *KV) forget() {
	s.announceUse()
	for s.mark.set || s.window.settled >= 2*s.options.Window {
		if !s.mark.set {
			s.setMark()
		}
		if !s.advance() {
			return
		}
	}
}

// advance forgets what is marked, if it can.
func (s *KV) advance() bool {
	full := s.window.settled >= impatience*s.options.Window
	early := func(t *txn) bool { return !t.late }
	if full {
		s.doom(early)
	} else if slices.ContainsFunc(s.open, early) {
		return false
	}
	done := s.collapse(full)
	for !done && full {
		done = s.collapse(full)
	}
	return done
}

// doom fails open transactions, whose sessions get to know with their next operation.
func (s *KV) doom(which func(*txn) bool) {
	for _, t := range slices.Clone(s.open) {
		if which(t) {
			t.why = serialization("the transaction has been open for too many others: its versions are forgotten")
			s.undo(t)
			s.counts.failed++
		}
	}
}

// setMark marks what has committed first.
func (s *KV) setMark() {
	marked := map[*txn]bool{}
	for _, t := range s.window.placed[:s.options.Window] {
		marked[t] = true
	}
	s.mark = mark{set: true, newest: map[behaviour.VarID]*version{}}
	for _, t := range s.commitOrder() {
		if !marked[t] {
			continue
		}
		s.mark.txns = append(s.mark.txns, t)
		for _, w := range t.writes {
			s.mark.newest[w.Var] = t.values[w.Var]
		}
	}
	for x, v := range s.mark.newest {
		for _, u := range s.items.list[x].versions {
			u.passed = u != v && (u.writer == nil || marked[u.writer])
		}
	}
	for _, t := range s.open {
		t.late = t.idle()
	}
	s.rebuild()
}

// lift takes the mark away.
func (s *KV) lift() {
	for x := range s.mark.newest {
		for _, v := range s.items.list[x].versions {
			v.passed = false
		}
	}
	s.mark = mark{}
	for _, t := range s.open {
		t.late = false
	}
}

// commitOrder returns the transactions that are placed in a commit order that shows
// the level. At PC and SI those without writes come where they can be forgotten.
func (s *KV) commitOrder() []*txn {
	w := &s.window
	if w.pending {
		w.end(w.placed[len(w.placed)-1].writes)
	}
	if w.easy() {
		return w.linear()
	}
	if !w.witness.valid {
		positions, ok := w.checker.Order(&w.h, &w.known, w.level)
		if !ok {
			panic("mock: the history has left its level") // every step was tried
		}
		w.witness.order, w.witness.valid = w.txnsAt(positions), true
		w.witness.number(0)
	}
	return slices.Clone(w.witness.order)
}

// linear extends the forced edges to an order. The marked transactions come as early
// as they can, the open ones as late.
func (w *window) linear() []*txn {
	order := make([]*txn, 0, len(w.placed))
	done := make([]bool, len(w.placed)+1)
	done[0] = true
	var place func(p int)
	place = func(p int) {
		if done[p] {
			return
		}
		done[p] = true
		row := w.known.Before(p)
		for q := row.Next(0); q >= 0; q = row.Next(q + 1) {
			place(q)
		}
		order = append(order, w.placed[p-1])
	}
	for p := 1; p <= len(w.placed); p++ {
		place(p)
	}
	return order
}

// withReaders puts transactions without writes right behind the last one that they
// have read from and the one before in their session.
func (w *window) withReaders(writers []*txn) []*txn {
	after := map[*txn][]*txn{} // nil: at the beginning
	rank := map[*txn]int{}
	for i, t := range writers {
		rank[t] = i + 1
	}
	byRank := append([]*txn{nil}, writers...)
	last := map[*Session]int{}
	for i, t := range w.placed {
		r, known := rank[t]
		if !known {
			r = last[t.session]
			from, to := w.h.ReadsOf(i + 1)
			for _, e := range w.h.Reads[from:to] { // the last one may be a trial
				if e.From > 0 {
					r = max(r, rank[w.placed[e.From-1]])
				}
			}
			after[byRank[r]] = append(after[byRank[r]], t)
		}
		last[t.session] = max(last[t.session], r)
	}
	order := slices.Clone(after[nil])
	for _, t := range writers {
		order = append(append(order, t), after[t]...)
	}
	return order
}

// collapse forgets a beginning of the commit order, if it can. When the memory is full
// it fails what is in the way.
func (s *KV) collapse(full bool) (done bool) {
	order := s.commitOrder()
	left := len(s.mark.txns)
	marked := map[*txn]bool{}
	for _, t := range s.mark.txns {
		marked[t] = true
	}
	n := 0
	for ; left > 0; n++ {
		if marked[order[n]] {
			left--
		}
	}
	gone := map[*txn]bool{}
	newest := map[behaviour.VarID]*version{}
	for _, t := range order[:n] {
		gone[t] = true
		for _, w := range t.writes {
			newest[w.Var] = t.values[w.Var]
		}
	}
	inTheWay := func(t *txn) bool {
		return gone[t] || slices.ContainsFunc(t.reads, func(r read) bool { return overwritten(r, gone, newest) })
	}
	if slices.ContainsFunc(s.open, inTheWay) {
		if full {
			s.doom(inTheWay)
		}
		return false
	}
	s.drop(order[n:], gone, newest)
	return true
}

// overwritten reports whether a read is of a version that is forgotten and is not the
// last one of those.
func overwritten(r read, gone map[*txn]bool, newest map[behaviour.VarID]*version) bool {
	return newest[r.x] != nil && newest[r.x] != r.from && (r.from.writer == nil || gone[r.from.writer])
}

// drop forgets the transactions of gone, of which newest are the last versions.
func (s *KV) drop(rest []*txn, gone map[*txn]bool, newest map[behaviour.VarID]*version) {
	for _, t := range rest {
		if t.state != open {
			s.settleReads(t, gone, newest)
		}
	}
	for x, v := range newest {
		n := s.items.list[x]
		n.versions = slices.DeleteFunc(n.versions, func(u *version) bool {
			return u != v && (u.writer == nil || gone[u.writer])
		})
		// The last of those forgotten comes before all others, whenever they committed.
		i := slices.Index(n.versions, v)
		n.versions = slices.Insert(slices.Delete(n.versions, i, i+1), 0, v)
		v.writer = nil
	}
	for t := range gone {
		t.after = nil // or everything would be reachable from what is remembered
	}
	s.lift()
	s.window.placed = slices.DeleteFunc(s.window.placed, func(t *txn) bool { return gone[t] })
	s.window.settled -= len(gone)
	w := &s.window.witness
	w.order = slices.DeleteFunc(w.order, func(t *txn) bool { return gone[t] })
	w.number(0)
	s.forced.stale = true
	s.rebuild()
	s.vacate()
	s.sweep(newest)
}

// settleReads makes a committed transaction that has read what is overwritten and
// forgotten ask for what is left of that.
func (s *KV) settleReads(t *txn, gone map[*txn]bool, newest map[behaviour.VarID]*version) {
	stale := func(r read) bool { return overwritten(r, gone, newest) }
	if !slices.ContainsFunc(t.reads, stale) {
		return
	}
	if s.options.Level.CausallyExtensible() {
		t.reads = slices.DeleteFunc(t.reads, stale)
		return
	}
	t.reads = slices.DeleteFunc(t.reads, func(r read) bool { return !r.lock })
	if s.options.Level == isolation.SI {
		for _, w := range t.writes {
			t.reads = append(t.reads, read{x: w.Var, from: s.first(w.Var, newest)})
		}
	}
}

// first is the version of x at the beginning of what is remembered.
func (s *KV) first(x behaviour.VarID, newest map[behaviour.VarID]*version) *version {
	if v := newest[x]; v != nil {
		return v
	}
	return s.items.list[x].versions[0]
}

// rebuild places everything anew.
func (s *KV) rebuild() {
	w := &s.window
	all := slices.Clone(w.placed)
	settled := w.settled
	w.reset(len(s.slots))
	for i, t := range all {
		if i == settled {
			s.fix()
		}
		w.push(t)
		w.end(t.writes)
	}
	if len(all) == settled {
		s.fix()
	}
	w.settled = settled
}

// fix makes the order of the marked transactions known, as far as they write.
func (s *KV) fix() {
	w, before := &s.window, 0
	for _, t := range s.mark.txns {
		if len(t.writes) == 0 {
			continue
		}
		at := w.at[t]
		if before > 0 && !w.known.Precede(&w.h, before, at) {
			panic("mock: the order that was fixed is none")
		}
		before = at
	}
}

// sweep forgets the keys that have nothing and that nothing remembered speaks of.
func (s *KV) sweep(newest map[behaviour.VarID]*version) {
	used := map[behaviour.VarID]bool{}
	for _, t := range slices.Concat(s.window.placed, s.open) {
		for _, r := range t.reads {
			used[r.x] = true
		}
		for _, w := range t.writes {
			used[w.Var] = true
		}
		for _, x := range t.locks {
			used[x] = true
		}
		if t.waiting {
			used[t.waits] = true
		}
	}
	for x := range newest {
		s.items.empty[x] = struct{}{}
	}
	for x := range s.items.empty {
		n := s.items.list[x]
		switch {
		case n == nil || len(n.versions) > 1 || n.versions[0].value != nil:
			delete(s.items.empty, x)
		case !used[x]:
			s.items.drop(x)
			delete(s.items.empty, x)
		}
	}
}

// vacate gives up the places of closed sessions of which nothing is remembered.
func (s *KV) vacate() {
	used := map[*Session]bool{}
	for _, t := range s.window.placed {
		used[t.session] = true
	}
	for i, c := range s.slots {
		if c != nil && c.gone && !used[c] {
			s.slots[i] = nil
		}
	}
}
