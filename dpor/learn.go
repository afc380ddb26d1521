package dpor

import (
	"errors"
	"math/rand/v2"

	"github.com/txmc/txmc/program"
)

// learn gathers accesses from random histories, until several in a row bring
// nothing new. Nothing depends on how many are found but the number of passes.
func (e *engine) learn() (*accesses, error) {
	if e.opts.learnNothing {
		return &accesses{}, nil
	}
	const enough, most = 12, 400
	s, err := e.initial()
	if err != nil {
		return nil, err
	}
	defer e.give(s)
	r := rand.New(rand.NewPCG(1, 2))
	l := &learner{engine: e, Rand: r, met: &accesses{}}
	for walks, idle := 0, 0; idle < enough && walks < most; walks++ {
		if e.share.halt.Load() != nil {
			return nil, errStopped
		}
		l.news = false
		if err := l.history(s); err != nil {
			return nil, err
		}
		if idle++; l.news {
			idle = 0
		}
	}
	return l.met, nil
}

// errAgain tells that a transaction broke the level and is run again.
var errAgain = errors.New("a transaction is run again")

// learner runs transactions in a random order, with random reads.
type learner struct {
	*engine
	*rand.Rand
	met  *accesses
	news bool
}

// history extends s to a complete history, if it can, and takes it back.
func (l *learner) history(s *state) error {
	h := &s.h
	session := -1
	ready := 0
	for i := range h.Sessions() {
		if i != h.Final() && h.Node(i).Kind != program.End {
			if ready++; l.IntN(ready) == 0 {
				session = i
			}
		}
	}
	if session < 0 {
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
func (l *learner) transaction(s *state, tried int) error {
	h, node := &s.h, s.h.Last().Node
	mark := s.known.Mark()
	reads := len(h.Reads)
	var err error
	for err == nil && h.Last().Node.Kind == program.Read {
		err = l.read(s)
	}
	if err == nil {
		err = l.end(s, tried)
	}
	for len(h.Reads) > reads {
		h.UndoRead()
	}
	s.known.Undo(mark)
	h.Last().Node = node
	if err == errAgain {
		return l.transaction(s, tried+1)
	}
	return err
}

// read lets the pending transaction read from a random writer; the last ones are
// the likeliest.
func (l *learner) read(s *state) error {
	h, node := &s.h, s.h.Last().Node
	l.meet(!l.met.hasRead(h.Last(), node.Var))
	l.met.read(h.Last(), node.Var)
	writers := h.Writers(node.Var)
	for {
		t := 0
		for u := writers.Next(1); u >= 0; u = writers.Next(u + 1) {
			if l.IntN(3) > 0 {
				t = u
			}
		}
		mark := s.known.Mark()
		h.Read(node.Var, t)
		if s.known.Read(h) {
			child, err := l.prog.Child(node, l.value(h, t, node.Var))
			if err == nil {
				h.Last().Node = child
			}
			return err
		}
		s.known.Undo(mark)
		h.UndoRead()
	}
}

// end ends the pending transaction and goes on, or reports errAgain.
func (l *learner) end(s *state, tried int) (err error) {
	h, node := &s.h, s.h.Last().Node
	undo := h.UndoAbort
	if node.Kind == program.Commit {
		l.meet(!l.met.hasWrites(h.Last(), node.Writes))
		l.met.write(h.Last(), node.Writes)
		h.Commit(node.Writes)
		undo = h.UndoCommit
	} else {
		h.Abort()
	}
	l.ended(s)
	switch {
	case s.filter.Valid():
		err = l.history(s)
	case tried < tries:
		err = errAgain
	}
	l.undoEnded(s)
	undo()
	return err
}

func (l *learner) meet(fresh bool) { l.news = l.news || fresh }
