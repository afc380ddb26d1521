package dpor

import (
	"math/bits"
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// serial is the serial engine, which never leaves the level asked for. A history
// of whole transactions is extended by a whole transaction, in all ways that keep
// the level. At PC, SI and SER a next transaction of any session can extend every
// history, as it may read what was written last. Only the pending transaction may
// turn out, at its commit, to break the level.
//
// Each history comes once. A call of serial chooses a session and splits the complete
// histories that extend its own in two. In the first part the session's next
// transaction reads from the present history only. In the second the session is
// skipped until there is a new writer that it can read from; this part is split
// again by another session. There are no two ways to a history, whatever session
// is chosen, and no history is compared with another. What is remembered is how
// far the search has come: polynomial space.
//
// docs/serial.md has the argument.
type serial struct {
	search
	chooser
	*passes
	noted   accesses // by this worker: what it met and was not known
	news    bool     // there is something
	choices int      // reads of the pending transaction from one that may not be the last writer
	pending *access  // what is known of the pending transaction
	// repeatable: a transaction reads a variable twice from the same transaction.
	repeatable bool
}

// explore explores the complete histories that extend the present one, of whole
// transactions.
func (e *serial) explore(s *state) error {
	if err := e.enter(s); err != nil {
		return err
	}
	s.pushSkips()
	taken := len(s.least.taken)
	i := e.push(s, nil, -1)
	err := e.decide(i, false)
	s.least.undo(taken)
	e.pop()
	s.popSkips()
	return err
}

// decide takes one session after another: first the histories in which its next
// transaction reads from what is there, then the others. extended says whether
// any was reached before.
func (e *serial) decide(i int, extended bool) error {
	s := e.frames[i].s
	for {
		session, forced := e.choose(s, e.lookahead)
		switch session {
		case complete:
			if e.repeated(&s.h) {
				return nil
			}
			return e.output(s)
		case deadEnd:
			e.endsHere(extended)
			return nil
		}
		e.frames[i].next = session
		if forced {
			e.frames[i].next = -1
		}
		some, err := e.extend(s, session)
		if err != nil {
			return err
		}
		extended = extended || some
		if e.frames[i].next < 0 { // forced, or given away
			e.endsHere(extended)
			return nil
		}
		if !e.skip(s, session) {
			e.endsHere(extended)
			return nil
		}
		e.frames[i].taken = len(s.least.taken)
	}
}

// skip decides that the next transaction of a session reads from one that is not there
// yet. It reports false when an image of the histories with that is smaller.
func (e *serial) skip(s *state, session int) bool {
	s.skip(session)
	return s.least.add(&s.h, decision{int32(session), int32(s.h.Done(session)), int32(s.h.Len()), -1})
}

func (e *serial) endsHere(extended bool) {
	if !extended {
		e.count.blocked++
	}
}

// extend runs the next transaction of a session in all ways and explores from
// there. It reports whether there is any.
func (e *serial) extend(s *state, session int) (some bool, err error) {
	choices, pending := e.choices, e.pending
	s.h.Begin(session)
	e.choices, e.pending = 0, e.known.known(s.h.Last())
	some, err = e.walk(s, e.stale(s))
	s.h.UndoBegin()
	e.choices, e.pending = choices, pending
	return some, err
}

// walk takes the pending transaction to its end. If a read has to be from what was not there
// when its session was skipped, and none was, stale is how many may be: else it is 0.
func (e *serial) walk(s *state, stale int) (some bool, err error) {
	h := &s.h
	first, reads, mark := h.Last().Node, len(h.Reads), s.known.Mark()
	stale, writers, possible, err := e.walkForced(s, stale)
	if possible && err == nil {
		switch node := h.Last().Node; node.Kind {
		case program.Read:
			i := e.push(s, node, e.first(h, node.Var, writers))
			some, err = e.walkWriters(i, writers, stale)
			e.pop()
		case program.Commit:
			if e.knowsWrites(h, node) && s.keepsSkip() && (e.choices == 0 || !e.losesUpdate(h, node)) {
				some, err = e.settle(s)
			}
		case program.Abort:
			if s.keepsSkip() {
				some, err = e.settle(s)
			}
		}
	}
	if len(h.Reads) > reads {
		s.known.Undo(mark)
		h.UndoReads(reads)
		h.Last().Node = first
	}
	return some, err
}

// walkForced makes the next reads as long as there is nothing to choose: nobody has written the
// variable, or the level forbids all writers but one. possible is false when the transaction
// cannot go on. left is the part of stale that is left after these reads. writers are the writers
// that Known.Unforbidden has for the next read. The caller undoes the reads.
func (e *serial) walkForced(s *state, stale int) (left int, writers uint64, possible bool, err error) {
	h := &s.h
	for {
		node := h.Last().Node
		if node.Kind != program.Read {
			return stale, 0, true, nil
		}
		if !e.knowsRead(h, node) {
			return stale, 0, false, nil
		}
		t := 0
		if h.Unwritten(node.Var) {
			h.ReadInitial(node.Var)
		} else {
			if writers = s.known.Unforbidden(h, node.Var); writers&(writers-1) != 0 || writers == 0 {
				return stale, writers, true, nil
			}
			t = bits.TrailingZeros64(writers)
			if stale > 0 {
				since, rest := e.since(s, node.Var, stale)
				if stale, possible = remaining(t, since, rest); !possible {
					return stale, 0, false, nil
				}
			}
			h.ReadOnly(node.Var, t)
			if !s.known.ReadOnly(h) {
				return stale, 0, false, nil
			}
		}
		if err := e.answer(s, node, t); err != nil {
			return stale, 0, false, err
		}
	}
}

// walkWriters lets the read of frame i read from the writers that are left, of those that Known.Unforbidden has.
func (e *serial) walkWriters(i int, writers uint64, stale int) (some bool, err error) {
	s, node := e.frames[i].s, e.frames[i].node
	since, left := e.since(s, node.Var, stale)
	for t := e.frames[i].next; t >= 0 && err == nil; t = e.frames[i].next {
		e.frames[i].next = e.after(&s.h, node.Var, writers, t)
		choices := e.choices // before the read: it may force t to be the last
		if !s.known.Last(&s.h, node.Var, t) {
			e.choices++
		}
		more := false
		more, err = e.walkFrom(s, node, t, since, left)
		some = some || more
		e.choices = choices
	}
	return some, err
}

// first is the writer of x that is tried first: of the set, or of all where sets are too large for a word and it is empty.
func (e *serial) first(h *semantics.Ordered, x program.VarID, set uint64) int {
	switch {
	case set == 0:
		return e.firstWriter(h, x)
	case e.newest:
		return bits.Len64(set) - 1
	}
	return bits.TrailingZeros64(set)
}

// after is the one that is tried after t, or -1.
func (e *serial) after(h *semantics.Ordered, x program.VarID, set uint64, t int) int {
	if set == 0 {
		return e.nextWriter(h, x, t)
	}
	if e.newest {
		return bits.Len64(set&(1<<t-1)) - 1
	}
	if set &^= 2<<t - 1; set == 0 {
		return -1
	}
	return bits.TrailingZeros64(set)
}

// since returns the first transaction from which a read of x is one that walk asks for. If a
// read of x is none of those, left is how many later reads may still be one.
func (e *serial) since(s *state, x program.VarID, stale int) (since, left int) {
	if stale == 0 {
		return 0, 0
	}
	since = s.skipped(int(s.h.Last().Session))
	if s.h.Writers(x).Next(since) >= 0 && !hasRead(&s.h, x) {
		stale--
	}
	return since, stale
}

// remaining returns how many reads are left that may be what walk asks for after one from t, as since says. It
// reports false when there are none: the session would be skipped again.
func remaining(t, since, left int) (stale int, possible bool) {
	if t >= since {
		return 0, true
	}
	return left, left > 0
}

// walkFrom lets the read at node read from t, as since says.
func (e *serial) walkFrom(s *state, node *program.Node, t, since, left int) (some bool, err error) {
	left, possible := remaining(t, since, left)
	if !possible {
		return false, nil
	}
	if s.h.Words() > 1 && s.known.Forbids(&s.h, node.Var, t) {
		return false, nil
	}
	mark, allowed := s.readOnly(node.Var, t)
	if allowed {
		if err = e.answer(s, node, t); err == nil {
			some, err = e.walk(s, left)
			s.h.Last().Node = node
		}
	}
	s.undoRead(mark)
	return some, err
}

// settle ends the pending transaction and goes on if the level allows the
// history, and no image of it is smaller.
func (e *serial) settle(s *state) (allowed bool, err error) {
	taken := len(s.least.taken)
	if !s.least.add(&s.h, ran(&s.h)) {
		return false, nil
	}
	e.endFree(s, e.choices > 0)
	if allowed = e.keeps(s); allowed {
		err = e.explore(s)
	}
	e.undoEnd(s)
	s.least.undo(taken)
	return allowed, err
}

// ran is the decision that the pending transaction reads as it has read.
func ran(h *semantics.Ordered) decision {
	t := h.Last()
	return decision{t.Session, t.Index, int32(h.Len() - 1), int32(h.Len() - 1)}
}

// losesUpdate reports whether the pending transaction, which is about to commit, loses
// an update. It does when it overwrites a variable that it has read, and another
// transaction has read the same version and overwritten it too. SI and SER forbid that;
// it is seen here before the filter has to search.
func (m *moves) losesUpdate(h *semantics.Ordered, node *program.Node) bool {
	if !m.exclusive || len(node.Writes) == 0 {
		return false
	}
	from, to := h.ReadsOf(h.Len() - 1)
	for _, r := range h.Reads[from:to] {
		if _, writes := node.Written(r.Var); !writes {
			continue
		}
		writers := h.Writers(r.Var)
		first := writers.Next(int(r.From) + 1) // who reads from r.From comes after it
		if first < 0 {
			continue
		}
		for k := int(h.Txns[first].First); k < from; k++ {
			u := &h.Reads[k]
			if u.From == r.From && u.Var == r.Var && writers.Has(int(u.Txn)) {
				return true
			}
		}
	}
	return false
}

func (e *serial) all() (task, error) {
	s, err := e.initial()
	e.frames = slices.Grow(e.frames, 32) // as many as most programs need
	return &part{kind: wholeCall, s: s}, err
}

func (e *serial) do(t task) error {
	p := t.(*part)
	if p.kind == wholeCall {
		return e.explore(p.s)
	}
	i := e.push(p.s, p.node, p.next)
	defer e.pop()
	if p.kind == restReads {
		// What the transaction has read before may be a choice.
		e.choices, e.pending = 1, e.known.known(p.s.h.Last())
		defer func() { e.choices = 0 }()
		_, err := e.walkWriters(i, p.s.known.Unforbidden(&p.s.h, p.node.Var), e.stale(p.s))
		return err
	}
	if !e.skip(p.s, p.next) {
		return nil
	}
	e.frames[i].taken = len(p.s.least.taken)
	return e.decide(i, true)
}

func (e *serial) restore(sub *Subtree) (task, error) {
	p, err := e.restorePart(sub)
	if err != nil {
		return p, err
	}
	p.s.skips = append(p.s.skips[:0], sub.Skips...)
	if err := p.fitsSkips(sub); err != nil {
		return p, err
	}
	return p, e.restoreLeast(p.s, sub.Taken)
}

func (e *serial) tree() tree { return newSerialTree(&e.moves, e.passes, e.ablation) }
