// Package serial enumerates the histories that a level stronger than causal consistency allows,
// and never leaves that level: docs/serial.md.
//
//	Engine         the search, whole transaction by whole transaction: engine.go
//	chooser        which session is decided on next: choose.go, and on single words choose_word.go
//	lookahead      who may still write what a session waits for: lookahead.go
//	Exploration    the passes, and the accesses that are known in each: passes.go, accesses.go, learn.go
//	Passes         these as data: knowledge.go
package serial

import (
	"math/bits"
	"slices"

	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Engine is the serial engine, which never leaves the level asked for. A history
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
type Engine struct {
	swap.Search
	chooser
	*Exploration
	noted   Accesses // by this worker: what it met and was not known
	news    bool     // there is something
	choices int      // reads of the pending transaction from one that may not be the last writer
	pending *access  // what is known of the pending transaction
	// repeatable: a transaction reads a variable twice from the same transaction.
	repeatable bool
}

// explore explores the complete histories that extend the present one, of whole
// transactions.
func (e *Engine) explore(s *swap.State) error {
	if err := e.Enter(s); err != nil {
		return err
	}
	s.PushSkips()
	taken := s.Canonical.Decisions()
	i := e.Push(s, nil, -1)
	err := e.decide(i, false)
	s.Canonical.Undo(taken)
	e.Pop()
	s.PopSkips()
	return err
}

// decide takes one session after another: first the histories in which its next
// transaction reads from what is there, then the others. extended says whether
// any was reached before.
func (e *Engine) decide(i int, extended bool) error {
	s := e.Frames[i].S
	for {
		session, forced := e.choose(s, e.lookahead)
		switch session {
		case complete:
			if e.repeated(&s.H) {
				return nil
			}
			return e.Output(s)
		case deadEnd:
			e.endsHere(extended)
			return nil
		}
		e.Frames[i].Next = session
		if forced {
			e.Frames[i].Next = -1
		}
		some, err := e.extend(s, session)
		if err != nil {
			return err
		}
		extended = extended || some
		if e.Frames[i].Next < 0 { // forced, or given away
			e.endsHere(extended)
			return nil
		}
		if !e.skip(s, session) {
			e.endsHere(extended)
			return nil
		}
		e.Frames[i].Taken = s.Canonical.Decisions()
	}
}

// skip decides that the next transaction of a session reads from one that is not there
// yet. It reports false when an image of the histories with that is smaller.
func (e *Engine) skip(s *swap.State, session int) bool {
	s.Skip(session)
	return s.Canonical.Skip(&s.H, session)
}

func (e *Engine) endsHere(extended bool) {
	if !extended {
		e.Count.Blocked++
	}
}

// extend runs the next transaction of a session in all ways and explores from
// there. It reports whether there is any.
func (e *Engine) extend(s *swap.State, session int) (some bool, err error) {
	choices, pending := e.choices, e.pending
	s.H.Begin(session)
	e.choices, e.pending = 0, e.known.known(s.H.Last())
	some, err = e.walk(s, e.stale(s))
	s.H.UndoBegin()
	e.choices, e.pending = choices, pending
	return some, err
}

// walk takes the pending transaction to its end. If a read has to be from what was not there
// when its session was skipped, and none was, stale is how many may be: else it is 0.
func (e *Engine) walk(s *swap.State, stale int) (some bool, err error) {
	h := &s.H
	first, reads, mark := h.Last().Node, len(h.Reads), s.Known.Mark()
	stale, writers, possible, err := e.walkForced(s, stale)
	if possible && err == nil {
		switch node := h.Last().Node; node.Kind {
		case behaviour.Read:
			i := e.Push(s, node, e.first(h, node.Var, writers))
			some, err = e.walkWriters(i, writers, stale)
			e.Pop()
		case behaviour.Commit:
			if e.knowsWrites(h, node) && s.KeepsSkip() && (e.choices == 0 || !e.LosesUpdate(h, node)) {
				some, err = e.settle(s)
			}
		case behaviour.Abort:
			if s.KeepsSkip() {
				some, err = e.settle(s)
			}
		}
	}
	if len(h.Reads) > reads {
		s.Known.Undo(mark)
		h.UndoReads(reads)
		h.Last().Node = first
	}
	return some, err
}

// walkForced makes the next reads as long as there is nothing to choose: nobody has written the
// variable, or the level forbids all writers but one. possible is false when the transaction
// cannot go on. left is the part of stale that is left after these reads. writers are the writers
// that Known.Unforbidden has for the next read. The caller undoes the reads.
func (e *Engine) walkForced(s *swap.State, stale int) (left int, writers uint64, possible bool, err error) {
	h := &s.H
	for {
		node := h.Last().Node
		if node.Kind != behaviour.Read {
			return stale, 0, true, nil
		}
		if !e.knowsRead(h, node) {
			return stale, 0, false, nil
		}
		t := 0
		if h.Unwritten(node.Var) {
			h.ReadInitial(node.Var)
		} else {
			if writers = s.Known.Unforbidden(h, node.Var); writers&(writers-1) != 0 || writers == 0 {
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
			if !s.Known.ReadOnly(h) {
				return stale, 0, false, nil
			}
		}
		if err := e.Answer(s, node, t); err != nil {
			return stale, 0, false, err
		}
	}
}

// walkWriters lets the read of frame i read from the writers that are left, of those that Known.Unforbidden has.
func (e *Engine) walkWriters(i int, writers uint64, stale int) (some bool, err error) {
	s, node := e.Frames[i].S, e.Frames[i].Node
	since, left := e.since(s, node.Var, stale)
	for t := e.Frames[i].Next; t >= 0 && err == nil; t = e.Frames[i].Next {
		e.Frames[i].Next = e.after(&s.H, node.Var, writers, t)
		choices := e.choices // before the read: it may force t to be the last
		if !s.Known.Last(&s.H, node.Var, t) {
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
func (e *Engine) first(h *semantics.Ordered, x behaviour.VarID, set uint64) int {
	switch {
	case set == 0:
		return e.FirstWriter(h, x)
	case e.Newest:
		return bits.Len64(set) - 1
	}
	return bits.TrailingZeros64(set)
}

// after is the one that is tried after t, or -1.
func (e *Engine) after(h *semantics.Ordered, x behaviour.VarID, set uint64, t int) int {
	if set == 0 {
		return e.NextWriter(h, x, t)
	}
	if e.Newest {
		return bits.Len64(set&(1<<t-1)) - 1
	}
	if set &^= 2<<t - 1; set == 0 {
		return -1
	}
	return bits.TrailingZeros64(set)
}

// since returns the first transaction from which a read of x is one that walk asks for. If a
// read of x is none of those, left is how many later reads may still be one.
func (e *Engine) since(s *swap.State, x behaviour.VarID, stale int) (since, left int) {
	if stale == 0 {
		return 0, 0
	}
	since = s.Skipped(int(s.H.Last().Session))
	if s.H.Writers(x).Next(since) >= 0 && !hasRead(&s.H, x) {
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
func (e *Engine) walkFrom(s *swap.State, node *behaviour.Node, t, since, left int) (some bool, err error) {
	left, possible := remaining(t, since, left)
	if !possible {
		return false, nil
	}
	if s.H.Words() > 1 && s.Known.Forbids(&s.H, node.Var, t) {
		return false, nil
	}
	mark, allowed := s.ReadOnly(node.Var, t)
	if allowed {
		if err = e.Answer(s, node, t); err == nil {
			some, err = e.walk(s, left)
			s.H.Last().Node = node
		}
	}
	s.UndoRead(mark)
	return some, err
}

// settle ends the pending transaction and goes on if the level allows the
// history, and no image of it is smaller.
func (e *Engine) settle(s *swap.State) (allowed bool, err error) {
	taken := s.Canonical.Decisions()
	if !s.Canonical.End(&s.H) {
		return false, nil
	}
	e.EndFree(s, e.choices > 0)
	if allowed = e.Keeps(s); allowed {
		err = e.explore(s)
	}
	e.UndoEnd(s)
	s.Canonical.Undo(taken)
	return allowed, err
}

// All is the exploration of all histories.
func (e *Engine) All() (work.Task, error) {
	s, err := e.Initial()
	e.Frames = slices.Grow(e.Frames, 32) // as many as most programs need
	return &swap.Task{Kind: work.WholeCall, S: s}, err
}

// Do explores what a task stands for.
func (e *Engine) Do(t work.Task) error {
	p := t.(*swap.Task)
	if p.Kind == work.WholeCall {
		return e.explore(p.S)
	}
	i := e.Push(p.S, p.Node, p.Next)
	defer e.Pop()
	if p.Kind == work.RestReads {
		// What the transaction has read before may be a choice.
		e.choices, e.pending = 1, e.known.known(p.S.H.Last())
		defer func() { e.choices = 0 }()
		_, err := e.walkWriters(i, p.S.Known.Unforbidden(&p.S.H, p.Node.Var), e.stale(p.S))
		return err
	}
	if !e.skip(p.S, p.Next) {
		return nil
	}
	e.Frames[i].Taken = p.S.Canonical.Decisions()
	return e.decide(i, true)
}

// Restore follows the history of a subtree, and what was decided on the way.
func (e *Engine) Restore(sub *work.Subtree) (work.Task, error) {
	p, err := e.RestorePart(sub)
	if err != nil {
		return p, err
	}
	p.S.Skips = append(p.S.Skips[:0], sub.Skips...)
	if err := fitsSkips(p, sub); err != nil {
		return p, err
	}
	if err := p.S.Canonical.Restore(e.symmetry.Group(orbit.ByDecisions), &p.S.H, sub.Taken); err != nil {
		return nil, work.Misfit("%v", err)
	}
	return p, nil
}

// Tree is the tree of calls, for estimates.
func (e *Engine) Tree() work.Tree { return NewTree(&e.Moves, e.Exploration, e.ablation) }

// fitsSkips checks what the serial engine requires of a part besides.
func fitsSkips(p *swap.Task, sub *work.Subtree) error {
	h := &p.S.H
	if n := len(sub.Skips); n != 0 && n != h.Sessions() {
		return work.Misfit("%d numbers for %d sessions", n, h.Sessions())
	}
	for _, n := range sub.Skips {
		if n < 0 || int(n) > h.Len() {
			return work.Misfit("a session is skipped at a place that is not there")
		}
	}
	switch {
	case sub.Kind == work.WholeCall && sub.Open, sub.Kind != work.WholeCall && len(sub.Skips) == 0,
		sub.Kind == work.RestOther && sub.Next >= h.Sessions():
		return work.MisfitRest(sub)
	}
	return nil
}
