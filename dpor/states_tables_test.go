package dpor_test

import (
	"context"
	"errors"
	"flag"
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
)

// Programs of statements as client programs with a table: their outcomes are those of
// the models of statements, which are compared with real servers.

var tablesFlag = flag.Int("tables", 200, "random programs with a table, for each level")

// levelsOf are the levels of the models by their names in programs of statements.
var levelsOf = map[string]map[string]isolation.Level{
	statement.PostgreSQL: {statement.ReadCommitted: isolation.PgRC, statement.RepeatableRead: isolation.PgRR, statement.Serializable: isolation.PgSer},
	statement.MariaDB: {statement.ReadCommitted: isolation.InnoRC, statement.RepeatableRead: isolation.InnoRR,
		statement.SnapshotReads: isolation.InnoRRSI, statement.Serializable: isolation.InnoSer},
}

// line is a row of t beside its key.
type line struct{ V, U int }

// tableClient is a session of a program of statements.
type tableClient struct {
	program *statement.Program
	table   *program.Table[int, line]
	session *program.Session
	local   int
}

// withTable is the program as a client program.
func withTable(p *statement.Program) func(*program.Program) {
	return func(q *program.Program) {
		t := program.NewTable[int, line](q, "t", program.Unique("u", func(l line) any {
			if l.U == 0 {
				return nil
			}
			return l.U
		}))
		q.Setup(func(tx *program.Tx) error {
			for _, r := range p.Rows {
				if err := t.Insert(tx, r.ID, line{r.V, r.U}); err != nil {
					return err
				}
			}
			return nil
		})
		for i, txns := range p.Sessions {
			q.Session(fmt.Sprint("s", i), func(s *program.Session) {
				c := &tableClient{program: p, table: t, session: s}
				for k := range txns {
					c.transaction(&txns[k])
				}
			})
		}
	}
}

func (c *tableClient) see(text string) { c.session.Observe("", text) }

// errorText is the result of a statement that has failed.
func errorText(err error) string {
	var db *program.DBError
	if errors.As(err, &db) {
		return "!" + db.Code()
	}
	return "?" + err.Error()
}

// ends reports whether InnoDB's error ends the transaction.
func ends(text string) bool { return text == "!1213" || text == "!1020" }

func (c *tableClient) transaction(t *statement.Transaction) {
	if t.Auto {
		text := ""
		if err := c.session.Auto(func(tx *program.Tx) { text, _ = c.statement(tx, &t.Stmts[0], false) }); err != nil {
			text = errorText(err)
		}
		c.see(text)
		return
	}
	postgres := c.program.DB == statement.PostgreSQL
	silent, met, saved := false, false, false // the end has no result; it follows an error
	err := c.session.Txn("t", func(tx *program.Tx) error {
		failed := false
		for i := range t.Stmts {
			st := &t.Stmts[i]
			if st.Op == statement.Quit {
				if c.local < st.C {
					met = failed && postgres
					return errRollback
				}
				continue
			}
			switch {
			case failed && postgres && st.Op != statement.BackTo:
				c.see("!25P02")
				continue
			case postgres && st.Op == statement.BackTo && !saved:
				c.see("!3B001")
				continue
			}
			saved = saved || st.Op == statement.Save
			text, bad := c.statement(tx, st, true)
			c.see(text)
			failed = bad
			switch {
			case !bad:
			case ends(text), postgres && !t.GoOn:
				silent = true
				return nil
			case !t.GoOn:
				return errRollback
			}
		}
		if t.Rollback {
			return errRollback
		}
		met = failed && postgres // COMMIT answers ROLLBACK
		return nil
	}, program.At(levelsOf[c.program.DB][c.program.LevelOf(t)]))
	switch {
	case silent:
	case errors.Is(err, errRollback), err != nil && t.Rollback, met:
		c.see("R")
	case err != nil:
		c.see(errorText(err))
	default:
		c.see("C")
	}
}

// statement runs a statement and returns its result, and whether it has failed.
func (c *tableClient) statement(tx *program.Tx, st *statement.Statement, keep bool) (text string, failed bool) {
	text = c.result(tx, st, keep)
	if err := tx.Err(); err != nil {
		return errorText(err), true
	}
	return text, false
}

func (c *tableClient) result(tx *program.Tx, st *statement.Statement, keep bool) string {
	t := c.table
	from := func(_ int, l line) bool { return st.D == statement.All || l.V >= st.D }
	plus := func(l line) line { return line{l.V + st.C, l.U} }
	switch st.Op {
	case statement.Get:
		l, ok := t.Get(tx, st.ID, options(st)...)
		if !ok {
			return c.rows(nil, keep && tx.Err() == nil)
		}
		return c.rows([]program.Row[int, line]{{Key: st.ID, Value: l}}, keep)
	case statement.Scan:
		list := t.Select(tx, from, options(st)...)
		return c.rows(list, keep && tx.Err() == nil)
	case statement.Agg:
		list := t.Select(tx, from)
		c.rows(list, keep && tx.Err() == nil)
		sum := 0
		for _, r := range list {
			sum += r.Value.V
		}
		return fmt.Sprintf("n%d/%d", len(list), sum)
	case statement.UpdKey, statement.UpdLocal, statement.UpdU:
		local := c.local
		return one(t.Update(tx, st.ID, func(l line) (line, bool) {
			switch st.Op {
			case statement.UpdLocal:
				return line{local + st.C, l.U}, true
			case statement.UpdU:
				return line{l.V, st.U}, true
			}
			return plus(l), true
		}))
	case statement.UpdPred:
		return fmt.Sprint(t.UpdateAll(tx, func(id int, l line) (line, bool) { return plus(l), from(id, l) }))
	case statement.DelKey:
		return one(t.Delete(tx, st.ID))
	case statement.DelPred:
		return fmt.Sprint(t.DeleteAll(tx, from))
	case statement.Save:
		tx.Savepoint("s")
		return "S"
	case statement.BackTo:
		tx.RollbackTo("s")
		return "R"
	}
	return c.insert(tx, st, plus)
}

func (c *tableClient) insert(tx *program.Tx, st *statement.Statement, plus func(line) line) string {
	l := line{st.C, st.U}
	switch st.Conflict {
	case statement.DoNothing:
		return one(c.table.InsertOrIgnore(tx, st.ID, l))
	case statement.DoUpdate:
		n, _ := c.table.InsertOrUpdate(tx, st.ID, l, plus)
		return fmt.Sprint(n)
	}
	return one(c.table.Insert(tx, st.ID, l) == nil)
}

func one(changed bool) string { return map[bool]string{true: "1", false: "0"}[changed] }

func options(st *statement.Statement) (list []program.ReadOption) {
	if o, ok := map[string]program.ReadOption{statement.ForUpdate: program.ForUpdate, statement.ForShare: program.ForShare}[st.Lock]; ok {
		list = append(list, o)
	}
	if o, ok := map[string]program.ReadOption{statement.NoWait: program.NoWait, statement.SkipLocked: program.SkipLocked}[st.Wait]; ok {
		list = append(list, o)
	}
	return list
}

// rows is the text of rows. keep makes their sum the client's.
func (c *tableClient) rows(list []program.Row[int, line], keep bool) string {
	sum := 0
	var text []string
	for _, r := range list {
		sum += r.Value.V
		text = append(text, fmt.Sprintf("%d=%d", r.Key, r.Value.V))
	}
	if keep {
		c.local = sum
	}
	if text == nil {
		return "-"
	}
	return strings.Join(text, ",")
}

// known makes a program one of statements that tables have.
func known(p *statement.Program) bool {
	for _, txns := range p.Sessions {
		for i := range txns {
			t := &txns[i]
			t.ReadOnly = false
			saved := false
			for k := range t.Stmts {
				st := &t.Stmts[k]
				switch {
				case st.Lock == statement.ForKeyShare:
					st.Lock = statement.ForShare
				case st.Lock == statement.ForNoKeyUpdate:
					st.Lock = statement.ForUpdate
				case st.Conflict == statement.DoNothingID:
					st.Conflict = statement.DoNothing
				}
				saved = saved || st.Op == statement.Save
				if st.Op == statement.BackTo && !saved {
					return false
				}
			}
		}
	}
	return true
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
				if e.Kind == program.ObserveEvent {
					list = append(list, c.Value(e.Val).(string))
				}
			}
		}
		results = append(results, list)
	}
	var final statement.Tables
	for x, v := range f.Values {
		if v == program.NoRow {
			continue
		}
		r := statement.Row{V: c.Value(v).(line).V, U: c.Value(v).(line).U}
		fmt.Sscanf(c.Key(program.VarID(x)), "t/%d", &r.ID)
		final.T = append(final.T, r)
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

func tableOutcomesAt(t *testing.T, db, level string) {
	done, outcomes, failing, scans := 0, 0, 0, 0
	for k := int64(seed()) * 1_000_000; done < *tablesFlag; k++ {
		f := programs.Mix(k, db, level, 120)
		f.Child, f.NoWait, f.Save = false, true, k%5 == 0
		p := programs.Program(k, f)
		if !known(p) {
			continue
		}
		done++
		want := modelOutcomes(t, p)
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
	if failing < done/10 || scans < done/10 {
		t.Errorf("only %d of %d programs meet errors, %d have scans", failing, done, scans)
	}
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
			var e *program.Error
			if !errors.As(err, &e) || e.Kind != program.Misuse || !strings.Contains(e.Message, test.message) || e.At.File == "" {
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
