package anomaly

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
)

// mostTries bounds how many assumptions a proof may try. Finding a short proof
// is as hard as deciding the level, which is NP-complete.
const mostTries = 1500

// pair is two writers of x whose order is open.
type pair struct {
	a, b int
	x    behaviour.VarID
}

// proveSaturated decides PC, SI and SER. What takes polynomial time comes first:
// a cycle in the saturated graph forbids the history, an order of all writers
// without one allows it, and a short proof forbids it. The rest is left to the
// search of the package isolation.
func (f *facts) proveSaturated(l isolation.Level) *Proof {
	g := newGraph(f, l != isolation.SER, l == isolation.SI)
	g.saturate()
	if !g.cyclic && g.completes() {
		return nil
	}
	tries := mostTries
	p := g.prove(l, &tries)
	if p.Exhausted && isolation.Satisfies(f.h, l) {
		return nil
	}
	return p
}

// completes reports whether the writers can be ordered pair by pair, without ever going
// back, such that no cycle arises: then the level allows the history. If they cannot be
// ordered in this way, that proves nothing.
func (g *graph) completes() bool {
	p, ok := g.firstOpen()
	if !ok {
		return true
	}
	c := g.assume(p.a, p.b, p.x)
	if c.cyclic {
		c = g.assume(p.b, p.a, p.x)
	}
	return !c.cyclic && c.completes()
}

// prove returns the proof for a saturated graph of a level that forbids the history.
// Without a cycle it needs a case distinction. This is a pair of writers either order
// of which closes a cycle, in the fewest rounds. Where there is none, it is a pair one
// order of which closes a cycle, and the proof goes on with the other order.
func (g *graph) prove(l isolation.Level, tries *int) *Proof {
	if g.cyclic {
		return &Proof{Level: l, Cycle: g.shortest().cycle(), Rounds: g.rounds}
	}
	p, ca, cb := g.distinguish(tries)
	if ca == nil {
		return &Proof{Level: l, Exhausted: true}
	}
	s := &Split{A: p.a, B: p.b, Var: p.x, AFirst: ca.prove(l, tries), BFirst: cb.prove(l, tries)}
	if s.AFirst.Exhausted || s.BFirst.Exhausted {
		return &Proof{Level: l, Exhausted: true}
	}
	return &Proof{Level: l, Split: s, Rounds: max(s.AFirst.Rounds, s.BFirst.Rounds)}
}

// distinguish returns the best pair with the graphs of its two orders, or nil
// when there have been too many tries.
func (g *graph) distinguish(tries *int) (best pair, ca, cb *graph) {
	least := 0
	for p := range g.open {
		if *tries -= 2; *tries < 0 {
			break
		}
		a, b := g.assume(p.a, p.b, p.x), g.assume(p.b, p.a, p.x)
		rounds := a.rounds + b.rounds
		if !a.cyclic {
			rounds += 1 << 20
		}
		if !b.cyclic {
			rounds += 1 << 20
		}
		if ca == nil || rounds < least {
			best, ca, cb, least = p, a, b, rounds
		}
		if least == 2*(g.rounds+2) { // one round each: none is better
			break
		}
	}
	if *tries < 0 && least >= 1<<20 {
		return best, nil, nil
	}
	return best, ca, cb
}

func (g *graph) firstOpen() (first pair, ok bool) {
	g.open(func(p pair) bool {
		first, ok = p, true
		return false
	})
	return first, ok
}

// open yields the pairs of writers whose order is open.
func (g *graph) open(yield func(pair) bool) {
	for _, x := range g.vars {
		writers := g.writers[x][1:]
		for i, a := range writers {
			for _, b := range writers[i+1:] {
				u, v := g.writePoint(a), g.writePoint(b)
				if !g.before(u, v) && !g.before(v, u) && !yield(pair{a, b, x}) {
					return
				}
			}
		}
	}
}

// assume returns the saturated graph in which a's write of x comes before b's.
func (g *graph) assume(a, b int, x behaviour.VarID) *graph {
	c := g.clone()
	u, v := g.writePoint(a), g.after(b)
	e := Edge{Kind: WW, From: a, To: b, Var: x, Reader: -1, Event: -1, Reason: &Reason{Rule: Assumed, Source: -1}}
	c.add(link{u: u, v: v, round: c.rounds + 1, edge: e, since: -1})
	c.saturate()
	return c
}
