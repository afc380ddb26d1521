package check

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// sane is an ordering that checks the invariants at every decision.
type sane struct {
	*ordering
	t       *testing.T
	checked int
}

func (c *sane) check() {
	c.t.Helper()
	c.checked++
	if err := c.s.sanity(); err != nil {
		c.t.Fatal(err)
	}
	if err := c.ordering.sanity(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *sane) prefer(v int32) lit {
	c.check()
	return c.ordering.prefer(v)
}

func (c *sane) complete() {
	c.check()
	c.ordering.complete()
}

// The solver and the graph keep their invariants while they decide random histories.
func TestSanity(t *testing.T) {
	t.Parallel()
	rounds := often(600)
	checked, learned := 0, 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 91))
		ran := []isolation.Level{isolation.PC, isolation.SI, isolation.SER}[r.IntN(3)]
		f := randomRun(r, ran, 4+r.IntN(8), 60+r.IntN(100), 3+r.IntN(5), 0)
		for _, level := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
			order, cycle := newPreds(f, nil).sort()
			if cycle != nil {
				continue
			}
			c, err := f.causally(t.Context(), order)
			if err != nil || c.cycle != nil {
				continue
			}
			o := &ordering{f: f, level: level, w: c.w, known: make(map[edge]int32)}
			o.g = newDigraph(f, f.readers(), level != isolation.SER)
			wrapped := &sane{ordering: o, t: t}
			o.s = newSolver(wrapped)
			o.begin(t.Context(), c.forced, c.order)
			if _, err := o.s.solve(t.Context()); err != nil {
				t.Fatal(err)
			}
			checked, learned = checked+wrapped.checked, learned+len(o.s.clauses)
		}
	}
	t.Log(checked, learned)
	if checked < 10*rounds || learned < rounds {
		t.Errorf("%d checks, %d clauses: the searches are too short", checked, learned)
	}
}
