package dpor_test

import (
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg/engine/pglite"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

// sessionsOf are programs of sessions that are alike, by what each session does.
var sessionsOf = []struct {
	name string
	body func(s *program.Session, x, y *program.Var[int])
}{
	{"inc x ; inc x", func(s *program.Session, x, _ *program.Var[int]) {
		for range 2 {
			s.Txn("inc", func(tx *program.Tx) error {
				x.Update(tx, func(n int) (int, bool) { return n + 1, true })
				return nil
			})
		}
	}},
	{"r x w x", func(s *program.Session, x, _ *program.Var[int]) {
		s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
	}},
	{"r x w y ; r y w x", func(s *program.Session, x, y *program.Var[int]) {
		s.Txn("one", func(tx *program.Tx) error { y.Set(tx, x.Get(tx)+1); return nil })
		s.Txn("other", func(tx *program.Tx) error { x.Set(tx, y.Get(tx)+1); return nil })
	}},
	{"r x for update, w x", func(s *program.Session, x, _ *program.Var[int]) {
		s.Txn("add", func(tx *program.Tx) error { x.Set(tx, x.GetForUpdate(tx)+1); return nil })
	}},
}

// What symmetry saves under the models of databases, in states: n sessions that are alike
// cost at most 1.5 by n! of what they cost before.
func TestSymmetrySavesOnDatabases(t *testing.T) {
	t.Parallel()
	for _, of := range sessionsOf {
		for n := 3; n <= 4; n++ {
			for _, l := range modelLevels {
				if brief() && n == 4 && (l != isolation.PgRC || of.name == "inc x ; inc x") || n == 4 && of.name == "r x w y ; r y w x" {
					continue // too many to count before
				}
				c, err := program.NewClient("ExploreTest", func(p *program.Program) {
					x, y := program.NewVar(p, "x", 0), program.NewVar(p, "y", 0)
					p.Sessions(n, "s", func(s *program.Session, _ int) { of.body(s, x, y) })
				}, program.Options{Database: true, Recheck: -1})
				if err != nil {
					t.Fatal(err)
				}
				saves(t, of.name, c, n, l)
			}
		}
	}
}

// saves holds an exploration of n sessions that are alike against one without symmetry.
func saves(t *testing.T, name string, c *program.Client, n int, l isolation.Level) {
	t.Helper()
	defer c.Park()
	set := make([]int, n)
	for i := range set {
		set[i] = i
	}
	opts := dpor.Options{Level: l, Workers: 1}
	before, err := drain(c, opts)
	if err != nil {
		t.Fatal(err)
	}
	opts.Symmetric = [][]int{set}
	after, err := drain(c, opts)
	if err != nil {
		t.Fatal(err)
	}
	if after.Symmetry.Histories != before.Histories || len(after.Symmetry.Sets) != 1 {
		t.Errorf("%s at %v: %v, want %d", name, l, after.Symmetry, before.Histories)
	}
	factorial := []int64{1, 1, 2, 6, 24}[n]
	part := float64(after.Explored*factorial) / float64(before.Explored)
	if part > 1.5 {
		t.Errorf("%s at %v: %d states, %d with symmetry: %.2f by %d!", name, l, before.Explored, after.Explored, part, n)
	}
	t.Logf("%-20s %-12v n=%d  states %6d, %5d: %.2f by n!  outcomes %5d, %4d  time %.1f ms, %.1f ms", name, l, n, before.Explored, after.Explored, part,
		before.Histories, after.Histories, 1e3*before.Elapsed.Seconds(), 1e3*after.Elapsed.Seconds())
}

// The same of statements in SQL.
func TestSymmetrySavesInSQL(t *testing.T) {
	deadlinetest.Long(t)
	needPostgres(t)
	for _, texts := range [][]string{
		{"BEGIN $; SELECT v FROM t WHERE id = 1", "UPDATE t SET v = v + 1 WHERE id = 1", "COMMIT"},
		{"BEGIN $; SELECT v FROM t WHERE id = 1 FOR UPDATE", "UPDATE t SET v = v + 1 WHERE id = 1", "COMMIT"},
	} {
		for n := 3; n <= 4; n++ {
			for level, l := range map[string]isolation.Level{"READ COMMITTED": isolation.PgRC, "REPEATABLE READ": isolation.PgRR, "SERIALIZABLE": isolation.PgSer} {
				if brief() && n == 4 && l != isolation.PgRC {
					continue
				}
				s := &sqltest.Script{Sessions: slices.Repeat([][]string{texts}, n)}
				saves(t, texts[0], scriptClient(t, s, level, l), n, l)
			}
		}
	}
}

// needPostgres leaves a test out where PostgreSQL in WebAssembly is not there.
func needPostgres(t *testing.T) {
	t.Helper()
	o, err := pglite.DefaultOptions()
	if err == nil {
		_, err = pglite.Open(t.Context(), o)
	}
	if err != nil {
		t.Skip(err)
	}
}

// scriptClient is a script at a level.
func scriptClient(t *testing.T, s *sqltest.Script, level string, at isolation.Level) *program.Client {
	t.Helper()
	c, err := program.NewClient("ExploreScript", func(p *program.Program) { declareScript(p, s, level) },
		program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
