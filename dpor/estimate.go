package dpor

import (
	"math/rand/v2"

	"github.com/txmc/txmc/program"
)

// estimator guesses the size of a search tree by Knuth's method ("Estimating the
// efficiency of backtrack programs", Mathematics of Computation 29, 1975): of a
// random path from the root, each node stands for as many as the product of the
// numbers of children on the way there. The mean over paths is the size. What is
// counted are steps: reads and ends of transactions.
type estimator struct {
	*engine
	*rand.Rand
	weight, steps float64
	calls         float64 // of explore or serial
}

// estimate returns the mean number of steps of paths random descents.
func (e *engine) estimate(paths int, descend func(*estimator, *state) error) (float64, error) {
	s, err := e.initial()
	if err != nil {
		return 0, err
	}
	defer e.give(s)
	g := &estimator{engine: e, Rand: rand.New(rand.NewPCG(3, 4))}
	for range paths {
		if e.share.halt.Load() != nil {
			return 0, errStopped
		}
		g.weight = 1
		if err := descend(g, s); err != nil {
			return 0, err
		}
	}
	return g.steps / float64(paths), nil
}

// oneOf picks one of n children; n is not 0.
func (g *estimator) oneOf(n int) int {
	g.weight *= float64(n)
	return g.IntN(n)
}

// serial descends in the tree of the second engine.
func (g *estimator) serial(s *state) error {
	g.calls += g.weight
	s.pushSkips()
	defer s.popSkips()
	for {
		session, forced := g.choose(s)
		if session < 0 {
			return nil
		}
		if forced || g.oneOf(2) == 0 {
			s.h.Begin(session)
			err := g.walk(s)
			s.h.UndoBegin()
			return err
		}
		s.skip(session)
	}
}

func (g *estimator) walk(s *state) error {
	h, node := &s.h, s.h.Last().Node
	g.steps += g.weight
	if node.Kind == program.Read {
		return g.read(s, g.walk)
	}
	if !s.keepsSkip() || node.Kind == program.Commit && g.losesUpdate(h, node) {
		return nil
	}
	return g.end(s, func() error {
		if !s.filter.Valid() {
			return nil
		}
		return g.serial(s)
	})
}

// swap descends in the tree of explore-ce.
func (g *estimator) swap(s *state) error {
	g.calls += g.weight
	begun, ok := next(&s.h)
	if !ok {
		return nil
	}
	var err error
	g.steps += g.weight
	if s.h.Last().Node.Kind == program.Read {
		err = g.read(s, g.swap)
	} else {
		err = g.end(s, func() error { return g.swapOrNot(s) })
	}
	if begun {
		s.h.UndoBegin()
	}
	return err
}

// swapOrNot goes on after the end of a transaction, or swaps.
func (g *estimator) swapOrNot(s *state) error {
	reads := g.swappable(s)
	i := g.oneOf(len(reads) + 1)
	if i == len(reads) {
		return g.swap(s)
	}
	c := cutting{s: s, k: reads[i], t: s.h.Len() - 1}
	defer g.release(&c)
	left, node := g.cut(&c), s.h.Reads[reads[i]].Node
	left.h.Read(node.Var, c.from)
	if !left.known.Read(&left.h) {
		return nil
	}
	child, err := g.prog.Child(node, g.value(&left.h, c.from, node.Var))
	if err != nil {
		return err
	}
	left.h.Last().Node = child
	return g.swap(left)
}

// swappable lists the reads that exploreSwaps re-points to the last transaction.
func (g *estimator) swappable(s *state) (reads []int) {
	h, t := &s.h, s.h.Len()-1
	for k := len(h.Reads) - 1; k >= 0 && len(h.Txns[t].Writes) > 0; k-- {
		reader := int(h.Reads[k].Txn)
		if reader == t || h.Past(t).Has(reader) {
			k = int(h.Txns[reader].First)
			continue
		}
		c := cutting{s: s, k: k, t: t}
		latest := g.readLatest(&c)
		g.release(&c)
		if !latest {
			break
		}
		if h.Writers(h.Reads[k].Var).Has(t) && !s.known.Refuses(h, k, t) {
			reads = append(reads, k)
		}
	}
	return reads
}

// read lets the pending transaction read from one of the writers that it may read
// from, and goes on.
func (g *estimator) read(s *state, then func(*state) error) error {
	h, node := &s.h, s.h.Last().Node
	var writers []int
	for t := h.Writers(node.Var).Next(0); t >= 0; t = h.Writers(node.Var).Next(t + 1) {
		if g.keeps(s, node.Var, t) {
			writers = append(writers, t)
		}
	}
	if len(writers) == 0 {
		return nil
	}
	t := writers[g.oneOf(len(writers))]
	mark := s.known.Mark()
	h.Read(node.Var, t)
	s.known.Read(h)
	child, err := g.prog.Child(node, g.value(h, t, node.Var))
	if err == nil {
		h.Last().Node = child
		err = then(s)
		h.Last().Node = node
	}
	s.known.Undo(mark)
	h.UndoRead()
	return err
}

// end ends the pending transaction as it does, goes on, and takes it back.
func (g *estimator) end(s *state, then func() error) error {
	h, node := &s.h, s.h.Last().Node
	undo := h.UndoAbort
	if node.Kind == program.Commit {
		h.Commit(node.Writes)
		undo = h.UndoCommit
	} else {
		h.Abort()
	}
	g.ended(s)
	err := then()
	g.undoEnded(s)
	undo()
	return err
}
