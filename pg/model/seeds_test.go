package model_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// seeded has three sessions on a few rows of a table that has more rows at first, which
// nobody touches, before and behind them.
func seeded(rows int) func(*program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, u int UNIQUE)"),
			pg.Seed(fmt.Sprintf("INSERT INTO t SELECT n, n, n FROM generate_series(100, %d) n", 99+rows/2)),
			pg.Seed("INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)"),
			pg.Seed(fmt.Sprintf("INSERT INTO t SELECT n, n, n FROM generate_series(1000000, %d) n", 999999+rows/2)))
		for i, list := range [][]string{
			{"BEGIN", "UPDATE t SET v = v + 10 WHERE id = 1", "SELECT v FROM t WHERE id = 2", "COMMIT"},
			{"BEGIN", "SELECT v FROM t WHERE id = 1 FOR UPDATE", "DELETE FROM t WHERE id = 3", "INSERT INTO t VALUES (4, 4, 3)", "COMMIT"},
			{"BEGIN", "UPDATE t SET u = 9 WHERE u = 3", "UPDATE t SET v = 7 WHERE id = 2", "INSERT INTO t VALUES (3, 5, NULL) ON CONFLICT (id) DO UPDATE SET v = t.v + 1", "COMMIT"},
		} {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				ctx := context.Background()
				conn, err := pgconn.ConnectConfig(ctx, &db.Config(s).Config)
				if err != nil {
					s.Observe("", err.Error())
					return
				}
				defer conn.Close(ctx)
				for _, sql := range list {
					s.Observe("", exec(ctx, conn, sql).String())
				}
			})
		}
	}
}

func seededClient(t testing.TB, rows int, at isolation.Level) *program.Client {
	t.Helper()
	c, err := program.NewClient(t.Name(), seeded(rows), program.Options{Database: true, Level: at.String(), Recheck: -1, Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Park)
	return c
}

func allStates(t testing.TB, c *program.Client, at isolation.Level) dpor.Stats {
	t.Helper()
	x := dpor.Explore(t.Context(), c, dpor.Options{Level: at, All: true, Workers: 1})
	for _, err := range x.Histories() {
		if err != nil {
			t.Fatal(err)
		}
	}
	return x.Stats()
}

// TestSeeds: rows that nobody touches change no count.
func TestSeeds(t *testing.T) {
	t.Parallel()
	for _, at := range modelLevels {
		few, many := allStates(t, seededClient(t, 0, at), at), allStates(t, seededClient(t, 300, at), at)
		if sums(few) != sums(many) || few.Steps != many.Steps {
			t.Errorf("%v: %v and %d steps with three rows, %v and %d steps with 300 more", at, sums(few), few.Steps, sums(many), many.Steps)
		}
	}
}

// BenchmarkSeeds explores with rows that nobody touches, when SQL has run before.
func BenchmarkSeeds(b *testing.B) {
	for _, at := range isolation.LevelsOf(isolation.PostgreSQL) {
		for _, rows := range []int{0, 500, 5000} {
			b.Run(fmt.Sprintf("%v/%d", at, rows), func(b *testing.B) {
				c := seededClient(b, rows, at)
				stats := allStates(b, c, at)
				for b.Loop() {
					stats = allStates(b, c, at)
				}
				b.ReportMetric(float64(stats.Explored), "states")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(stats.Steps), "µs/step")
			})
		}
	}
}
