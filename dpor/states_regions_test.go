package dpor_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement"
	programs "github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// regions explores a program in parts, as several processes do: each has a client of its
// own. A region of more states than most is divided, or explored as a whole, by chance.
type regions struct {
	t       *testing.T
	r       *rand.Rand
	opts    dpor.Options
	client  func() *program.Client
	list    func(testing.TB, *program.Client, dpor.Options, map[string]int) dpor.Stats // outcomesOf, or another one
	whole   dpor.Frontier
	out     map[string]int
	parts   int
	few     int // it ends after so many; 0: at the end
	divided int
}

// explore explores all of it, and returns the counts.
func (g *regions) explore(from *dpor.Frontier) work.Counts {
	g.out, g.whole, g.parts = map[string]int{}, dpor.Frontier{}, 0
	var left []work.Subtree
	if from == nil {
		left = g.part(nil)
	} else {
		g.whole = *from
		left = g.whole.Regions()
	}
	for len(left) > 0 && (g.few == 0 || g.parts < g.few) {
		g.r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		n := 1 + g.r.IntN(min(len(left), 3))
		left = append(left[n:], g.part(g.whole.Of(left[:n]))...)
	}
	g.whole.Subtrees = left
	return g.whole.Counts
}

// part explores a part until it has not been stopped.
func (g *regions) part(from *dpor.Frontier) []work.Subtree {
	for {
		opts := g.opts
		opts.Resume, opts.Workers = from, 1+g.r.IntN(2)
		opts.Part = &dpor.Part{}
		if from == nil || g.r.IntN(8) > 0 {
			opts.Part.Divide = int64(1 + g.r.IntN(60))
		} else if g.r.IntN(2) > 0 {
			opts.Part.Calls = int64(1 + g.r.IntN(200))
		}
		var part *dpor.Frontier
		opts.Checkpoint = sqltest.Decoded(&part)
		out := map[string]int{}
		g.list(g.t, g.client(), opts, out)
		if part.Partial || g.r.IntN(8) == 0 { // stopped, or killed
			continue
		}
		g.parts++
		if len(part.Subtrees) > 0 {
			g.divided++
		}
		for o, n := range out {
			g.out[o] += n
		}
		return g.whole.Take(part)
	}
}

// TestStatesRegions: however a program's states are divided among processes, the counts
// and the outcomes, each once, are those of one.
func TestStatesRegions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 7))
	divided := 0
	list := shared(3)
	list["updates"] = updates
	n := 0
	for range deadlinetest.Until(t, 1, func() bool { return divided >= 100 }) {
		for name, explore := range list {
			for _, level := range append(isolation.LevelsOf(isolation.PostgreSQL), isolation.LevelsOf(isolation.InnoDB)...) {
				if n++; brief() && n%2 == 0 { // another half each time, as maps have no order
					continue
				}
				want := map[string]int{}
				one := outcomesOf(t, databaseClient(t, explore), dpor.Options{Level: level, Workers: 1}, want)
				g := &regions{t: t, r: r, list: outcomesOf, opts: dpor.ShareAtOnce(dpor.Options{Level: level}), client: func() *program.Client { return databaseClient(t, explore) }}
				g.holds(name, settled(level, one), want, nil)
				divided += g.divided
			}
		}
	}
	t.Logf("%d regions were divided", divided)
}

// updates find rows, wait, and find newer versions instead.
func updates(p *program.Program) {
	x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
	for i := range 3 {
		p.Session(fmt.Sprint("s", i), func(s *program.Session) {
			s.Txn("t", func(tx *program.Tx) error {
				x.Update(tx, func(old int) (int, bool) { return 2*old + i, true })
				y.Update(tx, func(old int) (int, bool) { return 2*old + i + 1, true })
				return nil
			})
		})
	}
}

// holds checks that an exploration in regions has these counts and outcomes.
func (g *regions) holds(name string, counted [5]int64, want map[string]int, from *dpor.Frontier) {
	g.t.Helper()
	level := g.opts.Level
	if got := settled(level, countedAs(g.explore(from))); got != counted {
		g.t.Errorf("%s at %v (seed %d): %v in %d parts, %v in one", name, level, seed(), got, g.parts, counted)
	}
	if !maps.Equal(g.out, want) {
		g.t.Errorf("%s at %v (seed %d): %d outcomes in %d parts, %d in one", name, level, seed(), len(g.out), g.parts, len(want))
	}
}

// TestStatesRegionsOfTables: so it is on random programs with tables.
func TestStatesRegionsOfTables(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 8))
	divided, done := 0, 0
	for i := range deadlinetest.Until(t, portion(48), func() bool { return done >= portion(48) && divided > 0 }) {
		k := int64(seed())*1_000_000 + int64(i)
		db := []string{statement.PostgreSQL, statement.MariaDB}[k%2]
		levels := slices.Sorted(maps.Keys(levelsOf[db]))
		name := levels[r.IntN(len(levels))]
		f := programs.Mix(k, db, name, 400)
		f.Save, f.Child = k%5 == 0, k%4 == 2
		p := programs.Program(k, f)
		if !known(p) {
			continue
		}
		done++
		level, want := levelsOf[db][name], map[string]int{}
		one := outcomesOf(t, databaseClient(t, withTable(p)), dpor.Options{Level: level, Workers: 1}, want)
		g := &regions{t: t, r: r, list: outcomesOf, opts: dpor.ShareAtOnce(dpor.Options{Level: level}), client: func() *program.Client { return databaseClient(t, withTable(p)) }}
		if g.holds(p.Text(), settled(level, one), want, nil); t.Failed() {
			return
		}
		divided += g.divided
	}
	t.Logf("%d regions of %d programs were divided", divided, done)
}

// TestStatesRegionsResumed: what one process has begun others go on with in regions, and
// what they leave one process ends.
func TestStatesRegionsResumed(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(seed(), 9))
	for name, explore := range shared(3) {
		for _, level := range []isolation.Level{isolation.PgRC, isolation.PgSer, isolation.InnoRR} {
			want := map[string]int{}
			one := outcomesOf(t, databaseClient(t, explore), dpor.Options{Level: level, Workers: 1}, want)
			var begun *dpor.Frontier
			opts := dpor.ShareAtOnce(dpor.Options{Level: level, Workers: 1, Scope: dpor.Scope{MaxHistories: one.Histories / 3}})
			opts.Checkpoint = func(f *dpor.Frontier) error { begun = f; return nil }
			first := map[string]int{}
			outcomesOf(t, databaseClient(t, explore), opts, first)
			g := &regions{t: t, r: r, list: outcomesOf, opts: dpor.ShareAtOnce(dpor.Options{Level: level}), client: func() *program.Client { return databaseClient(t, explore) }}
			rest := maps.Clone(want)
			for o := range first {
				delete(rest, o)
			}
			g.holds(name, settled(level, one), rest, begun)

			g.few = 3
			counts := g.explore(nil)
			left := g.whole
			left.Counts = counts
			got := g.out
			stats := outcomesOf(t, databaseClient(t, explore), dpor.Options{Level: level, Workers: 2, Scope: dpor.Scope{Resume: &left}}, got)
			if !maps.Equal(got, want) || settled(level, stats) != settled(level, one) {
				t.Errorf("%s at %v (seed %d): %v and %d outcomes after %d parts, %v and %d in one", name, level, seed(), stats, len(got), g.parts, one, len(want))
			}
		}
	}
}

func countedAs(c work.Counts) dpor.Stats {
	return dpor.Stats{Counts: c}
}
