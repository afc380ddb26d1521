package pg_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/dpor/sqltest/brute"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// Goroutines of a session that run statements at the same time are told so, or end with the run. Each statement takes
// long enough for the others to come.
func TestTogether(t *testing.T) {
	t.Parallel()
	const takesLong = "UPDATE acct SET bal = (SELECT count(*) FROM generate_series(1, 300000)) WHERE id = 1"
	err := failure(t, program.Options{}, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		p.Session("s", func(s *program.Session) {
			open := db.Open(s)
			done := make(chan error)
			const n = 4
			for range n {
				go func() {
					_, err := open.ExecContext(context.Background(), takesLong)
					done <- err
				}()
			}
			for range n {
				<-done
			}
		})
	})
	if err == nil || !strings.Contains(err.Error(), "run statements at the same time") && !strings.Contains(err.Error(), "while a transaction is open on the first") {
		t.Error(err)
	}
}

// Rows that are read while other statements run, on other connections but by one goroutine, are no mistake.
func TestNestedQueries(t *testing.T) {
	t.Parallel()
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		p.Session("s", func(s *program.Session) {
			open := db.Open(s)
			rows, err := open.Query("SELECT id FROM acct ORDER BY id")
			if err != nil {
				s.Observe("", err.Error())
				return
			}
			defer rows.Close()
			for rows.Next() {
				var id, bal int
				err := rows.Scan(&id)
				if err == nil {
					err = open.QueryRow("SELECT bal FROM acct WHERE id = $1", id).Scan(&bal)
				}
				s.Observe("", code(err))
			}
		})
	}, brute.Levels[0])
	for o := range got.Outcomes {
		if !strings.HasPrefix(o, "= ") {
			t.Error(o)
		}
	}
}

// The line is that of the statement that is refused, and not of the one before it.
func TestLineOfRefused(t *testing.T) {
	t.Parallel()
	line := 0
	err := failure(t, program.Options{}, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		p.Session("s", func(s *program.Session) {
			open, ctx := db.Open(s), context.Background()
			tx, err := open.Begin()
			s.Assert(err == nil, err)
			_, err = tx.Exec("UPDATE acct SET bal = 0 WHERE id = 1")
			s.Assert(err == nil, err)
			_, _, line, _ = runtime.Caller(0)
			_, _ = open.ExecContext(ctx, "UPDATE acct SET bal = 1 WHERE id = 2") // the next line
		})
	})
	var e *behaviour.Error
	if !errors.As(err, &e) || e.At.Line != line+1 || !strings.Contains(e.Message, "while a transaction is open on the first") {
		t.Errorf("%v, want line %d", err, line+1)
	}
}
