package serial

import (
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// serialTree is the tree of the serial engine. A point is where it takes a
// decision, or within a transaction.
type serialTree struct {
	swap.Histories
	chooser
	lookahead *lookahead
}

// NewTree is the tree of the serial engine with the knowledge of p.
func NewTree(m *swap.Moves, p *Exploration, a Ablation) work.Tree {
	own := swap.Moves{Prog: m.Prog, Level: m.Level, Base: m.Base, Filtered: m.Filtered, Exclusive: m.Exclusive, Symmetry: m.Symmetry}
	return &serialTree{swap.Histories{Moves: own}, chooser{ablation: a}, p.lookahead}
}

func (g *serialTree) Root() (work.Point, float64, error) {
	s, err := g.Initial()
	if err != nil {
		return nil, 0, err
	}
	s.PushSkips()
	return s, 1, nil
}

// Kind counts the sessions that were skipped.
func (g *serialTree) Kind(p work.Point) work.Kind {
	s := p.(*swap.State)
	asleep := int32(0)
	for i := range s.H.Sessions() {
		if s.Skipped(i) > 0 {
			asleep++
		}
	}
	return swap.KindOf(s, asleep)
}

// Children are the ways to go on from the next decision or read.
func (g *serialTree) Children(p work.Point, add func(work.Point)) (calls, steps float64, err error) {
	s := p.(*swap.State)
	h := &s.H
	for {
		if node := h.Last().Node; h.Last().Status == semantics.Pending {
			steps++
			if node.Kind == behaviour.Read {
				return calls, steps, g.ReadAll(s, add)
			}
			if !s.KeepsSkip() || node.Kind == behaviour.Commit && g.LosesUpdate(h, node) {
				break
			}
			if !s.Canonical.End(h) {
				break
			}
			if g.End(s); !g.Keeps(s) {
				break
			}
			calls++
			s.PushSkips()
		}
		session, forced := g.choose(s, g.lookahead)
		if session < 0 {
			break
		}
		if !forced {
			other := g.Copy(s)
			other.Skip(session)
			if other.Canonical.Skip(&other.H, session) {
				add(other)
			} else {
				g.Recycle(other)
			}
			h.Begin(session)
			add(s)
			return calls, steps, nil
		}
		h.Begin(session)
	}
	g.Recycle(s)
	return calls, steps, nil
}
