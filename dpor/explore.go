// Package dpor enumerates the histories of a client program that an isolation
// level allows, each once, by dynamic partial order reduction.
//
// The algorithms are explore-ce and explore-ce* of Bouajjani, Enea,
// Román-Calvo, "Dynamic Partial Order Reduction for Checking Correctness against
// Transaction Isolation Levels", PLDI 2023 (arXiv 2303.12606), sections 5 and 6;
// functions keep the paper's names. explore-ce is sound, complete and strongly
// optimal for levels that are prefix-closed and causally extensible: every
// history is output once, and no call of explore is in vain. explore-ce* filters
// its outputs by a stronger level.
package dpor

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// state is an ordered history, what the base level's axiom forces of the commit
// order, and whether the level asked for allows it. A swap goes on in a state of
// its own.
type state struct {
	h      semantics.Ordered
	known  isolation.Known
	filter isolation.Filter
	skips  []int32 // of the second engine: skip.go
}

// explore extends the history by its next event in every way that the base
// level allows (PLDI 2023, algorithm 1). Writes and begins have no alternatives
// and are part of the call that makes the read, commit or abort after them: a
// call is one step of the behaviour tree.
func (e *engine) explore(s *state) error {
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
		s.h.Abort()
		e.ended(s)
		err = e.explore(s)
		e.undoEnded(s)
		s.h.UndoAbort()
	}
	if begun {
		s.h.UndoBegin()
	}
	return err
}

// exploreRead lets the pending transaction read from every committed writer
// that keeps the base level.
func (e *engine) exploreRead(s *state, node *program.Node) error {
	i := e.push(frame{s: s, txns: s.h.Len(), reads: len(s.h.Reads), node: node, next: s.h.Writers(node.Var).Next(0)})
	defer e.pop()
	some, err := e.tryWriters(i)
	if !some {
		e.count.blocked++
	}
	return err
}

// tryWriters tries what is left of a read's frame. It reports whether any
// writer kept the level.
func (e *engine) tryWriters(i int) (some bool, err error) {
	s, node := e.frames[i].s, e.frames[i].node
	h := &s.h
	for t := e.frames[i].next; t >= 0; t = e.frames[i].next {
		e.frames[i].next = h.Writers(node.Var).Next(t + 1)
		mark := s.known.Mark()
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
func (e *engine) step(s *state, node *program.Node, t int) error {
	child, err := e.prog.Child(node, e.value(&s.h, t, node.Var))
	if err != nil {
		return err
	}
	s.h.Last().Node = child
	err = e.explore(s)
	s.h.Last().Node = node
	return err
}

// exploreCommit ends the pending transaction and lets earlier reads read from it
// instead.
func (e *engine) exploreCommit(s *state, node *program.Node) error {
	s.h.Commit(node.Writes)
	e.ended(s)
	swaps := frame{s: s, txns: s.h.Len(), reads: len(s.h.Reads), next: len(s.h.Reads) - 1}
	if len(node.Writes) == 0 {
		swaps.next = -1
	}
	i := e.push(swaps)
	err := e.explore(s)
	if err == nil {
		err = e.exploreSwaps(i)
	}
	e.pop()
	e.undoEnded(s)
	s.h.UndoCommit()
	return err
}

// ended follows the end of the last transaction.
func (e *engine) ended(s *state) {
	s.known.End(&s.h)
	if e.filtered {
		s.filter.End(&s.h, &s.known)
	}
}

func (e *engine) undoEnded(s *state) {
	if e.filtered {
		s.filter.UndoEnd()
	}
	s.known.UndoEnd()
}

// value returns the value of x that transaction t wrote.
func (e *engine) value(h *semantics.Ordered, t int, x program.VarID) program.ValueID {
	if t == 0 {
		return e.prog.Initial(x)
	}
	v, _ := h.Txns[t].Node.Written(x)
	return v
}
