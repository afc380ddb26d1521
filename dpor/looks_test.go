package dpor_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/engine/pglite"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

var looksFlag = deadlinetest.Flag("looks", 60, 12, "random scripts of SQL at each level, with and without what statements look at")

// TestLooks: random scripts of SQL have the same outcomes whether states differ by all that the
// model keeps or by what statements look at alone, and no more states.
func TestLooks(t *testing.T) {
	t.Parallel()
	if o, err := pglite.DefaultOptions(); err != nil {
		t.Skip(err)
	} else if _, err := pglite.Open(t.Context(), o); err != nil {
		t.Skip(err)
	}
	for name, at := range askedLevels(1) {
		t.Run(at.String()+map[bool]string{name == "": " mixed"}[true], func(t *testing.T) {
			all, less, fewer := int64(0), int64(0), 0
			for i := range deadlinetest.Until(t, looksFlag.N(), func() bool { return fewer > 0 }) {
				k := seed()*1_000_000 + uint64(i)
				a, b := compareLooks(t, k, name, at)
				all, less = all+a, less+b
				if b < a {
					fewer++
				}
			}
			t.Logf("%d states, %d by what is looked at; fewer in %d scripts", all, less, fewer)
		})
	}
}

// compareLooks explores a script in both ways, and returns the states of each.
func compareLooks(t *testing.T, k uint64, name string, at isolation.Level) (all, less int64) {
	t.Helper()
	s := sqltest.RandomScript(k, 2+int(k%2), name == "")
	c, err := program.NewClient("ExploreScript", func(p *program.Program) { declareScript(p, s, name) },
		program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	outcomes := func(opts dpor.Options) (map[string]bool, dpor.Stats) {
		opts.Level, opts.All, opts.List, opts.Workers = at, true, true, 1
		x := dpor.Explore(t.Context(), c, opts)
		list, n := map[string]bool{}, int64(0)
		for f, err := range x.Histories() {
			if err != nil {
				t.Fatalf("script %d: %v", k, err)
			}
			list[scriptOutcome(c, f)] = true
			n++
		}
		if x.Stats().Histories != n {
			t.Fatalf("script %d: %d outcomes are counted, and %d are handed on", k, x.Stats().Histories, n)
		}
		return list, x.Stats()
	}
	want, whole := outcomes(dpor.LookAtAll(dpor.Options{}))
	got, part := outcomes(dpor.Options{})
	if !maps.Equal(got, want) || whole.Histories != part.Histories {
		t.Fatalf("script %d: by what is looked at, %d outcomes\n%s\nby all, %d outcomes\n%s\nof\n%s\n%q", k, part.Histories, sorted(got), whole.Histories, sorted(want), s.Schema, s.Sessions)
	}
	if part.Explored > whole.Explored {
		t.Errorf("script %d: %d states, and %d by all that the model keeps: %s", k, part.Explored, whole.Explored, fmt.Sprintf("%q", s.Sessions))
	}
	return whole.Explored, part.Explored
}
