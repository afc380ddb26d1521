// What exploring SQL costs: see bench/README.md.

package pg_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// behaviours declares a program one session of which has more behaviours than
// anybody wants: each of its reads returns any of several values.
func behaviours(runs *int, reads int) func(p *program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		p.Session("writer", func(s *program.Session) {
			open := db.Open(s)
			for i := range 10 {
				if _, err := open.Exec("UPDATE acct SET bal = $1 WHERE id = 1", i); err != nil {
					s.Assert(false, err)
				}
			}
		})
		p.Session("reader", func(s *program.Session) {
			*runs++
			ctx := context.Background()
			c, err := pgx.ConnectConfig(ctx, db.Config(s))
			if err != nil {
				s.Assert(false, err)
			}
			for range reads {
				var bal int
				if err := c.QueryRow(ctx, "SELECT bal FROM acct WHERE id = $1", 1).Scan(&bal); err != nil {
					s.Assert(false, err)
				}
			}
		})
	}
}

// BenchmarkBehaviours is one new behaviour of eight transactions.
func BenchmarkBehaviours(b *testing.B) {
	runs := 0
	c, err := program.NewClient(b.Name(), behaviours(&runs, 8), program.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Park()
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Second)
	defer cancel()
	x := dpor.Explore(ctx, c, dpor.Options{Level: isolation.CC, Base: isolation.CC, All: true, Workers: 1, Scope: dpor.Scope{MaxHistories: int64(b.N)}})
	for _, err := range x.Histories() {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%+v", x.Stats())
	b.ReportMetric(float64(x.Stats().Histories), "histories")
	b.ReportMetric(float64(runs), "runs")
}
