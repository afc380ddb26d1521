package mock

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// window is the remembered history, as the checkers want it. First come the committed
// transactions in the order of their commits. On top of them are the open transactions
// that have done something, each as if it committed now. The last one may be pending:
// then reads can be tried on it.
type window struct {
	level   isolation.Level
	h       semantics.Ordered
	known   isolation.Known
	checker isolation.Checker
	placed  []*txn // by position, from 1
	at      map[*txn]int
	marks   []int // what was known when they began
	settled int   // the committed ones, which are at the bottom
	pending bool  // the last one is
	locked  int   // locking reads among all
	witness witness
	before  semantics.Row // scratch
}

// reset empties the window, for so many sessions.
func (w *window) reset(sessions int) {
	w.h.Reset(sessions, -1, nil)
	w.known.Reset(&w.h, w.level.Base())
	w.placed, w.marks, w.settled, w.pending, w.locked = w.placed[:0], w.marks[:0], 0, false, 0
	w.at = map[*txn]int{}
}

// position returns where the writer of a version stands; 0 for what lies before the
// window.
func (w *window) position(v *version) int {
	if v.writer == nil {
		return 0
	}
	return w.at[v.writer]
}

// push places a transaction, pending. What it has read was allowed.
func (w *window) push(t *txn) {
	w.h.Begin(t.session.slot)
	w.placed = append(w.placed, t)
	w.at[t] = len(w.placed)
	w.marks = append(w.marks, w.known.Mark())
	w.pending = true
	for _, r := range t.reads {
		w.read(r)
		w.known.Read(&w.h)
	}
}

// read extends the pending transaction.
func (w *window) read(r read) {
	w.h.Read(r.x, w.position(r.from))
	if r.lock {
		w.h.Reads[len(w.h.Reads)-1].Lock = true
		w.locked++
	}
}

// unread is the inverse of read.
func (w *window) unread() {
	if w.h.Reads[len(w.h.Reads)-1].Lock {
		w.locked--
	}
	w.h.UndoRead()
}

// end makes the pending transaction as if it committed now.
func (w *window) end(writes []behaviour.Write) {
	w.h.Commit(writes)
	w.known.End(&w.h)
	w.pending = false
}

func (w *window) unend() {
	w.known.UndoEnd()
	w.h.UndoCommit()
	w.pending = true
}

// pop takes the last transaction away.
func (w *window) pop() *txn {
	if !w.pending {
		w.unend()
	}
	n := len(w.placed) - 1
	t := w.placed[n]
	for from, to := w.h.ReadsOf(n + 1); to > from; to-- {
		w.unread()
	}
	w.known.Undo(w.marks[n])
	w.h.UndoBegin()
	w.placed, w.marks, w.pending = w.placed[:n], w.marks[:n], false
	delete(w.at, t)
	return t
}

// remove takes an open transaction away, if it is placed. The last one is not
// pending afterwards.
func (w *window) remove(t *txn) {
	n, ok := w.at[t]
	if w.pending && !(ok && n == len(w.placed)) {
		w.end(w.placed[len(w.placed)-1].writes)
	}
	if !ok {
		return
	}
	var above []*txn
	for len(w.placed) >= n {
		if u := w.pop(); u != t {
			above = append(above, u)
		}
	}
	for i := len(above) - 1; i >= 0; i-- {
		w.push(above[i])
		w.end(above[i].writes)
	}
}

// focus makes an open transaction the last one, pending.
func (w *window) focus(t *txn) {
	if n := len(w.placed); n > w.settled && w.placed[n-1] == t {
		if !w.pending {
			w.unend()
		}
		return
	}
	w.remove(t)
	w.push(t)
}

// settle places a transaction that has just committed on top of the committed ones.
func (w *window) settle(t *txn) {
	w.remove(t)
	var open []*txn
	for len(w.placed) > w.settled {
		open = append(open, w.pop())
	}
	w.push(t)
	w.end(t.writes)
	w.settled++
	for i := len(open) - 1; i >= 0; i-- {
		w.push(open[i])
		w.end(open[i].writes)
	}
}

// mayRead reports whether the open transaction may read r now: whether the history
// is within the level then.
func (s *KV) mayRead(t *txn, r read) bool {
	w := &s.window
	w.focus(t)
	mark := w.known.Mark()
	w.read(r)
	ok := w.known.Read(&w.h) && s.within(t, &r, w.known.Mark() > mark)
	w.known.Undo(mark)
	w.unread()
	return ok
}

// add extends the open transaction by a read that is allowed.
func (s *KV) add(t *txn, r read) {
	w := &s.window
	w.focus(t)
	mark := w.known.Mark()
	w.read(r)
	w.known.Read(&w.h)
	s.within(t, &r, w.known.Mark() > mark) // the order that is kept has to show it
	t.reads = append(t.reads, r)
}

// within reports whether the history is within the level, with what the open
// transaction has written. It is within the base. The read r, which is placed, is not
// yet among those of the transaction; forced says that it has forced edges.
func (s *KV) within(t *txn, r *read, forced bool) bool {
	if s.window.easy() {
		s.window.witness.valid = false // nobody keeps it
		return true
	}
	if s.fit(t, r, forced) {
		return true
	}
	if s.window.level.CausallyExtensible() {
		return s.search(t)
	}
	return s.resolve(t, r)
}

// easy reports whether the forced edges decide the level.
func (w *window) easy() bool { return w.level.CausallyExtensible() && w.locked == 0 }

// mayWrite reports whether the history is within the level with what the open
// transaction has written.
func (s *KV) mayWrite(t *txn) bool {
	s.window.focus(t)
	return s.within(t, nil, false)
}
