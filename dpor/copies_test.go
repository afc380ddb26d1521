package dpor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement"
	programs "github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
)

// Symmetry under the models of databases, against the same engine without it: the
// outcomes that permutations make of those that are found are all outcomes, each once.

// execution is an outcome, as what tells it from others: what each session was answered,
// and what is left.
type execution struct {
	sessions []string
	left     string
	orbit    int64
	failures string
}

func executionOf(c *program.Client, f *dpor.Found) execution {
	var e execution
	for _, end := range f.Ends {
		text := fmt.Sprint("past ", end.Past)
		for _, n := range end.Path() {
			if end.Past != 0 {
				break
			}
			text += fmt.Sprint(" ", n.Value())
		}
		e.sessions = append(e.sessions, text)
	}
	values := slices.Clone(f.Values)
	for len(values) > 0 && values[len(values)-1] == program.NoRow {
		values = values[:len(values)-1]
	}
	var names []string
	for _, failure := range f.Failures {
		names = append(names, failure.Name)
	}
	e.left, e.orbit, e.failures = fmt.Sprint(values, f.Rows), f.Orbit, fmt.Sprint(names)
	return e
}

// as is the text of the execution in which session s takes the place to[s].
func (e execution) as(to []int) string {
	moved := make([]string, len(e.sessions))
	for s, text := range e.sessions {
		moved[to[s]] = text
	}
	return strings.Join(moved, "\n") + "\n" + e.left + "\n" + e.failures
}

// images are those of an execution under the permutations of sets.
func (e execution) images(sets [][]int) map[string]bool {
	to := make([]int, len(e.sessions))
	for s := range to {
		to[s] = s
	}
	out := map[string]bool{}
	var permute func(i, k int)
	permute = func(i, k int) {
		switch {
		case i == len(sets):
			out[e.as(to)] = true
		case k == len(sets[i]):
			permute(i+1, 0)
		default:
			for j := k; j < len(sets[i]); j++ {
				a, b := sets[i][k], sets[i][j]
				to[a], to[b] = to[b], to[a]
				permute(i, k+1)
				to[a], to[b] = to[b], to[a]
			}
		}
	}
	permute(0, 0)
	return out
}

// executions are the outcomes that an exploration finds.
func executions(c *program.Client, opts dpor.Options) (list []execution, stats dpor.Stats, err error) {
	opts.All, opts.List = true, true
	x := dpor.Explore(context.Background(), c, opts)
	for f, err := range x.Histories() {
		if err != nil {
			return nil, stats, err
		}
		list = append(list, executionOf(c, f))
	}
	return list, x.Stats(), nil
}

// coverExecutions compares what an exploration up to symmetry has found with all.
func coverExecutions(some, all []execution, stats, without dpor.Stats) error {
	left := map[string]bool{}
	var same []int
	for _, e := range all {
		if same == nil {
			for s := range e.sessions {
				same = append(same, s)
			}
		}
		left[e.as(same)] = true
	}
	y := stats.Symmetry
	switch {
	case !stats.Complete || !without.Complete:
		return fmt.Errorf("not complete: %v, %v", stats.Stopped, without.Stopped)
	case len(left) != len(all) || int64(len(all)) != without.Histories || int64(len(some)) != stats.Histories:
		return fmt.Errorf("%d of %d outcomes are different, %d counted; %d and %d up to symmetry", len(left), len(all), without.Histories, len(some), stats.Histories)
	case y.Histories != without.Histories || y.Violations != without.Violations:
		return fmt.Errorf("%d outcomes and %d violations by orbits, want %d and %d", y.Histories, y.Violations, without.Histories, without.Violations)
	}
	again := len(y.Off) > 0 // what was handed on before has another orbit
	for _, e := range some {
		images := e.images(y.Sets)
		for text := range images {
			if !left[text] {
				return fmt.Errorf("an image is no outcome, or comes twice:\n%s", text)
			}
			delete(left, text)
		}
		if e.orbit != int64(len(images)) && !again {
			return fmt.Errorf("an orbit of %d outcomes is said to have %d", len(images), e.orbit)
		}
	}
	for text := range left {
		return fmt.Errorf("%d outcomes are in no orbit, such as\n%s", len(left), text)
	}
	return nil
}

// modelLevels are the levels of databases.
var modelLevels = []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer, isolation.InnoRC, isolation.InnoRR, isolation.InnoRRSI, isolation.InnoSer}

// mayDiffer makes a program's first sessions copies of each other. One in four stays as it
// is, and of another one the last copy has another statement, so that sessions are said to
// be alike and are not.
func mayDiffer(r *rand.Rand, p *statement.Program) [][]int {
	n, first := 2+r.IntN(2), p.Sessions[0]
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

// symmetricAs explores a program with and without symmetry.
func symmetricAs(c *program.Client, opts dpor.Options, sets [][]int) (stats, without dpor.Stats, err error) {
	defer c.Park()
	all, without, err := executions(c, opts)
	if err != nil {
		return stats, without, err
	}
	opts.Symmetric = sets
	some, stats, err := executions(c, opts)
	if err != nil {
		return stats, without, err
	}
	return stats, without, coverExecutions(some, all, stats, without)
}

// TestSymmetryOnDatabases: random programs with sessions that are alike, or are said to be.
func TestSymmetryOnDatabases(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"variables", "tables"} {
		for db, levels := range levelsOf {
			for name := range levels {
				t.Run(fmt.Sprint(of, " ", db, " ", name), func(t *testing.T) {
					t.Parallel()
					symmetryOnDatabase(t, of, db, name, portion(150))
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
		if p.Interleavings() > 20_000 {
			continue
		}
		n++
		c, err := program.NewClient("ExploreTest", judgingSome(declare(p), n), program.Options{Database: true, Recheck: -1})
		if err != nil {
			t.Fatal(err)
		}
		with, without, err := symmetricAs(c, someOptions(n, p, levelsOf[db][level]), sets)
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
// tells sessions apart in one program of three; or with the wish for serial orders.
func judgingSome(declare func(*program.Program), n int) func(*program.Program) {
	return func(p *program.Program) {
		declare(p)
		switch n % 5 {
		case 0:
			p.Serializable("serial")
		case 1, 2:
			p.Invariant("third", func(o *program.Outcome) error {
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
				if sum%3 == 0 {
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
