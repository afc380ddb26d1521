// Package dpor enumerates the histories of a client program that an isolation
// level allows, each once, by dynamic partial order reduction.
//
// The algorithms are explore-ce and explore-ce* of Bouajjani, Enea,
// Román-Calvo, "Dynamic Partial Order Reduction for Checking Correctness against
// Transaction Isolation Levels", PLDI 2023 (arXiv 2303.12606), sections 5 and 6.
// The paper's definitions are found by their names:
//
//	so, wr                      semantics.History.So, semantics.History.Wr
//	ordered history             semantics.Ordered
//	causal past                 semantics.Ordered.Past
//	axioms of the levels        reference.Relations.Phi; fast in isolation: axioms.go, ser.go, si.go
//	oracle order, Next          next
//	ValidWrites                 swapping.exploreValidWrites, state.allows
//	explore-ce, explore-ce*     swapping.explore, without and with explorer.valid
//	exploreSwaps                swapping.exploreSwaps
//	ComputeReorderings          moves.nextReordering
//	Swap                        moves.swap, of a reordering
//	Optimality, readLatest      moves.nextReordering, moves.readLatest
//	swapped                     not needed: see readLatest
//	DFS(I)                      dfs
//
// Explore-ce is sound, complete and strongly optimal for levels that are
// prefix-closed and causally extensible: every history is output once, and no call
// of explore is in vain. Explore-ce* filters its outputs by a stronger level.
package dpor

import (
	"github.com/txmc/txmc/program"
)

// swapping is explore-ce, and explore-ce* when the level asked for is stronger
// than the base.
type swapping struct{ search }

// explore extends the history by its next event in every way that the base
// level allows (PLDI 2023, algorithm 1). Writes and begins have no alternatives
// and are part of the call that makes the read, commit or abort after them: a
// call is one step of the behaviour tree.
func (e *swapping) explore(s *state) error {
	if err := e.enter(s); err != nil {
		return err
	}
	begun, ok := next(&s.h)
	if !ok {
		return e.output(s)
	}
	var err error
	switch node := s.h.Last().Node; node.Kind {
	case program.Read:
		err = e.exploreRead(s, node)
	case program.Commit:
		err = e.exploreCommit(s, node)
	case program.Abort:
		e.end(s)
		err = e.explore(s)
		e.undoEnd(s)
	}
	if begun {
		s.h.UndoBegin()
	}
	return err
}

// exploreRead lets the pending transaction read from every writer of
// ValidWrites(h, e).
func (e *swapping) exploreRead(s *state, node *program.Node) error {
	i := e.push(s, node, e.firstWriter(&s.h, node.Var))
	some, err := e.exploreValidWrites(i)
	e.pop()
	if !some {
		e.count.blocked++
	}
	return err
}

// exploreValidWrites explores, for the read e of frame i, the writers that are
// left of
//
//	ValidWrites(h, e) = { t | t committed, t writes e's variable, h ⊕ e ⊕ wr(t, e) satisfies the base level }
//
// (PLDI 2023, section 5.1). It reports whether there was any.
func (e *swapping) exploreValidWrites(i int) (some bool, err error) {
	s, node := e.frames[i].s, e.frames[i].node
	h := &s.h
	for t := e.frames[i].next; t >= 0; t = e.frames[i].next {
		e.frames[i].next = e.nextWriter(h, node.Var, t)
		if s.known.Forbids(h, node.Var, t) {
			continue
		}
		mark := s.known.Mark() // state.read and undoRead, by hand: the innermost loop
		h.Read(node.Var, t)
		if s.known.Read(h) {
			some = true
			if err := e.step(s, node, t); err != nil {
				return some, err
			}
		}
		s.known.Undo(mark)
		h.UndoRead()
	}
	return some, nil
}

// step lets the session go on with the value that transaction t wrote, and
// explores from there.
func (e *swapping) step(s *state, node *program.Node, t int) error {
	child, err := e.child(s, node, t)
	if err != nil {
		return err
	}
	s.h.Answer(child)
	err = e.explore(s)
	s.h.Last().Node = node
	return err
}

// exploreCommit ends the pending transaction and lets earlier reads read from it
// instead.
func (e *swapping) exploreCommit(s *state, node *program.Node) error {
	e.end(s)
	last := len(s.h.Reads) - 1
	if len(node.Writes) == 0 {
		last = -1
	}
	i := e.push(s, nil, last)
	err := e.explore(s)
	if err == nil {
		err = e.exploreSwaps(i)
	}
	e.pop()
	e.undoEnd(s)
	return err
}

// exploreSwaps explores the history without each reordering of the last
// transaction of frame i that is left to look at, re-pointed (PLDI 2023,
// algorithm 1).
func (e *swapping) exploreSwaps(i int) error {
	s, t := e.frames[i].s, e.frames[i].txns-1
	var r reordering
	for e.frames[i].next >= 0 && e.nextReordering(&r, s, e.frames[i].next, t) {
		e.frames[i].next = r.k - 1
		var err error
		if g, node, allowed := e.swap(&r); allowed {
			err = e.step(g, node, r.from)
		}
		e.dropReordering(&r)
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *swapping) all() (task, error) {
	s, err := e.initial()
	return &part{kind: wholeCall, s: s}, err
}

func (e *swapping) do(t task) error {
	p := t.(*part)
	if p.kind == wholeCall {
		return e.explore(p.s)
	}
	i := e.push(p.s, p.node, p.next)
	defer e.pop()
	if p.kind == restReads {
		_, err := e.exploreValidWrites(i)
		return err
	}
	return e.exploreSwaps(i)
}

func (e *swapping) restore(sub *Subtree) (task, error) {
	p, err := e.restorePart(sub)
	if err == nil && (len(sub.Skips) > 0 || sub.Kind == restOther && sub.Next >= len(p.s.h.Reads)) {
		err = misfitRest(sub)
	}
	return p, err
}

func (e *swapping) tree() tree { return newSwapTree(&e.moves) }
