package mock

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/postgres"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/isolation/statement/random"
	"github.com/txmc/txmc/program/deadlinetest"
)

var (
	exactPrograms = deadlinetest.Flag("exact-programs", 2, 1, "random programs at each level on the server that answers as PostgreSQL")
	exactRuns     = deadlinetest.Flag("exact-runs", 1000, 300, "most runs of such a program")
)

// What the server answers to random programs is what the model's own machine can answer,
// which is compared with real servers; and all that it can answer comes sooner or later.
func TestExactOutcomes(t *testing.T) {
	t.Parallel()
	levels := map[string]isolation.Level{statement.ReadCommitted: isolation.PgRC, statement.RepeatableRead: isolation.PgRR, statement.Serializable: isolation.PgSer}
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range int64(exactPrograms.N()) {
				p := random.Program(seed+int64(*seedFlag%1000), random.Mix(seed, statement.PostgreSQL, name, 40))
				exactOutcomes(t, p, levels[name])
			}
		})
	}
}

func exactOutcomes(t *testing.T, p *statement.Program, level isolation.Level) {
	t.Helper()
	first, err := postgres.NewMachine(p, true)
	if err != nil {
		t.Fatal(err)
	}
	first.CommitApart()
	var keyer postgres.Keyer
	x := sqltest.Machine[*postgres.Machine, postgres.Key, postgres.Choice]{
		Key:     func(m *postgres.Machine) postgres.Key { return m.Key(&keyer) },
		Enabled: func(m *postgres.Machine) []postgres.Choice { return m.Enabled(nil) },
		Copy:    func(m *postgres.Machine) *postgres.Machine { n := &postgres.Machine{}; n.CopyFrom(m); return n },
		Step:    (*postgres.Machine).Step,
		Outcome: (*postgres.Machine).Outcome,
	}
	want, got := x.Outcomes(first), map[string]bool{}
	schema := "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE); CREATE TABLE c (id int PRIMARY KEY, tid int NOT NULL"
	if p.HasChild {
		schema += " REFERENCES t (id)"
	}
	_, dsn := start(t, Options{Level: level, Seed: uint64(p.Seed), Delay: time.Millisecond}, schema+")")
	var conns []*pgconn.PgConn
	for range len(p.Sessions) + 1 {
		conns = append(conns, dial(t, dsn).PgConn())
	}
	for range deadlinetest.Until(t, exactRuns.N(), func() bool { return 2*len(got) >= len(want) }) {
		got[exactRun(t, p, conns)] = true
		if len(got) >= len(want) {
			break
		}
	}
	sqltest.Within(t, p, got, want, "the server")
	if len(got) < len(want) {
		t.Logf("seed %d: %d outcomes of %d came in %d runs or more", p.Seed, len(got), len(want), exactRuns.N())
	}
}

// exactRun runs the sessions of a program at the same time, from its first rows.
func exactRun(t *testing.T, p *statement.Program, conns []*pgconn.PgConn) string {
	rows := "DELETE FROM c; DELETE FROM t;"
	for _, r := range p.Rows {
		rows += fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %s);", r.ID, r.V, statement.Null(r.U))
	}
	for _, r := range p.Children {
		rows += fmt.Sprintf("INSERT INTO c VALUES (%d, %d);", r.ID, r.Tid)
	}
	last := conns[len(p.Sessions)]
	if r := exactly(last, rows); r.Kind == statement.Failed {
		t.Fatal(r)
	}
	results := make([][]string, len(p.Sessions))
	var wg sync.WaitGroup
	for i := range p.Sessions {
		wg.Go(func() {
			txns := p.Sessions[i]
			for client := (statement.Client{}); client.Next(txns).Kind != statement.Done; {
				a := client.Next(txns)
				r := exactly(conns[i], sqlOf(p, i, a))
				results[i] = append(results[i], r.String())
				var ends bool
				if client, ends = client.After(txns, p.DB, r); ends {
					exactly(conns[i], "ROLLBACK")
				}
			}
		})
	}
	wg.Wait()
	var final statement.Tables
	for _, r := range exactly(last, "SELECT id, v, u FROM t ORDER BY id").Rows {
		final.T = append(final.T, statement.Row{ID: r.ID, V: r.V})
	}
	for i, r := range exactly(last, "SELECT id, coalesce(u, 0) FROM t ORDER BY id").Rows {
		final.T[i].U = r.V
	}
	for _, r := range exactly(last, "SELECT id, tid FROM c ORDER BY id").Rows {
		final.C = append(final.C, statement.ChildRow{ID: r.ID, Tid: r.V})
	}
	return p.Outcome(results, final)
}

// sqlOf is the SQL of an action, with the beginning of its transaction.
func sqlOf(p *statement.Program, i int, a statement.Action) string {
	t := &p.Sessions[i][a.Txn]
	begin := ""
	if a.First {
		begin = "BEGIN;"
		if t.ReadOnly {
			begin = "BEGIN READ ONLY;"
		}
	}
	return begin + a.SQL(p, i)
}

// exactly runs SQL and has the last result as a program has it.
func exactly(conn *pgconn.PgConn, sql string) statement.Result {
	results, err := conn.Exec(context.Background(), sql).ReadAll()
	var failed *pgconn.PgError
	if errors.As(err, &failed) {
		return statement.Fail(failed.Code)
	}
	if err != nil {
		return statement.Fail(err.Error())
	}
	r := results[len(results)-1]
	switch tag := r.CommandTag.String(); {
	case tag == "COMMIT":
		return statement.Result{Kind: statement.Committed}
	case tag == "ROLLBACK":
		return statement.Result{Kind: statement.RolledBack}
	case tag == "SAVEPOINT":
		return statement.Result{Kind: statement.Saved}
	case !r.CommandTag.Select():
		return statement.Result{Kind: statement.Count, N: int(r.CommandTag.RowsAffected())}
	}
	var pairs []statement.IDValue
	for _, row := range r.Rows {
		id, _ := strconv.Atoi(strings.TrimSpace(string(row[0])))
		v, _ := strconv.Atoi(string(row[1]))
		pairs = append(pairs, statement.IDValue{ID: id, V: v})
	}
	if len(pairs) == 1 && r.FieldDescriptions[0].Name == "count" {
		return statement.Result{Kind: statement.Aggregate, N: pairs[0].ID, Sum: pairs[0].V}
	}
	return statement.Result{Kind: statement.Rows, Rows: pairs}
}
