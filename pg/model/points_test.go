package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/states"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/statement"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
)

var pointsPrograms = deadlinetest.Flag("points-programs", 4, 2, "random scripts whose statements are explored request by request, at each level")

// TestPoints: the points inside statements lose no outcome. Where each request of an
// executor is a step, and a woken statement goes on whenever it likes, the outcomes are the
// same. Where each statement is a step, or is not interrupted, there are fewer.
func TestPoints(t *testing.T) {
	t.Parallel()
	for level, at := range modelLevels {
		t.Run(level, func(t *testing.T) {
			more := 0
			for seed := range uint64(pointsPrograms.N()) {
				if comparePoints(t, *modelSeed+int64(seed), level, at) {
					more++
				}
			}
			t.Logf("%d of %d scripts have outcomes that no order of whole statements has", more, pointsPrograms.N())
		})
	}
}

func comparePoints(t *testing.T, seed int64, level string, at isolation.Level) (more bool) {
	t.Helper()
	s := sqltest.PointsScript(uint64(seed))
	p := &statement.Program{DB: statement.PostgreSQL, Seed: seed, Sessions: make([][]statement.Transaction, len(s.Sessions))}
	declare := func(q *program.Program) { declareTexts(q, s, level) }
	points := sqltest.OutcomesIn(t, p, at, states.Points, declare)
	requests := sqltest.OutcomesIn(t, p, at, states.Requests, declare)
	statements := sqltest.OutcomesIn(t, p, at, states.Statements, declare)
	unbroken := sqltest.OutcomesIn(t, p, at, states.Unbroken, declare)
	sqltest.Compare(t, p, points, requests, [2]string{"points", "requests"})
	sqltest.Within(t, p, statements, points, "statements")
	sqltest.Within(t, p, unbroken, points, "unbroken statements")
	sqltest.Within(t, p, statements, unbroken, "statements")
	if t.Failed() {
		t.Fatalf("seed %d at %s: %s\n%q", seed, level, strings.TrimPrefix(s.Schema, sqltest.PointsSchema), s.Sessions)
	}
	return len(points) > len(statements)
}

// declareTexts declares a script whose sessions observe their results.
func declareTexts(q *program.Program, s *sqltest.Script, level string) {
	db := pg.New(q, pg.Schema(sqltest.ScriptTables), pg.Seed(sqltest.ScriptRows), pg.Seed(s.Schema))
	for i, texts := range s.Sessions {
		q.Session(fmt.Sprint("s", i), func(ses *program.Session) {
			ctx := context.Background()
			conn, err := pgconn.ConnectConfig(ctx, &db.Config(ses).Config)
			if err != nil {
				ses.Observe("", err.Error())
				return
			}
			defer conn.Close(ctx)
			for _, text := range texts {
				ses.Observe("", exec(ctx, conn, strings.Replace(text, "BEGIN $", "BEGIN ISOLATION LEVEL "+sqlLevels[level], 1)).String())
			}
		})
	}
}
