package dpor

import (
	"context"
	"math"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// The mean of many estimates is the size of the tree: of swaps the calls of
// explore that are steps, of which the leaves are none.
func TestEstimate(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreTest", threeCounters, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := Explore(context.Background(), client, Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	e := &engine{prog: client, opts: Options{Level: isolation.CC}, base: isolation.CC, share: newShare(1)}
	got, err := e.estimate(20000, (*estimator).swap)
	if err != nil {
		t.Fatal(err)
	}
	s := x.Stats()
	if want := float64(s.Explored - s.EndStates); math.Abs(got-want) > want/10 {
		t.Errorf("%.0f steps estimated, %.0f made", got, want)
	}
}

// threeCounters is inc x ; inc x in three sessions.
func threeCounters(p *program.Program) {
	x := program.NewVar(p, "x", 0)
	for _, name := range []string{"a", "b", "c"} {
		p.Session(name, func(s *program.Session) {
			for range 2 {
				s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			}
		})
	}
}

// The same for the second engine, whose steps are counted here by a walk over the
// whole tree.
func TestEstimateSerial(t *testing.T) {
	t.Parallel()
	client, err := program.NewClient("ExploreTest", threeCounters, program.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := Explore(context.Background(), client, Options{Level: isolation.SER, Engine: Serial, All: true, Workers: 1})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	e := x.workers[0]
	got, err := e.estimate(20000, (*estimator).serial)
	if err != nil {
		t.Fatal(err)
	}
	// Each call but the first ends a transaction of two steps. A step more is made
	// for every other writer that an increment could read from, in vain.
	s := x.Stats()
	least := 2 * float64(s.Explored-1)
	if got < least || got > 4*least {
		t.Errorf("%.0f steps estimated, at least %.0f made", got, least)
	}
}
