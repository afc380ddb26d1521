package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// The trees of calls of swap and serial. Their points are states. They make the
// moves of the algorithms, each from a state of its own.

// histories is what both trees have in common.
type histories struct{ moves }

func (g *histories) drop(p point) { g.recycle(p.(*state)) }

// readAll adds the state after the pending transaction's read from each writer
// that it may read from.
func (g *histories) readAll(s *state, add func(point)) error {
	node := s.h.Last().Node
	defer g.recycle(s)
	writers := s.h.Writers(node.Var)
	for t := writers.Next(0); t >= 0; t = writers.Next(t + 1) {
		if !s.allows(node.Var, t) {
			continue
		}
		other := g.copy(s)
		other.read(node.Var, t)
		if err := g.answer(other, node, t); err != nil {
			return err
		}
		add(other)
	}
	return nil
}

// copy returns a state of its own.
func (g *histories) copy(s *state) *state {
	var node *program.Node
	if s.h.Last().Status == semantics.Pending {
		node = s.h.Last().Node
	}
	c := g.copyPrefix(s, s.h.Len(), len(s.h.Reads), node)
	if len(s.skips) > 0 {
		c.skips = append(c.skips, s.skips[len(s.skips)-s.h.Sessions():]...)
	}
	c.least.copyFrom(&s.least)
	return c
}

// kindOf returns the kind of s that has the features, with the number of ended
// transactions first, and whether one is pending.
func kindOf(s *state, features ...int32) kind {
	h := &s.h
	k := kind{places: 1}
	k.features[0] = int32(h.Ended())
	copy(k.features[2:], features)
	for i := range h.Sessions() {
		k.places = k.places*31 + uint64(h.Done(i))
	}
	if h.Last().Status == semantics.Pending {
		k.features[1] = 1
		k.places = k.places*31 + uint64(h.Last().Session)
	}
	return k
}

// swapTree is the tree of explore-ce. Nothing is filtered in it.
type swapTree struct{ histories }

func newSwapTree(m *moves) *swapTree {
	own := moves{prog: m.prog, level: m.level, base: m.base, symmetry: m.symmetry, following: newFollowing(m.symmetry, m.prog.Sessions())}
	return &swapTree{histories{own}}
}

func (g *swapTree) root() (point, float64, error) {
	s, err := g.initial()
	return s, 0, err
}

// kind counts the reads at the end that may still be swapped, and those from what
// the reader had not seen.
func (g *swapTree) kind(p point) kind {
	s := p.(*state)
	newest, unseen := int32(0), int32(0)
	for i := range s.h.Reads {
		switch s.h.Reads[i].Past {
		case semantics.Newest:
			newest++
			continue
		case semantics.Unseen:
			unseen++
		}
		newest = 0
	}
	return kindOf(s, newest, unseen)
}

// children are those of a call of explore.
func (g *swapTree) children(p point, add func(point)) (calls, steps float64, err error) {
	s := p.(*state)
	if _, ok := next(&s.h); !ok {
		g.recycle(s)
		return 1, 0, nil
	}
	if s.h.Last().Node.Kind == program.Read {
		return 1, 1, g.readAll(s, add)
	}
	g.end(s)
	if err := g.swapAll(s, add); err != nil {
		return 1, 1, err
	}
	add(s)
	return 1, 1, nil
}

// swapAll adds the swaps that exploreSwaps makes with the last transaction.
func (g *swapTree) swapAll(s *state, add func(point)) error {
	t := s.h.Len() - 1
	if len(s.h.Txns[t].Writes) == 0 {
		return nil
	}
	for k := len(s.h.Reads) - 1; ; {
		var r reordering
		if !g.nextReordering(&r, s, k, t) {
			return nil
		}
		k = r.k - 1
		swapped, node, allowed := g.swap(&r)
		if !allowed {
			g.dropReordering(&r)
			continue
		}
		if err := g.answer(swapped, node, r.from); err != nil {
			g.dropReordering(&r)
			return err
		}
		add(swapped)
	}
}

// serialTree is the tree of the serial engine. A point is where it takes a
// decision, or within a transaction.
type serialTree struct {
	histories
	chooser
	lookahead *lookahead
}

func newSerialTree(m *moves, p *passes, a ablation) *serialTree {
	own := moves{prog: m.prog, level: m.level, base: m.base, filtered: m.filtered, exclusive: m.exclusive, symmetry: m.symmetry}
	return &serialTree{histories{own}, chooser{ablation: a}, p.lookahead}
}

func (g *serialTree) root() (point, float64, error) {
	s, err := g.initial()
	if err != nil {
		return nil, 0, err
	}
	s.pushSkips()
	return s, 1, nil
}

// kind counts the sessions that were skipped.
func (g *serialTree) kind(p point) kind {
	s := p.(*state)
	asleep := int32(0)
	for i := range s.h.Sessions() {
		if s.skipped(i) > 0 {
			asleep++
		}
	}
	return kindOf(s, asleep)
}

// children are the ways to go on from the next decision or read.
func (g *serialTree) children(p point, add func(point)) (calls, steps float64, err error) {
	s := p.(*state)
	h := &s.h
	for {
		if node := h.Last().Node; h.Last().Status == semantics.Pending {
			steps++
			if node.Kind == program.Read {
				return calls, steps, g.readAll(s, add)
			}
			if !s.keepsSkip() || node.Kind == program.Commit && g.losesUpdate(h, node) {
				break
			}
			if !s.least.add(h, ran(h)) {
				break
			}
			if g.end(s); !g.keeps(s) {
				break
			}
			calls++
			s.pushSkips()
		}
		session, forced := g.choose(s, g.lookahead)
		if session < 0 {
			break
		}
		if !forced {
			other := g.copy(s)
			other.skip(session)
			if other.least.add(&other.h, decision{int32(session), int32(h.Done(session)), int32(h.Len()), -1}) {
				add(other)
			} else {
				g.recycle(other)
			}
			h.Begin(session)
			add(s)
			return calls, steps, nil
		}
		h.Begin(session)
	}
	g.recycle(s)
	return calls, steps, nil
}
