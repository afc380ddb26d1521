package proxy_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/testdata/sqlcoupon"
	"github.com/txmc/txmc/testdata/sqltransfers"
)

// connected is a program, the database in which it runs, and the server that has it.
func connected(b *testing.B, f func(*program.Program)) (*proxy.Server, *program.Client, *scratch.Server) {
	server, dsn := start(b)
	claim(b, dsn)
	of, err := program.NewClient(nameOf(f), f, program.Options{Patience: 10 * time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(of.Park)
	s, err := proxy.Open(b.Context(), dsn, 10*time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s, of, server
}

// BenchmarkExecutions runs all schedules of a program.
func BenchmarkExecutions(b *testing.B) {
	for _, f := range []func(*program.Program){sqlcoupon.ExploreRedeem, sqltransfers.ExploreTransfer, sqltransfers.ExploreAdd} {
		b.Run(nameOf(f), func(b *testing.B) {
			s, of, _ := connected(b, f)
			executions := int64(0)
			for b.Loop() {
				_, n, err := proxy.Outcomes(b.Context(), s, of, isolation.PgRC, true)
				if err != nil {
					b.Fatal(err)
				}
				executions += n
			}
			b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}

// BenchmarkReset compares the ways in which an execution can begin anew.
func BenchmarkReset(b *testing.B) {
	s, of, server := connected(b, sqlcoupon.ExploreRedeem)
	if err := proxy.Prepare(b.Context(), s, of, isolation.PgRC); err != nil {
		b.Fatal(err)
	}
	b.Run("truncate", func(b *testing.B) {
		for b.Loop() {
			if err := s.Reset(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("schema and seed", func(b *testing.B) {
		for b.Loop() {
			if err := s.Again(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("template", func(b *testing.B) { // of an empty database: one with tables takes longer
		postgres := server.DSN("postgres")
		for b.Loop() {
			execute(b, postgres, "CREATE DATABASE txmc_copy TEMPLATE template0")
			c, err := pgconn.Connect(b.Context(), server.DSN("txmc_copy"))
			if err != nil {
				b.Fatal(err)
			}
			c.Close(b.Context())
			execute(b, postgres, "DROP DATABASE txmc_copy WITH (FORCE)")
		}
	})
}
