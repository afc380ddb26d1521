package swap

import (
	"errors"
	"math/rand/v2"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Random histories, transaction by transaction, each of a random session.

// errAgain tells that a transaction broke the level and is run again.
var errAgain = errors.New("a transaction is run again")

// Random runs transactions in a random order, with random reads.
type Random struct {
	*Moves
	*rand.Rand
	NoteRead   func(t *semantics.Log, x behaviour.VarID) // what the pending transaction reads; nil: nobody asks
	NoteWrites func(t *semantics.Log, writes []behaviour.Write)
	free       bool                 // a read of the pending transaction could have been from another one
	take       func(s *State) error // what is done with a complete history; nil: nothing, and no Finals
	// Halted ends a history too: where sessions are run for the first time, each several
	// times, one of a thousand sessions takes half a minute.
	Halted func() bool
}

// History extends s to a complete history, if it can, and undoes that.
func (l *Random) History(s *State) error {
	if l.Halted() {
		return work.ErrStopped
	}
	h := &s.H
	session := -1
	ready := 0
	for i := range h.Sessions() {
		if i != h.Final() && h.Node(i).Kind != behaviour.End {
			if ready++; l.IntN(ready) == 0 {
				session = i
			}
		}
	}
	if f := h.Final(); session < 0 && l.take != nil && f >= 0 && h.Node(f).Kind != behaviour.End {
		session = f
	}
	if session < 0 {
		if l.take != nil {
			return l.take(s)
		}
		return nil
	}
	h.Begin(session)
	err := l.transaction(s, 0)
	h.UndoBegin()
	return err
}

// tries is how often a transaction is run that breaks the level.
const tries = 4

// transaction runs the pending transaction, several times if it breaks the level,
// and goes on.
func (l *Random) transaction(s *State, tried int) error {
	h, node := &s.H, s.H.Last().Node
	mark := s.Known.Mark()
	reads := len(h.Reads)
	l.free = false
	var err error
	for err == nil && h.Last().Node.Kind == behaviour.Read {
		err = l.read(s)
	}
	if err == nil {
		err = l.finish(s, tried)
	}
	h.UndoReads(reads)
	s.Known.Undo(mark)
	h.Last().Node = node
	if err == errAgain {
		return l.transaction(s, tried+1)
	}
	return err
}

// read lets the pending transaction read from a random writer; the last ones are
// the likeliest.
func (l *Random) read(s *State) error {
	h, node := &s.H, s.H.Last().Node
	if l.NoteRead != nil {
		l.NoteRead(h.Last(), node.Var)
	}
	if h.Unwritten(node.Var) {
		h.ReadInitial(node.Var)
		return l.Answer(s, node, 0)
	}
	if set := s.Known.Unforbidden(h, node.Var); set&(set-1) != 0 || set == 0 {
		l.free = true
	}
	writers := h.Writers(node.Var)
	for {
		t := 0
		for u := writers.Next(1); u >= 0; u = writers.Next(u + 1) {
			if l.IntN(3) > 0 {
				t = u
			}
		}
		mark, allowed := s.ReadOnly(node.Var, t)
		if allowed {
			return l.Answer(s, node, t)
		}
		s.UndoRead(mark)
	}
}

// finish ends the pending transaction and goes on, or reports errAgain.
func (l *Random) finish(s *State, tried int) (err error) {
	if t, node := s.H.Last(), s.H.Last().Node; node.Kind == behaviour.Commit && l.NoteWrites != nil {
		l.NoteWrites(t, node.Writes)
	}
	l.EndFree(s, l.free)
	switch {
	case l.Keeps(s):
		err = l.History(s)
	case tried < tries:
		err = errAgain
	}
	l.UndoEnd(s)
	return err
}
