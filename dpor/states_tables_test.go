package dpor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/innodb"
	"github.com/txmc/txmc/isolation/statement"
	programs "github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Programs of statements as client programs with a table: their outcomes are those of
// the models of statements, which are compared with real servers.

var tablesFlag = deadlinetest.Flag("tables", 30, 8, "random programs with a table, for each level")

// levelsOf are the levels of the models by their names in programs of statements.
var levelsOf = map[string]map[string]isolation.Level{
	statement.PostgreSQL: {statement.ReadCommitted: isolation.PgRC, statement.RepeatableRead: isolation.PgRR, statement.Serializable: isolation.PgSer},
	statement.MariaDB: {statement.ReadCommitted: isolation.InnoRC, statement.RepeatableRead: isolation.InnoRR,
		statement.SnapshotReads: isolation.InnoRRSI, statement.Serializable: isolation.InnoSer},
}

// tableOutcomes are the outcomes that an exploration of the program with a table finds.
func tableOutcomes(t testing.TB, p *statement.Program, opts dpor.Options) map[string]bool {
	t.Helper()
	c, err := program.NewClient("ExploreTest", withTable(p), program.Options{Database: true, Recheck: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	opts.Level, opts.List, opts.All = levelsOf[p.DB][p.Level], true, true
	x := dpor.Explore(context.Background(), c, opts)
	out := map[string]bool{}
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		out[tableOutcome(p, c, f)] = true
	}
	if s := x.Stats(); !s.Complete {
		t.Fatalf("%+v", s)
	}
	return out
}

func tableOutcome(p *statement.Program, c *program.Client, f *dpor.Found) string {
	var results [][]string
	for _, end := range f.Ends {
		var list []string
		for _, n := range end.Path() {
			for _, e := range n.Events {
				if e.Kind == behaviour.ObserveEvent {
					list = append(list, c.Value(e.Val).(string))
				}
			}
		}
		results = append(results, list)
	}
	var final statement.Tables
	for x, v := range f.Values {
		if v == behaviour.NoRow {
			continue
		}
		switch v := c.Value(v).(type) {
		case line:
			r := statement.Row{V: v.V, U: v.U}
			fmt.Sscanf(c.Key(behaviour.VarID(x)), "t/%d", &r.ID)
			final.T = append(final.T, r)
		case kid:
			r := statement.ChildRow{Tid: v.Tid}
			fmt.Sscanf(c.Key(behaviour.VarID(x)), "c/%d", &r.ID)
			final.C = append(final.C, r)
		}
	}
	return p.Outcome(results, final)
}

// innodbOutcomes are the outcomes of InnoDB's model of statements, over all interleavings.
func innodbOutcomes(t testing.TB, p *statement.Program) map[string]bool {
	t.Helper()
	m, err := innodb.NewMachine(p, innodb.Options{Races: true})
	if err != nil {
		t.Fatal(err)
	}
	m.CommitApart()
	out := map[string]bool{}
	var visit func(m *innodb.Machine)
	visit = func(m *innodb.Machine) {
		choices := m.Enabled(nil)
		if len(choices) == 0 {
			out[m.Outcome()] = true
		}
		for _, c := range choices {
			n := &innodb.Machine{}
			n.CopyFrom(m)
			n.Step(c)
			visit(n)
		}
	}
	visit(m)
	return out
}

// TestTableOutcomes: on random programs with a table the outcomes are those of the
// models of statements over all interleavings, and those of the same engine that visits
// a state by each way to it.
func TestTableOutcomes(t *testing.T) {
	for db, levels := range levelsOf {
		for level := range levels {
			t.Run(db+"-"+level, func(t *testing.T) {
				t.Parallel()
				tableOutcomesAt(t, db, level)
			})
		}
	}
}

// readTwice reports whether a SELECT by a key returns two rows somewhere. This happens in a
// transaction with a snapshot, when another one has deleted the row since, and the transaction
// has inserted the key itself. Table.Get returns the first.
func readTwice(outcomes map[string]bool) bool {
	for text := range outcomes {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" []", r) }) {
			rows := strings.Split(word, ",")
			if len(rows) == 2 && strings.Contains(word, "=") && strings.Split(rows[0], "=")[0] == strings.Split(rows[1], "=")[0] {
				return true
			}
		}
	}
	return false
}

func tableOutcomesAt(t *testing.T, db, level string) {
	done, outcomes, failing, scans, n := 0, 0, 0, 0, tablesFlag.N()
	enough := func() bool { return done >= n && failing >= n/10 && scans >= n/10 }
	for i := range deadlinetest.Until(t, n, enough) {
		k := int64(seed())*1_000_000 + int64(i)
		f := programs.Mix(k, db, level, 120)
		f.NoWait, f.Save, f.ReadOnly = true, k%5 == 0, db == statement.PostgreSQL && k%6 == 1
		f.Child, f.Adopted = k%4 == 2, k%8 == 2
		p := programs.Program(k, f)
		if !known(p) {
			continue
		}
		want := modelOutcomes(t, p)
		if readTwice(want) {
			continue
		}
		done++
		if got := tableOutcomes(t, p, dpor.EveryPath(k%8 == 0)); !maps.Equal(got, want) {
			t.Fatalf("seed %d: got\n%s\nwant\n%s\nof\n%s", k, sorted(got), sorted(want), p.Text())
		}
		outcomes += len(want)
		text := sorted(want)
		if strings.Contains(text, "!") {
			failing++
		}
		if strings.Contains(p.Text(), "v >=") {
			scans++
		}
	}
	t.Logf("%d programs, %d with errors, %d with scans, %d outcomes", done, failing, scans, outcomes)
}

// contendedTable is sessions × transactions × statements on a table of three rows: scans,
// updates by key and inserts.
func contendedTable(sessions, txns, statements int) func(*program.Program) {
	return func(p *program.Program) {
		table := program.NewTable[int, int](p, "t")
		p.Setup(func(tx *program.Tx) error { return errors.Join(table.Insert(tx, 1, 0), table.Insert(tx, 2, 0)) })
		for i := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				for range txns {
					s.Txn("t", func(tx *program.Tx) error {
						for k := range statements {
							switch (i + k) % 3 {
							case 0:
								table.Select(tx, func(_, n int) bool { return n > 0 })
							case 1:
								table.Update(tx, 1+k%2, func(n int) (int, bool) { return n + 1, true })
							case 2:
								table.InsertOrIgnore(tx, 3, 1)
							}
						}
						return nil
					})
				}
			})
		}
	}
}

// BenchmarkTables explores 3 sessions of 2 transactions of 3 statements on a table.
func BenchmarkTables(b *testing.B) {
	for _, level := range append(isolation.LevelsOf(isolation.PostgreSQL), isolation.LevelsOf(isolation.InnoDB)...) {
		b.Run(level.String(), func(b *testing.B) {
			for range b.N {
				_, stats, err := exploreOn(b, context.Background(), contendedTable(3, 2, 3), dpor.Options{Level: level, All: true})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(stats.Explored), "states")
				b.ReportMetric(float64(stats.Histories), "outcomes")
				b.ReportMetric(float64(stats.Explored)/stats.Elapsed.Seconds(), "states/s")
			}
		})
	}
}

// TestTableFunctions: a function of a statement that does what no expression in SQL does
// ends the exploration, at the statement's line.
func TestTableFunctions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, message string
		f             func(tx *program.Tx, table *program.Table[int, int], n int) int
	}{
		{"uses the transaction", "Get inside a function that a statement evaluates", func(tx *program.Tx, table *program.Table[int, int], n int) int {
			table.Get(tx, n)
			return n
		}},
		{"panics", "the function given to this statement panics: runtime error: integer divide by zero", func(_ *program.Tx, _ *program.Table[int, int], n int) int { return 1 / n }},
	} {
		for _, level := range []isolation.Level{isolation.PgRC, isolation.InnoRR} {
			_, _, err := exploreOn(t, context.Background(), func(p *program.Program) {
				table := program.NewTable[int, int](p, "t")
				p.Setup(func(tx *program.Tx) error { return table.Insert(tx, 1, 0) })
				p.Session("s", func(s *program.Session) {
					s.Txn("t", func(tx *program.Tx) error {
						table.UpdateAll(tx, func(_, n int) (int, bool) { return test.f(tx, table, n), true })
						return nil
					})
				})
			}, dpor.Options{Level: level, All: true})
			var e *behaviour.Error
			if !errors.As(err, &e) || e.Kind != behaviour.Misuse || !strings.Contains(e.Message, test.message) || e.At.File == "" {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	}
}

// TestTableReturning: what the function of an UPDATE leaves in variables of the client is
// that of the rows that have changed.
func TestTableReturning(t *testing.T) {
	t.Parallel()
	for _, level := range []isolation.Level{isolation.PgRC, isolation.InnoRC} {
		found, _, err := exploreOn(t, context.Background(), func(p *program.Program) {
			table := program.NewTable[int, int](p, "t")
			p.Setup(func(tx *program.Tx) error { return errors.Join(table.Insert(tx, 1, 10), table.Insert(tx, 2, 20)) })
			for _, name := range []string{"a", "b"} {
				p.Session(name, func(s *program.Session) {
					s.Txn("t", func(tx *program.Tx) error {
						var old []int
						table.UpdateAll(tx, func(_, n int) (int, bool) {
							if n < 20 {
								return 0, false
							}
							old = append(old, n)
							return n + 1, true
						})
						s.Assertf(len(old) == 1 && old[0] >= 20, "old values %v", old)
						return nil
					})
				})
			}
		}, dpor.Options{Level: level, All: true, List: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if len(f.Failures) > 0 {
				t.Errorf("%v: %s", level, f.Failures[0].Message)
			}
		}
		if len(found) != 2 {
			t.Errorf("%v: %d outcomes, want 2", level, len(found))
		}
	}
}
