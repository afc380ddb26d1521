package proxy_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
	"github.com/txmc/txmc/testdata/sqlcoupon"
	"github.com/txmc/txmc/testdata/sqlqueue"
)

// TestFreeInside: the outcomes of free runs are outcomes of the model.
func TestFreeInside(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	e := onServer{at: explore.OnServer{DSN: dsn, Compare: true, Free: &explore.FreeRuns{Runs: 60, Seed: 1}, Own: true}}.run(t, t.Context(), sqlcoupon.ExploreRedeem, isolation.PgRC, isolation.PgRR)
	if err := e.only(t); err != nil {
		t.Fatal(err.Message)
	}
	list := of[*report.FreeComparison](e)
	if len(list) != 2 {
		t.Fatalf("%d comparisons", len(list))
	}
	for _, c := range list {
		if len(c.Outside) > 0 || !c.Complete || c.Runs != 60 || c.Outcomes == 0 || c.Outcomes > c.Model || c.TimedOut+c.Unknown > 0 {
			t.Error((&report.Text{}).FreeComparison(c))
		}
	}
}

// apart are examples that run freely with -free-all only. In ExploreMovesRetried a session that a
// rollback has woken may go on after the other has begun again: it retries without end. ExploreVotes
// has a pool, which chooses by chance where no overlay keeps it from that.
var apart = []string{"ExploreMovesRetried", "ExploreVotes"}

// TestFreeExamples: so are those of the examples.
func TestFreeExamples(t *testing.T) {
	t.Parallel()
	_, dsn := alone(t)
	claim(t, dsn)
	for i, f := range examples {
		levels := levelsOf(i)
		if len(levels) == 0 || slices.Contains(apart, nameOf(f)) && !*freeAll || deadlinetest.Over(t) {
			continue
		}
		at := explore.OnServer{DSN: dsn, Compare: true, Free: &explore.FreeRuns{Runs: 30, Seed: 1}, Own: true}
		e := onServer{at: at}.run(t, t.Context(), f, levels...)
		if err := e.only(t); err != nil {
			t.Errorf("%s: %s", nameOf(f), err.Message)
		}
		for _, c := range of[*report.FreeComparison](e) {
			if len(c.Outside) > 0 || !c.Complete {
				t.Error((&report.Text{}).FreeComparison(c))
			}
		}
	}
}

// TestFreeOutside: where the model is that of a stronger level than the server's, outcomes of
// the server are outside, and the report tells of what they differ from the model's.
func TestFreeOutside(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	s, err := proxy.Open(t.Context(), dsn, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client, err := program.NewClient("ExploreTake", sqlqueue.ExploreTake, program.Options{MaxOps: 1000, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Park()
	c, err := proxy.FreeAgainst(t.Context(), s, client, isolation.PgRC, isolation.PgSer, explore.FreeRuns{Runs: 400, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Outside) == 0 || !c.Complete {
		t.Fatalf("an UPDATE over that of another is not seen: %+v", c)
	}
	o := c.Outside[0]
	if o.Nearest == nil || len(o.Differs) == 0 || len(o.Schedule) == 0 || o.Runs == 0 || o.Seed == 0 {
		t.Errorf("%+v", o)
	}
}

// TestFreeLimits: a run that a time limit has ended is not outside, and where the model has not
// been explored to the end nothing is.
func TestFreeLimits(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	slow := func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE t (n int)"), pg.Seed("INSERT INTO t SELECT generate_series(1, 3)"))
		p.Session("a", func(s *program.Session) {
			ctx := context.Background()
			c, err := db.Open(s).Conn(ctx)
			if err != nil {
				return
			}
			defer c.Close()
			c.ExecContext(ctx, "SET statement_timeout = '1ms'")
			c.ExecContext(ctx, "SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k")
		})
	}
	at := explore.OnServer{DSN: dsn, Compare: true, Free: &explore.FreeRuns{Runs: 5, Seed: 1}}
	e := onServer{at: at}.run(t, t.Context(), slow, isolation.PgRC)
	list := of[*report.FreeComparison](e)
	if err := e.only(t); err != nil || len(list) != 1 || list[0].TimedOut == 0 || len(list[0].Outside) > 0 {
		t.Fatalf("%v %+v", err, list)
	}
	at.Free.Runs = 0
	e = onServer{at: at, timeout: time.Nanosecond}.run(t, t.Context(), sqlqueue.ExploreTake, isolation.PgRC)
	list = of[*report.FreeComparison](e)
	if err := e.only(t); err != nil || len(list) != 1 || list[0].Complete || len(list[0].Outside) > 0 || list[0].Stopped != "timeout" {
		t.Fatalf("%v %+v", err, list)
	}
}
