package proxy_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
)

// The ways in which a session adds a user who is not there, each a transaction without
// BEGIN.
var (
	addOnce = `INSERT INTO users (name) SELECT 'ann' WHERE NOT EXISTS (SELECT 1 FROM users WHERE name = 'ann')`
	implied = map[string]func(context.Context, *pg.DB, *program.Session) error{
		"simple query": func(ctx context.Context, db *pg.DB, s *program.Session) error {
			_, err := db.Open(s).ExecContext(ctx, addOnce)
			return err
		},
		"extended query": func(ctx context.Context, db *pg.DB, s *program.Session) error {
			_, err := db.Open(s).ExecContext(ctx, addOnce+" AND $1", true)
			return err
		},
		"batch": func(ctx context.Context, db *pg.DB, s *program.Session) error {
			c, err := pgx.ConnectConfig(ctx, db.Config(s))
			if err != nil {
				return err
			}
			defer c.Close(ctx)
			b := &pgx.Batch{}
			b.Queue(addOnce)
			b.Queue("UPDATE tries SET n = n + 1 WHERE id = $1", s.Name())
			return c.SendBatch(ctx, b).Close()
		},
	}
)

// TestImpliedCommit: between a statement in autocommit and its commit others run, under the
// model and on the server. The same outcomes are found, two users among them, and confirmed.
func TestImpliedCommit(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	claim(t, dsn)
	for name, add := range implied {
		t.Run(name, func(t *testing.T) {
			p := func(p *program.Program) {
				db := pg.New(p, pg.Schema("CREATE TABLE users (id serial PRIMARY KEY, name text); CREATE TABLE tries (id text PRIMARY KEY, n int)"),
					pg.Seed("INSERT INTO tries VALUES ('a', 0), ('b', 0)"))
				for _, name := range []string{"a", "b"} {
					p.Session(name, func(s *program.Session) { s.Assert(add(context.Background(), db, s) == nil, "an error") })
				}
				db.Final("one ann", func(ctx context.Context, d *sql.DB) error {
					var n int
					if err := d.QueryRowContext(ctx, "SELECT count(*) FROM users").Scan(&n); err != nil || n != 1 {
						return fmt.Errorf("%d users, %v", n, err)
					}
					return nil
				})
			}
			e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), p, isolation.PgRC)
			list := of[*report.ServerComparison](e)
			if len(list) != 1 || len(list[0].OnlyServer)+len(list[0].OnlyModel) > 0 || !list[0].Complete || list[0].Outcomes < 3 {
				t.Fatalf("compared: %+v", list)
			}
			e = onServer{at: explore.OnServer{DSN: dsn, Confirm: true}}.run(t, t.Context(), p, isolation.PgRC)
			if v := of[*report.Violation](e); len(v) == 0 || v[0].Confirmation.Verdict != report.Confirmed {
				t.Errorf("%d violations, none confirmed", len(v))
			}
		})
	}
}

// TestImpliedFailure: errors of a statement in autocommit, and of its commit, reach the
// client on the server as without the proxy.
func TestImpliedFailure(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	claim(t, dsn)
	p := func(p *program.Program) {
		db := pg.New(p, pg.Schema(`CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n > 0), UNIQUE (n) DEFERRABLE INITIALLY DEFERRED)`), pg.Seed("INSERT INTO t VALUES (1, 1), (2, 2)"))
		p.Session("a", func(s *program.Session) {
			ctx, d := context.Background(), db.Open(s)
			for _, arguments := range [][]any{nil, {true}} {
				where := ""
				if arguments != nil {
					where = " AND $1"
				}
				for _, c := range [][2]string{{"UPDATE t SET n = -1 WHERE id = 1", "23514"}, {"UPDATE t SET n = 2 WHERE id = 1", "23505"}, {"UPDATE t SET n = n WHERE id = 1", ""}} {
					_, err := d.ExecContext(ctx, c[0]+where, arguments...)
					var failed *pgconn.PgError
					errors.As(err, &failed)
					s.Assert(c[1] == "" && err == nil || failed != nil && failed.Code == c[1], fmt.Sprintf("%s%s: %v", c[0], where, err))
				}
			}
		})
	}
	e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), p, isolation.PgRC)
	if list := of[*report.ServerComparison](e); len(list) != 1 || len(list[0].OnlyServer)+len(list[0].OnlyModel) > 0 || list[0].Outcomes != 1 {
		t.Fatalf("compared: %+v", list)
	}
	e = onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), p, isolation.PgRC)
	for _, v := range of[*report.Violation](e) {
		t.Errorf("%+v", v)
	}
}

// TestImpliedCommitOfRead: at SERIALIZABLE others run also between a SELECT in autocommit and
// its commit, under the model and on the server. A transaction that runs beside a reader fails.
// Beside a reader that has ended it does not fail.
func TestImpliedCommitOfRead(t *testing.T) {
	deadlinetest.Long(t)
	_, dsn := start(t)
	claim(t, dsn)
	ctx := context.Background()
	for name, args := range map[string][]any{"simple query": nil, "extended query": {true}} {
		t.Run(name, func(t *testing.T) {
			p := func(p *program.Program) {
				db := pg.New(p, pg.Schema("CREATE TABLE k (k text PRIMARY KEY)"), pg.Seed("INSERT INTO k VALUES ('a')"))
				p.Session("insert", func(s *program.Session) {
					_, err := db.Open(s).ExecContext(ctx, "INSERT INTO k SELECT 'c' WHERE NOT EXISTS (SELECT 1 FROM k WHERE k = 'c')")
					s.Observe("insert", fmt.Sprint(err))
				})
				p.Session("ignore", func(s *program.Session) {
					_, err := db.Open(s).ExecContext(ctx, "INSERT INTO k VALUES ('c') ON CONFLICT DO NOTHING")
					s.Observe("ignore", fmt.Sprint(err))
				})
				p.Session("read", func(s *program.Session) {
					where := ""
					if args != nil {
						where = " AND $1"
					}
					var n int
					err := db.Open(s).QueryRowContext(ctx, "SELECT count(*) FROM k WHERE k = 'c'"+where, args...).Scan(&n)
					s.Observe("read", fmt.Sprint(n, err))
				})
			}
			e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), p, isolation.PgSer)
			list := of[*report.ServerComparison](e)
			if len(list) != 1 || len(list[0].OnlyServer)+len(list[0].OnlyModel) > 0 || !list[0].Complete {
				t.Fatalf("compared: %+v", list)
			}
		})
	}
}
