package dpor_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/pg/engine/pglite"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
)

var (
	scriptsFlag = flag.Int("scripts", 1, "random scripts of SQL at each level")
	scriptPaths = deadlinetest.Flag("script-paths", 2000, 500, "outcomes by every path after which a script is left out")
)

// askedLevels are levels that scripts ask for, "" being several, each with the level at which
// these are then explored. By default there are two of the four. With another seed, or for
// another test, there are others.
func askedLevels(test uint64) map[string]isolation.Level {
	levels := map[string]isolation.Level{"READ COMMITTED": isolation.PgRC, "REPEATABLE READ": isolation.PgRR, "SERIALIZABLE": isolation.PgSer, "": isolation.PgRC}
	if !brief() {
		return levels
	}
	for _, left := range [][]string{{"READ COMMITTED", "SERIALIZABLE"}, {"REPEATABLE READ", ""}}[(seed()+test)%2] {
		delete(levels, left)
	}
	return levels
}

// TestScriptOutcomes: random scripts of SQL have the same outcomes when a state is visited
// once as when it is visited by each way to it. They have what programs of the tiny API
// do not: locks on tables, TRUNCATE, cursors, deferred keys, triggers, advisory locks.
func TestScriptOutcomes(t *testing.T) {
	t.Parallel()
	if o, err := pglite.DefaultOptions(); err != nil {
		t.Skip(err)
	} else if _, err := pglite.Open(t.Context(), o); err != nil {
		t.Skip(err)
	}
	for name, at := range askedLevels(0) {
		t.Run(at.String()+map[bool]string{name == "": " mixed"}[true], func(t *testing.T) {
			k, done, states, paths := seed()*1_000_000, 0, int64(0), int64(0)
			for range deadlinetest.Until(t, *scriptsFlag, func() bool { return done >= *scriptsFlag && paths >= 2*states }) {
				s := sqltest.RandomScript(k, 2+int(k%2), name == "")
				k++
				want, every := scriptOutcomes(t, s, name, at, true)
				if every.Stopped != "" {
					continue
				}
				done++
				got, once := scriptOutcomes(t, s, name, at, false)
				states, paths = states+once.Explored, paths+every.Explored
				if !maps.Equal(got, want) {
					t.Fatalf("script %d: by states\n%s\nby every path\n%s\nof\n%s\n%q", k-1, sorted(got), sorted(want), s.Schema, s.Sessions)
				}
			}
			t.Logf("%d scripts, %d states by every path, %d once", done, paths, states)
		})
	}
}

// TestScriptRegions: however the states of a script are divided among processes, its
// counts and its outcomes are those of one.
func TestScriptRegions(t *testing.T) {
	deadlinetest.Long(t)
	if o, err := pglite.DefaultOptions(); err != nil {
		t.Skip(err)
	} else if _, err := pglite.Open(t.Context(), o); err != nil {
		t.Skip(err)
	}
	listed := func(t testing.TB, c *program.Client, opts dpor.Options, out map[string]int) dpor.Stats {
		defer c.Park()
		opts.All, opts.List = true, true
		x := dpor.Explore(t.Context(), c, dpor.LookAtAll(opts)) // as parts do
		for f, err := range x.Histories() {
			if err != nil {
				t.Fatal(err)
			}
			out[scriptOutcome(c, f)]++
		}
		return x.Stats()
	}
	divided := 0
	for name, at := range map[string]isolation.Level{"READ COMMITTED": isolation.PgRC, "REPEATABLE READ": isolation.PgRR} {
		before := divided
		for i := range deadlinetest.Until(t, 4**scriptsFlag, func() bool { return divided > before }) {
			k := seed()*1_000_000 + uint64(i)
			s := sqltest.RandomScript(k, 2+int(k%2), false)
			client := func() *program.Client {
				c, err := program.NewClient("ExploreScript", func(p *program.Program) { declareScript(p, s, name) },
					program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: -1})
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			want := map[string]int{}
			one := listed(t, client(), dpor.Options{Level: at, Workers: 1}, want)
			g := &regions{t: t, r: rand.New(rand.NewPCG(uint64(k), 1)), list: listed, opts: dpor.ShareAtOnce(dpor.Options{Level: at}), client: client}
			g.holds(fmt.Sprintf("script %d", k), settled(at, one), want, nil)
			divided += g.divided
		}
	}
}

// scriptOutcomes are the outcomes of a script, unless there are too many paths.
func scriptOutcomes(t *testing.T, s *sqltest.Script, name string, at isolation.Level, every bool) (map[string]bool, dpor.Stats) {
	t.Helper()
	c, err := program.NewClient("ExploreScript", func(p *program.Program) { declareScript(p, s, name) },
		program.Options{Patience: 10 * time.Minute, Database: true, Level: at.String(), Recheck: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	opts := dpor.EveryPath(every)
	opts.Level, opts.All, opts.List, opts.Workers = at, true, true, 1
	if every {
		opts.MaxHistories = int64(scriptPaths.N())
		opts.Bound = &dpor.Bound{Calls: 4_000_000}
	}
	x := dpor.Explore(t.Context(), c, opts)
	outcomes := map[string]bool{}
	for f, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
		outcomes[scriptOutcome(c, f)] = true
	}
	return outcomes, x.Stats()
}

// scriptOutcome is what the sessions have observed, and the rows that are left.
func scriptOutcome(c *program.Client, f *dpor.Found) string {
	var list []string
	for _, end := range f.Ends {
		for _, n := range end.Path() {
			for _, e := range n.Events {
				if e.Kind == behaviour.ObserveEvent {
					list = append(list, c.Value(e.Val).(string))
				}
			}
		}
		list = append(list, "--")
	}
	var rows []string
	for _, r := range f.Rows {
		rows = append(rows, c.Storage().Describe(r))
	}
	slices.Sort(rows)
	return strings.Join(append(list, rows...), "\n")
}

func declareScript(p *program.Program, s *sqltest.Script, level string) {
	db := pg.New(p, pg.Schema(sqltest.ScriptTables), pg.Seed(sqltest.ScriptRows), pg.Seed(s.Schema))
	for i, texts := range s.Sessions {
		p.Session(fmt.Sprint("s", i), func(ses *program.Session) {
			ctx := context.Background()
			conn, err := pgconn.ConnectConfig(ctx, &db.Config(ses).Config)
			if err != nil {
				ses.Observe("", err.Error())
				return
			}
			defer conn.Close(ctx)
			for _, text := range texts {
				results, err := conn.Exec(ctx, strings.Replace(text, "BEGIN $", "BEGIN ISOLATION LEVEL "+level, 1)).ReadAll()
				if err != nil {
					ses.Observe("", err.Error())
					continue
				}
				last := results[len(results)-1]
				ses.Observe("", fmt.Sprintf("%s %q", last.CommandTag, last.Rows))
			}
		})
	}
}
