package dpor

import (
	"errors"
	"math/rand/v2"

	"github.com/txmc/txmc/program"
)

// learn gathers accesses from random histories, until several in a row bring
// nothing new. Nothing depends on how many are found but the number of passes.
func learn(m *moves, halted func() bool) (*accesses, error) {
	const enough, most = 12, 400
	s, err := m.initial()
	if err != nil {
		return nil, err
	}
	defer m.recycle(s)
	r := rand.New(rand.NewPCG(1, 2))
	l := &learner{moves: m, Rand: r, met: &accesses{}, halted: halted}
	for walks, idle := 0, 0; idle < enough && walks < most; walks++ {
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
	*moves
	*rand.Rand
	met  *accesses
	news bool
	free bool                 // a read of the pending transaction could have been from another one
	take func(s *state) error // what is done with a complete history; nil: nothing, and no Finals
	// halted ends a history too: where sessions are run for the first time, each several
	// times, one of a thousand sessions takes half a minute.
	halted func() bool
}

// history extends s to a complete history, if it can, and undoes that.
func (l *learner) history(s *state) error {
	if l.halted() {
		return errStopped
	}
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
	if f := h.Final(); session < 0 && l.take != nil && f >= 0 && h.Node(f).Kind != program.End {
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
func (l *learner) transaction(s *state, tried int) error {
	h, node := &s.h, s.h.Last().Node
	mark := s.known.Mark()
	reads := len(h.Reads)
	l.free = false
	var err error
	for err == nil && h.Last().Node.Kind == program.Read {
		err = l.read(s)
	}
	if err == nil {
		err = l.finish(s, tried)
	}
	h.UndoReads(reads)
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
	if h.Unwritten(node.Var) {
		h.ReadInitial(node.Var)
		return l.answer(s, node, 0)
	}
	if set := s.known.Unforbidden(h, node.Var); set&(set-1) != 0 || set == 0 {
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
		mark, allowed := s.readOnly(node.Var, t)
		if allowed {
			return l.answer(s, node, t)
		}
		s.undoRead(mark)
	}
}

// finish ends the pending transaction and goes on, or reports errAgain.
func (l *learner) finish(s *state, tried int) (err error) {
	if t, node := s.h.Last(), s.h.Last().Node; node.Kind == program.Commit {
		l.meet(!l.met.hasWrites(t, node.Writes))
		l.met.write(t, node.Writes)
	}
	l.endFree(s, l.free)
	switch {
	case l.keeps(s):
		err = l.history(s)
	case tried < tries:
		err = errAgain
	}
	l.undoEnd(s)
	return err
}

func (l *learner) meet(fresh bool) { l.news = l.news || fresh }
