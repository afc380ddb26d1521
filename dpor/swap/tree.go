package swap

import (
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// The trees of calls of swap and serial. Their points are states. They make the
// moves of the algorithms, each from a state of its own.

// Histories is what both trees have in common.
type Histories struct{ Moves }

// Drop takes back a point.
func (g *Histories) Drop(p work.Point) { g.Recycle(p.(*State)) }

// ReadAll adds the state after the pending transaction's read from each writer
// that it may read from.
func (g *Histories) ReadAll(s *State, add func(work.Point)) error {
	node := s.H.Last().Node
	defer g.Recycle(s)
	writers := s.H.Writers(node.Var)
	for t := writers.Next(0); t >= 0; t = writers.Next(t + 1) {
		if !s.allows(node.Var, t) {
			continue
		}
		other := g.Copy(s)
		other.read(node.Var, t)
		if err := g.Answer(other, node, t); err != nil {
			return err
		}
		add(other)
	}
	return nil
}

// Copy returns a state of its own.
func (g *Histories) Copy(s *State) *State {
	var node *behaviour.Node
	if s.H.Last().Status == semantics.Pending {
		node = s.H.Last().Node
	}
	c := g.copyPrefix(s, s.H.Len(), len(s.H.Reads), node)
	if len(s.Skips) > 0 {
		c.Skips = append(c.Skips, s.Skips[len(s.Skips)-s.H.Sessions():]...)
	}
	c.Canonical.CopyFrom(&s.Canonical)
	return c
}

// KindOf returns the kind of s that has the features, with the number of ended
// transactions first, and whether one is pending.
func KindOf(s *State, features ...int32) work.Kind {
	h := &s.H
	k := work.Kind{Places: 1}
	k.Features[0] = int32(h.Ended())
	copy(k.Features[2:], features)
	for i := range h.Sessions() {
		k.Places = k.Places*31 + uint64(h.Done(i))
	}
	if h.Last().Status == semantics.Pending {
		k.Features[1] = 1
		k.Places = k.Places*31 + uint64(h.Last().Session)
	}
	return k
}

// swapTree is the tree of explore-ce. Nothing is filtered in it.
type swapTree struct{ Histories }

// NewTree is the tree of explore-ce with these moves.
func NewTree(m *Moves) work.Tree {
	own := Moves{Prog: m.Prog, Level: m.Level, Base: m.Base, Symmetry: m.Symmetry, Following: orbit.NewFollowing(m.Symmetry.Group(orbit.BySwaps), m.Prog.Sessions())}
	return &swapTree{Histories{own}}
}

func (g *swapTree) Root() (work.Point, float64, error) {
	s, err := g.Initial()
	return s, 0, err
}

// Kind counts the reads at the end that may still be swapped, and those from what
// the reader had not seen.
func (g *swapTree) Kind(p work.Point) work.Kind {
	s := p.(*State)
	newest, unseen := int32(0), int32(0)
	for i := range s.H.Reads {
		switch s.H.Reads[i].Past {
		case semantics.Newest:
			newest++
			continue
		case semantics.Unseen:
			unseen++
		}
		newest = 0
	}
	return KindOf(s, newest, unseen)
}

// Children are those of a call of explore.
func (g *swapTree) Children(p work.Point, add func(work.Point)) (calls, steps float64, err error) {
	s := p.(*State)
	if _, ok := next(&s.H); !ok {
		g.Recycle(s)
		return 1, 0, nil
	}
	if s.H.Last().Node.Kind == behaviour.Read {
		return 1, 1, g.ReadAll(s, add)
	}
	g.End(s)
	if err := g.swapAll(s, add); err != nil {
		return 1, 1, err
	}
	add(s)
	return 1, 1, nil
}

// swapAll adds the swaps that exploreSwaps makes with the last transaction.
func (g *swapTree) swapAll(s *State, add func(work.Point)) error {
	t := s.H.Len() - 1
	if len(s.H.Txns[t].Writes) == 0 {
		return nil
	}
	for k := len(s.H.Reads) - 1; ; {
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
		if err := g.Answer(swapped, node, r.from); err != nil {
			g.dropReordering(&r)
			return err
		}
		add(swapped)
	}
}
