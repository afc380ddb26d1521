package proxy_test

import (
	"context"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// TestByTiming: in the deadlock of these the session that has waited first may be its victim,
// but not on a server that looks for deadlocks at once. That is no difference of the model.
func TestByTiming(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	claim(t, dsn)
	p := func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE job (id int PRIMARY KEY, n int)"), pg.Seed("INSERT INTO job VALUES (1, 0), (2, 0)"))
		for _, statements := range [][]string{
			{"SELECT FROM job ORDER BY id FOR UPDATE"},
			{"UPDATE job SET n = 1 WHERE id = 2", "UPDATE job SET n = 2 WHERE id = 1"},
		} {
			p.Session(statements[0], func(s *program.Session) {
				ctx := context.Background()
				tx, err := db.Open(s).BeginTx(ctx, nil)
				s.Assert(err == nil, err)
				for _, statement := range statements {
					if _, err = tx.ExecContext(ctx, statement); err != nil {
						break
					}
				}
				if err != nil {
					tx.Rollback()
				} else {
					tx.Commit()
				}
			})
		}
	}
	e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), p, isolation.PgRC)
	list := of[*report.ServerComparison](e)
	if len(list) != 1 || list[0].Differ() > 0 || !list[0].Complete || list[0].Outcomes == 0 || len(list[0].ByTiming) != 1 {
		t.Fatalf("compared: %+v", list)
	}
}
