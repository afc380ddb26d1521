package dpor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// counters is sessions of txns increments of the same variable.
func counters(sessions, txns int) func(*program.Program) {
	return func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for range txns {
					s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
				}
			})
		}
	}
}

// TestGuess: on known trees the mean of descents is within a few of its standard
// errors of the number of calls, which is exact by counting.
func TestGuess(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sessions, txns int
		opts           Options
		off            float64 // how far the mean may be off, as a share
	}{
		{2, 3, Options{Level: isolation.RC, Base: isolation.RC}, 0.2},
		{3, 2, Options{Level: isolation.CC, Base: isolation.CC}, 0.2},
		{3, 2, Options{Level: isolation.SI, Base: isolation.CC}, 0.2},
		{4, 2, Options{Level: isolation.CC, Base: isolation.CC}, 0.6}, // a wide tree: a few descents matter most
		{3, 2, Options{Level: isolation.SI, Base: isolation.CC, Engine: Serial}, 0.2},
		{3, 3, Options{Level: isolation.SER, Base: isolation.CC, Engine: Serial}, 0.25},
	} {
		client, err := program.NewClient("ExploreTest", counters(c.sessions, c.txns), program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.opts.All, c.opts.Workers = true, 1
		x := Explore(context.Background(), client, c.opts)
		for _, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		first := x.workers[0]
		e := &engine{prog: client, opts: x.opts, base: x.opts.Base, share: newShare(1), serially: first.serially, passing: first.passing, filtered: first.serially}
		r := rand.New(rand.NewPCG(1, 2))
		const n = 40_000
		var sum, squares float64
		for range n {
			calls, err := e.descent(r)
			if err != nil {
				t.Fatal(err)
			}
			sum += calls
			squares += calls * calls
		}
		mean, want := sum/n, float64(x.Stats().Explored)
		sigma := math.Sqrt((squares/n - mean*mean) / n)
		t.Logf("%d × %d %s %s: %.0f ± %.0f, is %.0f", c.sessions, c.txns, c.opts.Level, c.opts.Engine, mean, sigma, want)
		if math.Abs(mean-want) > c.off*want {
			t.Errorf("%d sessions × %d at %s, engine %q: guess %.0f, is %.0f", c.sessions, c.txns, c.opts.Level, c.opts.Engine, mean, want)
		}
		share, least, most := Guess{Calls: mean, Error: sigma, Paths: n}.Share(int64(want / 2))
		if math.Abs(share-0.5) > c.off || least > share || most < share {
			t.Errorf("half of it is %.2f, from %.2f to %.2f", share, least, most)
		}
		client.Park()
	}
}

// A guess that is too low never says that all is done.
func TestGuessTooLow(t *testing.T) {
	share, least, most := Guess{Calls: 10, Error: 100, Paths: guessBatch}.Share(1000)
	if share >= 1 || most >= 1 || least > share {
		t.Error(share, least, most)
	}
	if share, least, most = (Guess{}).Share(5); share != 0 || least != 0 || most != 1 {
		t.Error(share, least, most)
	}
}
