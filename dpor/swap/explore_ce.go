// Package swap enumerates the histories of a client program that an isolation
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
//	ValidWrites                 Engine.exploreValidWrites, State.allows
//	explore-ce, explore-ce*     Engine.explore, without and with Explorer.valid
//	exploreSwaps                Engine.exploreSwaps
//	ComputeReorderings          Moves.nextReordering
//	Swap                        Moves.swap, of a reordering
//	Optimality, readLatest      Moves.nextReordering, Moves.readLatest
//	swapped                     not needed: see readLatest
//	DFS(I)                      DFS
//
// Explore-ce is sound, complete and strongly optimal for levels that are
// prefix-closed and causally extensible: every history is output once, and no call
// of explore is in vain. Explore-ce* filters its outputs by a stronger level.
//
// What the serial engine shares with them is here too: moves between ordered histories
// (moves.go), a search whose work can be split (search.go), and what becomes of a complete
// history (output.go). A reader of the paper begins with [Engine] and explore_ce.go, and goes on
// with next.go, swap.go, optimality.go and dfs.go.
package swap

import (
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
)

// Engine is explore-ce, and explore-ce* when the level asked for is stronger
// than the base.
type Engine struct{ Search }

// New is explore-ce, or explore-ce*.
func New(e Explorer) *Engine { return &Engine{Search{Explorer: e}} }

// explore extends the history by its next event in every way that the base
// level allows (PLDI 2023, algorithm 1). Writes and begins have no alternatives
// and are part of the call that makes the read, commit or abort after them: a
// call is one step of the behaviour tree.
func (e *Engine) explore(s *State) error {
	if err := e.Enter(s); err != nil {
		return err
	}
	begun, ok := next(&s.H)
	if !ok {
		return e.Output(s)
	}
	var err error
	switch node := s.H.Last().Node; node.Kind {
	case behaviour.Read:
		err = e.exploreRead(s, node)
	case behaviour.Commit:
		err = e.exploreCommit(s, node)
	case behaviour.Abort:
		e.End(s)
		err = e.explore(s)
		e.UndoEnd(s)
	}
	if begun {
		s.H.UndoBegin()
	}
	return err
}

// exploreRead lets the pending transaction read from every writer of
// ValidWrites(h, e).
func (e *Engine) exploreRead(s *State, node *behaviour.Node) error {
	i := e.Push(s, node, e.FirstWriter(&s.H, node.Var))
	some, err := e.exploreValidWrites(i)
	e.Pop()
	if !some {
		e.Count.Blocked++
	}
	return err
}

// exploreValidWrites explores, for the read e of frame i, the writers that are
// left of
//
//	ValidWrites(h, e) = { t | t committed, t writes e's variable, h ⊕ e ⊕ wr(t, e) satisfies the base level }
//
// (PLDI 2023, section 5.1). It reports whether there was any.
func (e *Engine) exploreValidWrites(i int) (some bool, err error) {
	s, node := e.Frames[i].S, e.Frames[i].Node
	h := &s.H
	for t := e.Frames[i].Next; t >= 0; t = e.Frames[i].Next {
		e.Frames[i].Next = e.NextWriter(h, node.Var, t)
		if s.Known.Forbids(h, node.Var, t) {
			continue
		}
		mark := s.Known.Mark() // state.read and undoRead, by hand: the innermost loop
		h.Read(node.Var, t)
		if s.Known.Read(h) {
			some = true
			if err := e.step(s, node, t); err != nil {
				return some, err
			}
		}
		s.Known.Undo(mark)
		h.UndoRead()
	}
	return some, nil
}

// step lets the session go on with the value that transaction t wrote, and
// explores from there.
func (e *Engine) step(s *State, node *behaviour.Node, t int) error {
	child, err := e.child(s, node, t)
	if err != nil {
		return err
	}
	s.H.Answer(child)
	err = e.explore(s)
	s.H.Last().Node = node
	return err
}

// exploreCommit ends the pending transaction and lets earlier reads read from it
// instead.
func (e *Engine) exploreCommit(s *State, node *behaviour.Node) error {
	e.End(s)
	last := len(s.H.Reads) - 1
	if len(node.Writes) == 0 {
		last = -1
	}
	i := e.Push(s, nil, last)
	err := e.explore(s)
	if err == nil {
		err = e.exploreSwaps(i)
	}
	e.Pop()
	e.UndoEnd(s)
	return err
}

// exploreSwaps explores the history without each reordering of the last
// transaction of frame i that is left to look at, re-pointed (PLDI 2023,
// algorithm 1).
func (e *Engine) exploreSwaps(i int) error {
	s, t := e.Frames[i].S, e.Frames[i].txns-1
	var r reordering
	for e.Frames[i].Next >= 0 && e.nextReordering(&r, s, e.Frames[i].Next, t) {
		e.Frames[i].Next = r.k - 1
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

// All is the exploration of all histories.
func (e *Engine) All() (work.Task, error) {
	s, err := e.Initial()
	return &Task{Kind: work.WholeCall, S: s}, err
}

// Do explores what a task stands for.
func (e *Engine) Do(t work.Task) error {
	p := t.(*Task)
	if p.Kind == work.WholeCall {
		return e.explore(p.S)
	}
	i := e.Push(p.S, p.Node, p.Next)
	defer e.Pop()
	if p.Kind == work.RestReads {
		_, err := e.exploreValidWrites(i)
		return err
	}
	return e.exploreSwaps(i)
}

// Restore follows the history of a subtree.
func (e *Engine) Restore(sub *work.Subtree) (work.Task, error) {
	p, err := e.RestorePart(sub)
	if err == nil && (len(sub.Skips) > 0 || sub.Kind == work.RestOther && sub.Next >= len(p.S.H.Reads)) {
		err = work.MisfitRest(sub)
	}
	return p, err
}

// Tree is the tree of calls, for estimates.
func (e *Engine) Tree() work.Tree { return NewTree(&e.Moves) }
