package proxy_test

import (
	"database/sql"
	"flag"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy/forms"
	"github.com/txmc/txmc/server/scratch"
	"github.com/txmc/txmc/server/scratch/scratchtest"
)

var (
	freePrograms = deadlinetest.Flag("free-programs", 60, 6, "random programs that run freely on a server, at the levels in turn")
	freeRuns     = flag.Int64("free-runs", 30, "runs of each of them")
	freeSeed     = flag.Uint64("free-seed", 1, "the first of their seeds")
	freeWorkers  = flag.Int("free-workers", 1, "servers on which they run beside each other")
	freeAll      = flag.Bool("free-all", false, "also statements of which it is known that the model takes too few steps")
)

// oneStep are the classes of statements of which the model does not know all that a server does: which
// rows a function in a WHERE locks is for the plan to say.
const oneStep = forms.Plans

// TestFreeForms: random programs in the forms that people write run freely on a server, and have
// no outcome that the model lacks.
func TestFreeForms(t *testing.T) {
	t.Parallel()
	programs := freePrograms.N()
	classes := forms.All
	if !*freeAll {
		classes &^= oneStep
	}
	var next atomic.Int64
	var all totals
	var wait sync.WaitGroup
	for range *freeWorkers {
		server := scratchtest.Start(t, scratch.Postgres, nil) // alone: transactions at SERIALIZABLE know those of other databases
		wait.Go(func() {
			dsn := server.DSN(empty(t, server))
			claim(t, dsn)
			for k := next.Add(1) - 1; k < int64(programs) && !deadlinetest.Over(t); k = next.Add(1) - 1 {
				p := forms.Postgres(*freeSeed+uint64(k), classes)
				all.add(freely(t, dsn, p, []isolation.Level{isolation.PgRC, isolation.PgRR, isolation.PgSer}[k%3]))
			}
		})
	}
	wait.Wait()
	t.Logf("%d programs, %d runs: %d outcomes of the models' %d, %d outside in %d programs, %d incomplete, %d runs ended by time limits",
		all.compared, all.Runs, all.Outcomes, all.Model, all.outside, all.programs, all.incomplete, all.TimedOut)
}

// totals are sums over comparisons.
type totals struct {
	sync.Mutex
	report.FreeComparison
	compared, outside, programs, incomplete int
}

func (a *totals) add(c *report.FreeComparison) {
	if c == nil {
		return
	}
	a.Lock()
	defer a.Unlock()
	a.compared++
	a.Runs, a.Outcomes, a.Model, a.TimedOut = a.Runs+c.Runs, a.Outcomes+c.Outcomes, a.Model+c.Model, a.TimedOut+c.TimedOut
	a.outside += len(c.Outside)
	if len(c.Outside) > 0 {
		a.programs++
	}
	if !c.Complete {
		a.incomplete++
	}
}

// freely compares free runs of a program with the model.
func freely(t *testing.T, dsn string, p *forms.Program, level isolation.Level) *report.FreeComparison {
	declare := func(to *program.Program) {
		db := pg.New(to, pg.Schema(p.Schema), pg.Seed(p.Rows))
		p.Declare(to, func(s *program.Session) *sql.DB { return db.Open(s) })
	}
	at := explore.OnServer{DSN: dsn, Compare: true, Free: &explore.FreeRuns{Runs: *freeRuns, Seed: p.Seed}, Own: true}
	e := onServer{at: at, timeout: 2 * time.Minute}.run(t, t.Context(), declare, level)
	for _, err := range of[*report.Error](e) {
		t.Errorf("%v: %s\n%v", level, err.Message, p)
	}
	list := of[*report.FreeComparison](e)
	if len(list) != 1 {
		return nil
	}
	if len(list[0].Outside) > 0 {
		t.Errorf("%v%s", p, (&report.Text{}).FreeComparison(list[0]))
	}
	return list[0]
}
