// Statements that few programs have: COPY, sequences, waiting, temporary tables.

package pg_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// onPgx gives a session a connection of pgx.
func onPgx(db *pg.DB, s *program.Session, f func(ctx context.Context, c *pgx.Conn) string) {
	ctx := context.Background()
	c, err := pgx.ConnectConfig(ctx, db.Config(s))
	if err != nil {
		s.Assert(false, err)
		return
	}
	defer c.Close(ctx)
	s.Observe(s.Backend().Session(), f(ctx, c))
}

// copied copies rows in, and says what PostgreSQL says.
func copied(ctx context.Context, c *pgx.Conn, rows ...[]any) string {
	n, err := c.CopyFrom(ctx, pgx.Identifier{"acct"}, []string{"id", "owner", "bal"}, pgx.CopyFromRows(rows))
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code + " " + e.ConstraintName
	}
	return fmt.Sprint(n, err)
}

// Rows that COPY brings in are rows of the history, with their keys, checks, triggers
// and phantoms.
func TestCopy(t *testing.T) {
	t.Parallel()
	p := func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed), pg.Schema(`
			CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO entry (acct, amount) VALUES (NULL, new.id); RETURN NULL; END $$;
			CREATE TRIGGER noted AFTER INSERT ON acct FOR EACH ROW EXECUTE FUNCTION noted();`))
		p.Session("in", func(s *program.Session) {
			onPgx(db, s, func(ctx context.Context, c *pgx.Conn) string {
				taken := copied(ctx, c, []any{3, "cid", 1}, []any{4, "ann", 1})
				refused := copied(ctx, c, []any{5, "eve", -1})
				return taken + ", " + refused + ", " + copied(ctx, c, []any{3, "cid", 1}, []any{4, "dan", 1})
			})
		})
		p.Session("out", func(s *program.Session) {
			onPgx(db, s, func(ctx context.Context, c *pgx.Conn) string {
				var n, m int
				err := c.QueryRow(ctx, "SELECT (SELECT count(*) FROM acct), (SELECT count(*) FROM entry)").Scan(&n, &m)
				var b strings.Builder
				_, copying := c.PgConn().CopyTo(ctx, &b, "COPY (SELECT owner FROM acct WHERE id <= 2 ORDER BY id) TO STDOUT")
				return fmt.Sprint(n, m, err, copying, strings.Fields(b.String()))
			})
		})
	}
	want := []string{
		"in=23505 acct_owner_key, 23514 acct_bal_check, 2 <nil> out=2 2 <nil> <nil> [ann bob] ",
		"in=23505 acct_owner_key, 23514 acct_bal_check, 2 <nil> out=4 4 <nil> <nil> [ann bob] ",
	}
	if got := slices.Sorted(maps.Keys(sqltest.Explore(t, p, isolation.SER).Outcomes)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Two sessions that copy the same key in exclude each other.
func TestCopies(t *testing.T) {
	t.Parallel()
	p := func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts))
		for _, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				onPgx(db, s, func(ctx context.Context, c *pgx.Conn) string { return copied(ctx, c, []any{1, who, 1}) })
			})
		}
	}
	for _, level := range []isolation.Level{isolation.RC, isolation.SER} {
		got := slices.Sorted(maps.Keys(sqltest.Explore(t, p, level).Outcomes))
		if want := []string{"a=1 <nil> b=23505 acct_pkey ", "a=23505 acct_pkey b=1 <nil> "}; !slices.Equal(got, want) {
			t.Errorf("%v: %q", level, got)
		}
	}
}

// Each session has numbers of its own, the same ones in every run, whatever the other
// sessions do and however its transactions end.
func TestSequences(t *testing.T) {
	t.Parallel()
	p := func(p *program.Program) {
		db := pg.New(p, pg.Schema(`CREATE SEQUENCE down INCREMENT -2; CREATE SEQUENCE small MAXVALUE 100 CYCLE;
			CREATE TABLE item (id int GENERATED ALWAYS AS IDENTITY, at int); INSERT INTO item (at) VALUES (0), (0)`))
		for _, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				onPgx(db, s, func(ctx context.Context, c *pgx.Conn) string {
					var seen []any
					for _, sql := range []string{"INSERT INTO item (at) SELECT count(*) FROM item RETURNING id", "BEGIN", "INSERT INTO item (at) VALUES (7) RETURNING id", "ROLLBACK",
						"INSERT INTO item (at) VALUES (8) RETURNING id", "SELECT currval('item_id_seq')", "SELECT nextval('down')", "SELECT lastval()", "SELECT nextval('small')"} {
						var n int64
						err := c.QueryRow(ctx, sql).Scan(&n)
						if !errors.Is(err, pgx.ErrNoRows) {
							seen = append(seen, n, err)
						}
					}
					return strings.ReplaceAll(fmt.Sprint(seen...), " <nil>", "")
				})
			})
		}
	}
	for _, level := range []isolation.Level{isolation.CC, isolation.SER} {
		got := slices.Sorted(maps.Keys(sqltest.Explore(t, p, level).Outcomes))
		if want := []string{"a=3 4 5 5 -1 -1 1 b=1003 1004 1005 1005 -2001 -2001 7 "}; !slices.Equal(got, want) {
			t.Errorf("%v: %q", level, got)
		}
	}
}

// pg_sleep takes no time, and the server's time goes on by it.
func TestSleep(t *testing.T) {
	t.Parallel()
	began := time.Now()
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts))
		p.Session("s", func(s *program.Session) {
			var slept bool
			err := db.Open(s).QueryRow("SELECT clock_timestamp() - now() >= interval '1 hour' FROM (SELECT pg_sleep(3600)) x").Scan(&slept)
			s.Observe("slept", fmt.Sprint(slept, err))
		})
	}, isolation.SER)
	if got.Outcomes["slept=true <nil> "] != 1 || time.Since(began) > 30*time.Minute {
		t.Errorf("%v after %v", got.Outcomes, time.Since(began))
	}
}

// Temporary tables belong to a session and are no rows of the history.
func TestTemporaryTables(t *testing.T) {
	t.Parallel()
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		for _, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				tx, err := db.Open(s).BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
				if err != nil {
					s.Assert(false, err)
					return
				}
				defer tx.Rollback()
				var n int
				for _, sql := range []string{"CREATE TEMP TABLE mine ON COMMIT DROP AS SELECT id FROM acct", "INSERT INTO mine VALUES (9)"} {
					if _, err := tx.Exec(sql); err != nil {
						s.Assert(false, err)
					}
				}
				err = tx.QueryRow("SELECT count(*) FROM mine").Scan(&n)
				s.Observe(who, fmt.Sprint(n, err, tx.Commit()))
			})
		}
	}, isolation.CC)
	if got.Histories != 1 || got.Outcomes["a=3 <nil> <nil> b=3 <nil> <nil> "] != 1 {
		t.Errorf("%v", got)
	}
}
