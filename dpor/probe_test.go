package dpor_test

import (
	"errors"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// early breaks when the first session, for whom all others wait, reads the fourth value,
// which the search tries last.
func early(p *program.Program) {
	x, looked := program.NewVar(p, "x", 0), program.NewVar(p, "looked", false)
	increment := func(tx *program.Tx) error { looked.Get(tx); x.Set(tx, x.Get(tx)+1); return nil }
	p.Session("a", func(s *program.Session) {
		seen := 0
		s.Txn("look", func(tx *program.Tx) error { seen = x.Get(tx); looked.Set(tx, true); return nil })
		s.Assertf(seen < 4, "x is %d", seen)
	})
	for _, name := range []string{"b", "c", "d", "e"} {
		p.Session(name, func(s *program.Session) { s.Txn("inc", increment); s.Txn("inc", increment) })
	}
	p.Invariant("of itself", func(o *program.Outcome) error {
		if len(o.Sessions) == 0 {
			return errors.New("no session")
		}
		return nil
	})
}

// Random histories find soon what the search comes to late. Without a violation they
// change nothing.
func TestProbe(t *testing.T) {
	t.Parallel()
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		client, err := program.NewClient("early", early, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		first := func(probes int) dpor.Stats {
			opts := at(l)
			opts.Workers, opts.Engine, opts.Probes, opts.MaxHistories = 1, dpor.Auto, probes, 3000
			x := dpor.Explore(t.Context(), client, opts)
			for f, err := range x.Histories() {
				if err != nil || len(f.Failures) != 1 {
					t.Fatal(f, err)
				}
			}
			return x.Stats()
		}
		if s := first(0); s.Violations != 1 || s.Histories <= 8 || s.Histories > 108 || s.Stopped != work.ByViolation {
			t.Errorf("%v: %+v", l, s)
		}
		if s := first(-1); s.Violations != 0 {
			t.Errorf("%v: the search finds it by itself, after %d histories", l, s.Histories)
		}
	}
	client, err := newClient(parse("inc x ; inc x | inc x ; inc x | inc x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []dpor.Options{at(isolation.CC), serially(isolation.SER)} {
		opts.Workers = 1
		var counts []int64
		for _, opts.Probes = range []int{0, -1} {
			x := dpor.Explore(t.Context(), client, opts)
			for range x.Histories() {
				t.Error("a violation of nothing")
			}
			counts = append(counts, x.Stats().Histories, x.Stats().Explored)
		}
		if counts[0] != counts[2] || counts[1] != counts[3] {
			t.Errorf("%v: %v histories and calls", opts.Level, counts)
		}
	}
}
