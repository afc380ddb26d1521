package dpor

import (
	"math/rand/v2"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// sampler guesses the size of a search tree. It follows a cohort of calls from
// the root on, one depth after another: all their children, of which thin.go draws
// a sample when they are too many. A call that was drawn stands for as many as the
// inverse of its chance, so that the sum of what all stand for is right on average,
// whatever the chances are. They follow what was seen of the sizes of subtrees
// before: size.go. A cohort of one, drawn with equal chances, is Knuth's descent
// ("Estimating the efficiency of backtrack programs", Mathematics of Computation
// 29, 1975); keeping some of each kind is Chen's idea ("Heuristic sampling: a method
// for predicting the performance of tree searching programs", SIAM Journal on
// Computing 21, 1992).
type sampler struct {
	*engine
	*rand.Rand
	most      int // calls of a cohort
	now, then []member
	sizes     sizes
	thinning  thinning

	calls float64 // of explore or serial
	steps float64 // reads and ends of transactions
}

// member is a point of the search, and how many it stands for.
type member struct {
	s      *state
	weight float64
	at     int // in the record of sizes
}

func newSampler(e *engine, r *rand.Rand) *sampler {
	return &sampler{engine: e, Rand: r, sizes: sizes{fine: map[kind]*size{}, coarse: map[kind]*size{}}}
}

// sample makes one guess of the numbers of calls and steps.
func (g *sampler) sample(most int) (calls, steps float64, err error) {
	s, err := g.initial()
	if err != nil {
		return 0, 0, err
	}
	g.most, g.calls, g.steps = most, 0, 0
	g.sizes.begin()
	if g.serially {
		g.calls = 1
		s.pushSkips()
	}
	g.now = append(g.now[:0], member{s, 1, g.sizes.note(g.kindOf(s), 1, -1)})
	for err == nil && len(g.now) > 0 {
		g.then = g.then[:0]
		for i := 0; i < len(g.now) && err == nil; i++ {
			if g.share.halt.Load() != nil {
				err = errStopped
			} else if g.serially {
				err = g.extendSerial(&g.now[i])
			} else {
				err = g.extendSwap(&g.now[i])
			}
		}
		g.thin()
		g.now, g.then = g.then, g.now
	}
	if err == nil {
		g.sizes.learn()
	}
	return g.calls, g.steps, err
}

// child adds a child of m.
func (g *sampler) child(m *member, s *state) {
	g.then = append(g.then, member{s, m.weight, m.at})
}

// extendSwap lists the children of a call of explore.
func (g *sampler) extendSwap(m *member) error {
	s, h := m.s, &m.s.h
	g.calls += m.weight
	if _, ok := next(h); !ok {
		g.give(s)
		return nil
	}
	g.steps += m.weight
	if h.Last().Node.Kind == program.Read {
		return g.readAll(m)
	}
	g.end(s)
	if err := g.swapAll(m); err != nil {
		return err
	}
	g.child(m, s)
	return nil
}

// swapAll lists the swaps that exploreSwaps makes with the last transaction.
func (g *sampler) swapAll(m *member) error {
	s, h, t := m.s, &m.s.h, m.s.h.Len()-1
	for k := len(h.Reads) - 1; k >= 0 && len(h.Txns[t].Writes) > 0; k-- {
		reader := int(h.Reads[k].Txn)
		if reader == t || h.Past(t).Has(reader) {
			k = int(h.Txns[reader].First)
			continue
		}
		c := cutting{s: s, k: k, t: t}
		if !g.readLatest(&c) {
			g.release(&c)
			return nil
		}
		if !h.Writers(h.Reads[k].Var).Has(t) || s.known.Refuses(h, k, t) {
			g.release(&c)
			continue
		}
		left, node := g.cut(&c), h.Reads[k].Node
		if ok, err := g.readFrom(left, node, c.from); !ok || err != nil {
			g.release(&c)
			if err != nil {
				return err
			}
			continue
		}
		g.child(m, left)
	}
	return nil
}

// extendSerial lists the ways to go on from a point of the second engine: when it
// takes decisions, or within a transaction.
func (g *sampler) extendSerial(m *member) error {
	s, h := m.s, &m.s.h
	for {
		if node := h.Last().Node; h.Last().Status == semantics.Pending {
			g.steps += m.weight
			if node.Kind == program.Read {
				return g.readAll(m)
			}
			if !s.keepsSkip() || node.Kind == program.Commit && g.losesUpdate(h, node) {
				break
			}
			if g.end(s); !s.filter.Valid() {
				break
			}
			g.calls += m.weight
			s.pushSkips()
		}
		session, forced := g.choose(s)
		if session < 0 {
			break
		}
		if !forced {
			other := g.copy(s)
			other.skip(session)
			g.child(m, other)
			h.Begin(session)
			g.child(m, s)
			return nil
		}
		h.Begin(session)
	}
	g.give(s)
	return nil
}

// readAll lets the pending transaction read from each writer that it may read
// from.
func (g *sampler) readAll(m *member) error {
	s, node := m.s, m.s.h.Last().Node
	defer g.give(s)
	writers := s.h.Writers(node.Var)
	for t := writers.Next(0); t >= 0; t = writers.Next(t + 1) {
		if !g.keeps(s, node.Var, t) {
			continue
		}
		other := g.copy(s)
		if _, err := g.readFrom(other, node, t); err != nil {
			return err
		}
		g.child(m, other)
	}
	return nil
}

// readFrom lets the pending transaction read from t and go on. It reports whether
// the base level allows that.
func (g *sampler) readFrom(s *state, node *program.Node, t int) (ok bool, err error) {
	s.h.Read(node.Var, t)
	if !s.known.Read(&s.h) {
		return false, nil
	}
	child, err := g.prog.Child(node, g.value(&s.h, t, node.Var))
	if err == nil {
		s.h.Last().Node = child
	}
	return true, err
}

// end ends the pending transaction as it does.
func (g *sampler) end(s *state) {
	if node := s.h.Last().Node; node.Kind == program.Commit {
		s.h.Commit(node.Writes)
	} else {
		s.h.Abort()
	}
	g.ended(s)
}

// copy returns a state of its own.
func (g *sampler) copy(s *state) *state {
	c, n := g.take(), s.h.Ended()
	var node *program.Node
	if s.h.Last().Status == semantics.Pending {
		node = s.h.Last().Node
	}
	c.h.CopyPrefix(&s.h, s.h.Len(), len(s.h.Reads), node)
	c.known.Continue(&c.h, &s.known, n)
	c.known.Replay(&c.h, n)
	if g.filtered {
		c.filter.Copy(&s.filter, n)
	}
	if c.skips = c.skips[:0]; g.serially {
		c.skips = append(c.skips, s.skips[len(s.skips)-s.h.Sessions():]...)
	}
	return c
}
