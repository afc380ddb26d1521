package workload_test

import (
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/workload"
	"github.com/txmc/txmc/isolation"
)

// The search for an order of commits does no more than it did: work is counted, which is
// the same on every machine. The bounds are a half above what was measured; one that is
// broken by a better search on the whole may be raised, with the figure in bench/CHECK.md.
func TestWork(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		set   func(c *workload.Config)
		level isolation.Level
		most  check.Work
	}{
		{"150 sessions", func(c *workload.Config) { c.Sessions = 150 }, isolation.SER, check.Work{Decisions: 51_000, Conflicts: 1_560, Propagations: 81_000, Edges: 2_200_000}},
		{"250 sessions", func(c *workload.Config) { c.Sessions = 250 }, isolation.SER, check.Work{Decisions: 247_000, Conflicts: 6_400, Propagations: 334_000, Edges: 15_000_000}},
		{"200 sessions", func(c *workload.Config) { c.Sessions, c.Level = 200, isolation.SI }, isolation.SI, check.Work{Decisions: 9_500, Conflicts: 500, Propagations: 32_000, Edges: 2_060_000}},
		{"300 sessions", func(c *workload.Config) { c.Sessions = 300 }, isolation.SI, check.Work{Propagations: 91_000}},
		{"20 sessions that write", func(c *workload.Config) {
			c.Sessions, c.Txns, c.Keys, c.Reads, c.Level = 20, 100, 1000, 0.2, isolation.SI
		}, isolation.SI, check.Work{Decisions: 420, Conflicts: 10, Propagations: 3_500, Edges: 4_000}},
		{"what is decided first", func(c *workload.Config) { // twice as much where no variable is more active than another one
			c.Sessions, c.Txns, c.Ops, c.Keys, c.Reads, c.Keyed, c.Unknowns, c.Level, c.Seed = 120, 12, 6, 3000, 0.2, workload.Zipfian, 0.2, isolation.SI, 3
		}, isolation.SI, check.Work{Decisions: 100_000, Conflicts: 1_880, Propagations: 118_000, Edges: 1_530_000}},
	} {
		c := workload.Default()
		c.Txns, c.Ops, c.Keys, c.Level, c.Seed = 40, 5, 10000, isolation.SER, 1
		row.set(&c)
		v, err := checked(t, c, check.Options{}).Decide(t.Context(), row.level)
		if err != nil || v.Outcome != check.Satisfied {
			t.Fatal(row.name, v, err)
		}
		w, most := v.Work, row.most
		t.Logf("%s at %v: %+v", row.name, row.level, w)
		if w.Decisions > most.Decisions || w.Conflicts > most.Conflicts || w.Propagations > most.Propagations || w.Edges > most.Edges {
			t.Errorf("%s at %v: %+v, more than %+v", row.name, row.level, w, most)
		}
	}
}
