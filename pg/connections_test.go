package pg_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// onModel explores a program at READ COMMITTED of PostgreSQL. It returns the kinds of the failures
// that there are, with their messages, and the observations of all outcomes.
func onModel(t *testing.T, f func(*program.Program)) (failures []string, observed map[string]bool) {
	t.Helper()
	c := sqltest.NewClient(t, f, program.Options{Database: true, Level: isolation.PgRC.String(), Recheck: sqltest.Recheck(t)})
	observed = map[string]bool{}
	for found, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC, All: true, List: true, Workers: 1}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found.Failures {
			failures = append(failures, fmt.Sprintf("%v %v: %s", f.Kind, f.At, f.Message))
		}
		for _, end := range found.Ends {
			for _, n := range end.Path() {
				for _, e := range n.Events {
					if e.Kind == behaviour.ObserveEvent {
						observed[e.Text+" "+c.Format(e.Val)] = true
					}
				}
			}
		}
	}
	return failures, observed
}

// order takes a piece in a transaction, and notes that by a helper that uses the pool.
func order(ctx context.Context, db *sql.DB, note func(db *sql.DB, tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE acct SET bal = bal - 1 WHERE id = 1"); err != nil {
		return err
	}
	return errors.Join(note(db, tx), tx.Commit())
}

// A statement that waits for the session's own transaction is a violation, whose message has both
// lines; on the transaction it is none. On another row it is none either.
func TestWaitsForItself(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	notes := map[string]func(db *sql.DB, tx *sql.Tx) error{
		"pool": func(db *sql.DB, _ *sql.Tx) error {
			_, err := db.ExecContext(ctx, "UPDATE acct SET bal = bal + 1 WHERE id = 1")
			return err
		},
		"tx": func(_ *sql.DB, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE acct SET bal = bal + 1 WHERE id = 1")
			return err
		},
		"other": func(db *sql.DB, _ *sql.Tx) error {
			_, err := db.ExecContext(ctx, "INSERT INTO acct (id, bal) VALUES (3, 0) ON CONFLICT DO NOTHING")
			return err
		},
	}
	for name, note := range notes {
		failures, observed := onModel(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
			for _, who := range []string{"a", "b"} {
				p.Session(who, func(s *program.Session) { s.Observe(who, fmt.Sprint(order(ctx, db.Open(s), note))) })
			}
		})
		if name != "pool" {
			if len(failures) > 0 || !observed[`a "<nil>"`] {
				t.Errorf("%s: %v, %v", name, failures, observed)
			}
			continue
		}
		if len(failures) == 0 || !strings.HasPrefix(failures[0], "hang ") || strings.Count(failures[0], "connections_test.go:") != 2 || !strings.Contains(failures[0], `own transaction "order"`) {
			t.Errorf("%s: %v", name, failures)
		}
	}
}

// A session waits for itself by way of another one, which the server does not see.
func TestWaitsByWayOfAnother(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	failures, _ := onModel(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts), pg.Seed(seed))
		for i, who := range []string{"a", "b"} {
			p.Session(who, func(s *program.Session) {
				pool := db.Open(s)
				tx, err := pool.BeginTx(ctx, nil)
				s.Assert(err == nil, err)
				defer tx.Rollback()
				_, err = tx.ExecContext(ctx, "UPDATE acct SET bal = 0 WHERE id = $1", 1+i)
				s.Assert(err == nil, err)
				_, err = pool.ExecContext(ctx, "UPDATE acct SET bal = 1 WHERE id = $1", 2-i)
				s.Assert(err == nil, err)
			})
		}
	})
	if !slices.ContainsFunc(failures, func(f string) bool {
		return strings.HasPrefix(f, "hang ") && strings.Contains(f, "waits for this session")
	}) {
		t.Error(failures)
	}
	if slices.ContainsFunc(failures, func(f string) bool { return !strings.HasPrefix(f, "hang ") }) {
		t.Error(failures)
	}
}

// A lock that outlasts its transaction belongs to the connection that has taken it: another one of
// the pool does not give it up. A session that keeps one at its end is a violation; one that gives
// it up, or closes the connection, is none.
func TestKeepsLock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, bill := range map[string]func(db *sql.DB) (unlocked bool, err error){
		"pool": func(db *sql.DB) (unlocked bool, err error) {
			c, err := db.Conn(ctx)
			if err != nil {
				return false, err
			}
			defer c.Close()
			if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock(42)"); err != nil {
				return false, err
			}
			err = c.QueryRowContext(ctx, "SELECT pg_advisory_unlock(42)").Scan(&unlocked)
			return unlocked, err
		},
		"conn": func(db *sql.DB) (unlocked bool, err error) {
			c, err := db.Conn(ctx)
			if err != nil {
				return false, err
			}
			defer c.Close()
			if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock(42)"); err != nil {
				return false, err
			}
			err = c.QueryRowContext(ctx, "SELECT pg_advisory_unlock(42)").Scan(&unlocked)
			return unlocked, err
		},
		"closed": func(db *sql.DB) (bool, error) {
			_, err := db.ExecContext(ctx, "SELECT pg_advisory_lock(42)")
			return true, errors.Join(err, db.Close())
		},
	} {
		failures, observed := onModel(t, func(p *program.Program) {
			db := pg.New(p, pg.Schema(accounts))
			p.Session("a", func(s *program.Session) {
				unlocked, err := bill(db.Open(s))
				s.Assert(err == nil, err)
				s.Observe("unlocked", unlocked)
			})
			p.Session("b", func(s *program.Session) {
				_, err := db.Open(s).ExecContext(ctx, "SELECT pg_advisory_xact_lock(42)")
				s.Assert(err == nil, err)
			})
		})
		if name == "pool" {
			if !observed["unlocked false"] || len(failures) == 0 || !strings.HasPrefix(failures[0], "kept ") || !strings.Contains(failures[0], "connections_test.go") {
				t.Errorf("%s: %v, %v", name, failures, observed)
			}
		} else if !observed["unlocked true"] || len(failures) > 0 {
			t.Errorf("%s: %v, %v", name, failures, observed)
		}
	}
}

// Connections of a session share nothing of what belongs to a server's session.
func TestConnectionsShareNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	failures, observed := onModel(t, func(p *program.Program) {
		db := pg.New(p, pg.Schema(accounts+"; CREATE SEQUENCE numbers"), pg.Seed(seed))
		p.Session("a", func(s *program.Session) {
			var conns []*pgx.Conn
			for range 2 {
				c, err := pgx.ConnectConfig(ctx, db.Config(s))
				s.Assert(err == nil, err)
				defer c.Close(ctx)
				conns = append(conns, c)
			}
			said := func(c int, text string) (answer string) {
				if err := conns[c].QueryRow(ctx, text).Scan(&answer); err != nil {
					return code(err)
				}
				return answer
			}
			for _, text := range []string{"SET work_mem = '1MB'", "CREATE TEMP TABLE mine (n int)", "PREPARE one AS SELECT 1", "SELECT nextval('numbers')", "SELECT pg_advisory_lock(7)"} {
				_, err := conns[0].Exec(ctx, text)
				s.Assert(err == nil, text, err)
			}
			for _, asked := range [][2]string{
				{"setting", "SHOW work_mem"}, {"temporary", "SELECT count(*)::text FROM mine"}, {"prepared", "SELECT count(*)::text FROM pg_prepared_statements WHERE name = 'one'"},
				{"number", "SELECT currval('numbers')::text"}, {"lock", "SELECT pg_try_advisory_lock(7)::text"},
			} {
				s.Observe(asked[0], said(0, asked[1])+" "+said(1, asked[1]))
			}
			said(0, "SELECT pg_advisory_unlock_all()::text")
		})
	})
	for _, want := range []string{`setting "1MB 4MB"`, `temporary "0 42P01"`, `prepared "1 0"`, `number "1 55000"`, `lock "true false"`} {
		if !observed[want] {
			t.Errorf("%s is not in %v", want, observed)
		}
	}
	if len(failures) > 0 {
		t.Error(failures)
	}
}
