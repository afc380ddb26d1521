package dpor_test

import (
	"fmt"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Random executions under the model of a database find a violation only where there is one,
// and its way leads there. The search finds all that they do not.
func TestWalk(t *testing.T) {
	t.Parallel()
	atEachLevel(t, func(t *testing.T, of, db, level string) {
		r, walked, none := random("walk "+of+db+level), 0, 0
		for n := range deadlinetest.Until(t, portion(40), func() bool { return walked > 0 && none > 0 }) {
			p, declare := sketchOf(r, of, db, level)
			sets := mayDiffer(r, p)
			if p.Interleavings() > 2000 {
				continue
			}
			c, err := program.NewClient("ExploreTest", judgingSome(declare(p), n), program.Options{Database: true, Recheck: -1})
			if err != nil {
				t.Fatal(err)
			}
			opts := dpor.Options{Level: levelsOf[db][level], Workers: 1, All: true, Selection: dpor.Selection{Symmetric: sets}}
			_, all := ofExploration(t, c, opts)
			opts.All, opts.Probes = false, -1
			_, plain := ofExploration(t, c, opts)
			opts.Probes, opts.ProbeAfter = 20, 1+n%10
			if n%2 == 0 { // workers that share have a way to where they are
				opts.Workers = 3
				opts = dpor.ShareAtOnce(opts)
			}
			found, first := ofExploration(t, c, opts)
			switch {
			case min(1, len(found)) != min(1, int(all.Violations)) || first.Violations != int64(len(found)):
				t.Errorf("%d violations, of %d in all: %+v\n%s", len(found), all.Violations, first, p.Text())
			case len(found) == 0:
				// Which of an orbit is met first, and by which worker, may tell how many states there are.
				same := first.Explored == plain.Explored || len(first.Symmetry.Sets) > 0 || opts.Workers > 1
				if none++; first.Histories != plain.Histories || !same {
					t.Errorf("%d outcomes in %d states, %d in %d without random executions\n%s", first.Histories, first.Explored, plain.Histories, plain.Explored, p.Text())
				}
			default:
				if first.Explored < plain.Explored {
					walked++
				}
				again, err := dpor.Execute(c, opts.Level, found[0].Schedule)
				if err != nil || fmt.Sprint(again.Ends, again.Values) != fmt.Sprint(found[0].Ends, found[0].Values) {
					t.Errorf("the way leads to %v, %v\n%s", again, err, p.Text())
				}
			}
			c.Park()
		}
		t.Logf("%d found by random executions, %d without a violation", walked, none)
	})
}

// ofExploration is what an exploration finds.
func ofExploration(t *testing.T, c *program.Client, opts dpor.Options) (found []*dpor.Found, s dpor.Stats) {
	t.Helper()
	x := dpor.Explore(t.Context(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, f)
	}
	return found, x.Stats()
}

// Random executions find soon what the search comes to late.
func TestWalkIsSooner(t *testing.T) {
	t.Parallel()
	for _, l := range []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRR} {
		c, err := program.NewClient("early", early, program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		opts := dpor.Options{Level: l, Workers: 1, Scope: dpor.Scope{MaxHistories: 2000, Bound: &dpor.Bound{Calls: 3000, Nodes: 1 << 40}}}
		if _, s := ofExploration(t, c, opts); s.Violations != 1 || s.Explored > 100 || s.Histories > 200 {
			t.Errorf("%v: %+v", l, s)
		}
		opts.Probes = -1
		if _, s := ofExploration(t, c, opts); s.Violations != 0 {
			t.Errorf("%v: the search finds it by itself, after %d states", l, s.Explored)
		}
		c.Park()
	}
}
