package dpor_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement"
	programs "github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// modelLevels are the levels of databases.
var modelLevels = []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer, isolation.InnoRC, isolation.InnoRR, isolation.InnoRRSI, isolation.InnoSer}

// mayDiffer makes a program's first sessions copies of each other. One program in four
// stays as it is. In another one the last copy has another statement. There sessions are
// said to be alike and are not.
func mayDiffer(r *rand.Rand, p *statement.Program) [][]int {
	n, first := 2+r.IntN(3), p.Sessions[0]
	kind := r.IntN(9)
	if kind == 8 {
		p.Sessions = [][]statement.Transaction{first, p.Sessions[1], first, p.Sessions[1]}
		return [][]int{{0, 2}, {1, 3}}
	}
	if kind > 1 {
		for len(p.Sessions) < n {
			p.Sessions = append(p.Sessions, nil)
		}
		for i := 1; i < n; i++ {
			p.Sessions[i] = first
		}
	}
	n = min(n, len(p.Sessions))
	if kind == 2 && len(first[len(first)-1].Stmts) > 1 {
		txns := slices.Clone(first)
		last := &txns[len(txns)-1]
		last.Stmts = last.Stmts[:len(last.Stmts)-1]
		p.Sessions[n-1] = txns
	}
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	return [][]int{set}
}

// TestSymmetryOnDatabases: random programs with sessions that are alike, or are said to be.
func TestSymmetryOnDatabases(t *testing.T) {
	t.Parallel()
	atEachLevel(t, func(t *testing.T, of, db, level string) { symmetryOnDatabase(t, of, db, level, portion(150)) })
}

// TestSymmetryOnDatabasesResumed: an exploration that is resumed again and again finds each
// orbit once, also where sessions fall apart after outcomes were handed on.
func TestSymmetryOnDatabasesResumed(t *testing.T) {
	t.Parallel()
	r := random("copies resumed")
	n, most, apart, late := 0, 0, 0, 0
	for range deadlinetest.Until(t, portion(200), func() bool { return most > 3 && late > 0 }) {
		of, db := []string{"variables", "tables"}[r.IntN(2)], []string{statement.PostgreSQL, statement.MariaDB}[r.IntN(2)]
		names := slices.Sorted(maps.Keys(levelsOf[db]))
		name := names[r.IntN(len(names))]
		level := levelsOf[db][name]
		p, declare := sketchOf(r, of, db, name)
		sets := mayDiffer(r, p)
		for p.Interleavings() < 100 || p.Interleavings() > 10_000 {
			p, declare = sketchOf(r, of, db, name)
			sets = mayDiffer(r, p)
		}
		n++
		many := 3 + r.IntN(50) // the fewer outcomes tell sessions apart, the later do they
		client := func() (*program.Client, error) {
			return program.NewClient("ExploreTest", judgingOneIn(many, declare(p), n), program.Options{Database: true, Recheck: -1})
		}
		opts := dpor.Options{Level: level, Selection: dpor.Selection{NoRaces: n%7 == 0}}
		if n%2 == 0 {
			opts = dpor.ShareAtOnce(opts)
		}
		stats, _, pieces, err := sqltest.SymmetricInPieces(client, opts, sets, r)
		if err != nil {
			t.Fatalf("program %d of -seed=%d at %v in %d pieces: %v\n%s\nwith alike %v: %+v", n, seed(), level, pieces, err, p.Text(), sets, stats.Symmetry)
		}
		most = max(most, pieces)
		if len(stats.Symmetry.Off) > 0 {
			if apart++; pieces > 2 {
				late++
			}
		}
	}
	t.Logf("%d programs in at most %d pieces; %d fell apart, %d of them may have done so late", n, most, apart, late)
}

// TestCopiesApartLate: sessions are told apart by one outcome among many, when others were
// handed on in pieces. Each comes once all the same.
func TestCopiesApartLate(t *testing.T) {
	t.Parallel()
	r := random("apart late")
	for n, level := range map[int]isolation.Level{2: isolation.PgRC, 3: isolation.InnoRC} {
		client := func() (*program.Client, error) {
			return program.NewClient("ExploreTest", apartLate(n), program.Options{Database: true, Recheck: -1})
		}
		set := []int{0, 1, 2}[:n]
		stats, _, pieces, err := sqltest.SymmetricInPieces(client, dpor.Options{Level: level}, [][]int{set}, r)
		if err != nil {
			t.Errorf("%d sessions at %v (-seed=%d) in %d pieces: %v, %+v", n, level, seed(), pieces, err, stats.Symmetry)
		}
		if pieces < 4 || len(stats.Symmetry.Off) != 1 || len(stats.Symmetry.Sets) != n-2 {
			t.Errorf("%d sessions at %v: %d pieces, %+v", n, level, pieces, stats.Symmetry)
		}
	}
}

// apartLate has n copies that count, two of them twice. In one outcome the last one may not be
// the one that it is.
func apartLate(n int) func(*program.Program) {
	return func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for i := range n {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for k := range 4 - n {
					s.Txn("add", func(tx *program.Tx) error {
						got := x.Get(tx)
						s.Observe(fmt.Sprint(k), fmt.Sprint(got))
						x.Set(tx, got+1)
						return nil
					})
				}
			})
		}
		p.Invariant("odd", func(o *program.Outcome) error {
			seen := ""
			for _, s := range o.Sessions {
				for _, x := range s.Observations {
					seen += fmt.Sprint(x.Value)
				}
			}
			if seen == "0201" || seen == "001" {
				return errors.New("it is the last one")
			}
			return nil
		})
	}
}

// atEachLevel runs a test of random programs on variables and on tables, at each level of each
// database.
func atEachLevel(t *testing.T, test func(t *testing.T, of, db, level string)) {
	for _, of := range []string{"variables", "tables"} {
		for db, levels := range levelsOf {
			for level := range levels {
				t.Run(fmt.Sprint(of, " ", db, " ", level), func(t *testing.T) {
					t.Parallel()
					test(t, of, db, level)
				})
			}
		}
	}
}

func symmetryOnDatabase(t *testing.T, of, db, level string, programs int) {
	r := random("copies " + of + db + level)
	symmetric, violations, states, before := 0, int64(0), int64(0), int64(0)
	for n := 0; n < programs; {
		p, declare := sketchOf(r, of, db, level)
		sets := mayDiffer(r, p)
		if most := p.Interleavings(); most > 20_000 || brief() && most > 4000 {
			continue
		}
		n++
		c, err := program.NewClient("ExploreTest", judgingSome(declare(p), n), program.Options{Database: true, Recheck: -1})
		if err != nil {
			t.Fatal(err)
		}
		with, without, err := sqltest.Symmetric(c, someOptions(n, p, levelsOf[db][level]), sets)
		if err != nil {
			t.Fatalf("program %d of -seed=%d: %v\n%s\nwith alike %v: %+v", n, seed(), err, p.Text(), sets, with.Symmetry)
		}
		violations += without.Violations
		if len(with.Symmetry.Sets) > 0 {
			symmetric++
			states, before = states+with.Explored, before+without.Explored
		}
	}
	t.Logf("%d programs, %d with symmetry: %d states, %d without; %d violations", programs, symmetric, states, before, violations)
	if programs > 20 && (symmetric < programs/3 || violations == 0) {
		t.Errorf("%d of %d programs have symmetry", symmetric, programs)
	}
}

// someOptions are other ones for each program: workers that share at once, few switches,
// no races, and each path by itself.
func someOptions(n int, p *statement.Program, level isolation.Level) dpor.Options {
	opts := dpor.EveryPath(n%20 == 0 && p.Interleavings() < 500)
	opts.Level, opts.Workers, opts.NoRaces = level, 1+2*(n%2), n%7 == 0
	switch {
	case n%4 == 1:
		opts = dpor.ShareAtOnce(opts)
	case n%12 == 2:
		opts.Switches = 2
	case n%12 == 6:
		opts.Near, opts.Deviations = true, n%5
	}
	return opts
}

// judgingSome is the program with an invariant that fails for one outcome in three or so, and
// tells sessions apart in one program of three. In one of five serial orders are asked for instead.
func judgingSome(declare func(*program.Program), n int) func(*program.Program) {
	return judgingOneIn(3, declare, n)
}

// judgingOneIn is judgingSome with another invariant, which fails for one outcome in so many.
func judgingOneIn(many int, declare func(*program.Program), n int) func(*program.Program) {
	return func(p *program.Program) {
		declare(p)
		switch n % 5 {
		case 0:
			p.Serializable("serial")
		case 1, 2:
			p.Invariant("some", func(o *program.Outcome) error {
				sum := n
				for i, s := range o.Sessions {
					own := 0
					for _, x := range s.Observations {
						for _, c := range fmt.Sprint(x.Value) {
							own = (7*own + int(c)) % 1009
						}
					}
					if n%3 == 0 {
						own *= i + 1
					}
					sum += own * own
				}
				if sum%many == 0 {
					return fmt.Errorf("%d", sum)
				}
				return nil
			})
		}
	}
}

// sketchOf makes a random program at a level.
func sketchOf(r *rand.Rand, of, db, level string) (*statement.Program, func(*statement.Program) func(*program.Program)) {
	for {
		if of == "variables" {
			p := byKeyProgram(r)
			if p.DB == db {
				p.Level = level
				return p, asClient
			}
			continue
		}
		k := r.Int64N(1 << 40)
		f := programs.Mix(k, db, level, 120)
		f.NoWait, f.Save, f.ReadOnly = true, k%5 == 0, db == statement.PostgreSQL && k%6 == 1
		f.Child, f.Adopted = k%4 == 2, k%8 == 2
		if p := programs.Program(k, f); known(p) {
			return p, withTable
		}
	}
}

// A first violation is one, whatever is said to be alike, and its way leads there.
func TestSymmetryFirstViolationOnDatabases(t *testing.T) {
	t.Parallel()
	for _, l := range modelLevels {
		c, err := program.NewClient("ExploreTest", func(p *program.Program) {
			x := program.NewVar(p, "x", 0)
			p.Sessions(3, "s", func(s *program.Session, i int) {
				s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			})
			p.Final("sum", func(tx *program.Tx) error { return program.Assertf(x.Get(tx) == 3, "a sale is lost") })
		}, program.Options{Database: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, sets := range [][][]int{nil, c.Alike()} {
			var found []*dpor.Found
			for f, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: l, Workers: 1, Selection: dpor.Selection{Symmetric: sets}}).Histories() {
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, f)
			}
			if len(found) != 1 || len(found[0].Failures) == 0 {
				t.Fatalf("%v with %v: %d violations", l, sets, len(found))
			}
			again, err := dpor.Execute(c, l, found[0].Schedule)
			if err != nil || len(again.Failures) == 0 {
				t.Errorf("%v with %v: the way leads to %v, %v", l, sets, again, err)
			}
		}
		c.Park()
	}
}

// TestModelsTreatSessionsAlike: on random ways the models do in each other's places what they
// do in their own, step by step.
func TestModelsTreatSessionsAlike(t *testing.T) {
	t.Parallel()
	atEachLevel(t, func(t *testing.T, of, db, level string) {
		r, steps := random("places "+of+db+level), 0
		for n := range portion(100) {
			p, declare := sketchOf(r, of, db, level)
			p.Sessions = slices.Repeat(p.Sessions[:1], 2+r.IntN(3))
			c, err := program.NewClient("ExploreTest", declare(p), program.Options{Database: true, Recheck: -1})
			if err != nil {
				t.Fatal(err)
			}
			steps += inPlaces(t, c, levelsOf[db][level], n%5 > 0, len(p.Sessions), r, p.Text())
		}
		t.Logf("%d steps", steps)
	})
}

// inPlaces takes some random ways.
func inPlaces(t *testing.T, c *program.Client, level isolation.Level, races bool, sessions int, r *rand.Rand, text string) (steps int) {
	t.Helper()
	defer c.Park()
	set := make([]int, sessions)
	for i := range set {
		set[i] = i
	}
	for range 10 {
		n, err := dpor.InPlaces(c, level, races, set, r)
		if err != nil {
			t.Fatalf("-seed=%d: %v\n%s", seed(), err, text)
		}
		steps += n
	}
	return steps
}
