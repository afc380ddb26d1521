package dpor_test

import (
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/program"
)

// TestSymmetryInRegions: however the states of a program with alike sessions are divided among processes, each
// orbit of outcomes comes once, with its size; also where sessions are told apart.
func TestSymmetryInRegions(t *testing.T) {
	t.Parallel()
	atEachLevel(t, func(t *testing.T, of, db, level string) {
		r := random("regions " + of + db + level)
		symmetric, divided, parts := 0, 0, 0
		for n := 0; n < portion(60); {
			p, declare := sketchOf(r, of, db, level)
			sets := mayDiffer(r, p)
			if most := p.Interleavings(); most < 30 || most > 10_000 || brief() && most > 500 {
				continue
			}
			n++
			g := &sqltest.InRegions{R: r, Sets: sets, Client: func() (*program.Client, error) {
				return program.NewClient("ExploreTest", judgingSome(declare(p), n), program.Options{Database: true, Recheck: -1})
			}}
			g.Opts = dpor.Options{Level: levelsOf[db][level], Selection: dpor.Selection{NoRaces: n%7 == 0}}
			if n%4 == 1 {
				g.Opts = dpor.ShareAtOnce(g.Opts)
			}
			stats, _, err := g.Explore()
			if err != nil {
				t.Fatalf("program %d of -seed=%d in %d parts: %v\n%s\nwith alike %v: %+v", n, seed(), g.Parts, err, p.Text(), sets, stats.Symmetry)
			}
			if divided, parts = divided+g.Divided, max(parts, g.Parts); len(stats.Symmetry.Sets) > 0 {
				symmetric++
			}
		}
		t.Logf("%d programs have symmetry; %d regions were divided, at most %d parts", symmetric, divided, parts)
	})
}
