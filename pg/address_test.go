package pg_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// byPort opens a database as code does that has a host and a port in its configuration.
func byPort(driver, host string, port int) (*sql.DB, error) {
	return sql.Open(driver, fmt.Sprintf("host=%s port=%d user=shop password=secret dbname=shop sslmode=disable", host, port))
}

// Code may be given a host and a port, for the schema, the seed and the sessions.
func TestAddress(t *testing.T) {
	t.Parallel()
	run := func(driver, text string) func(ctx context.Context, host string, port int) error {
		return func(ctx context.Context, host string, port int) error {
			db, err := byPort(driver, host, port)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.ExecContext(ctx, text)
			return err
		}
	}
	got := sqltest.Explore(t, func(p *program.Program) {
		db := pg.New(p, pg.SchemaAddress(run("pgx", "CREATE TABLE t (id int PRIMARY KEY)")), pg.SeedAddress(run("postgres", "INSERT INTO t VALUES (1)")))
		for _, driver := range []string{"pgx", "postgres"} {
			p.Session(driver, func(s *program.Session) {
				host, port := db.Address(s)
				if h, p := db.Address(s); h != host || p != port {
					t.Error(h, p)
				}
				c, err := byPort(driver, host, port)
				if err != nil {
					t.Error(err)
					return
				}
				defer c.Close()
				var n int
				err = c.QueryRow("SELECT count(*) FROM t").Scan(&n)
				s.Observe("rows", fmt.Sprint(n, err))
			})
		}
	}, isolation.SER)
	if want := "rows=1 <nil> rows=1 <nil> "; len(got.Outcomes) != 1 || got.Outcomes[want] != 1 {
		t.Errorf("%q", got.Outcomes)
	}
}

// Whatever the address, transactions that ask for no level have the one of the exploration,
// but for those of connections that set another one.
func TestLevelByAddress(t *testing.T) {
	t.Parallel()
	ways := map[string]func(db *pg.DB, s *program.Session) string{
		"dsn": func(db *pg.DB, s *program.Session) string { return db.DSN(s) },
		"port": func(db *pg.DB, s *program.Session) string {
			host, port := db.Address(s)
			return fmt.Sprintf("postgres://%s:%d/shop", host, port)
		},
		"own": func(db *pg.DB, s *program.Session) string {
			return db.DSN(s) + "&default_transaction_isolation=read%20committed"
		},
		"options": func(db *pg.DB, s *program.Session) string {
			return db.DSN(s) + "&options=-c%20default_transaction_isolation%3Dserializable"
		},
	}
	want := map[string]string{"dsn": "repeatable read", "port": "repeatable read", "own": "read committed", "options": "serializable"}
	for name, way := range ways {
		seen := map[string]bool{}
		c := sqltest.NewClient(t, func(p *program.Program) {
			db := pg.New(p)
			p.Session("s", func(s *program.Session) {
				ctx := context.Background()
				for range 2 { // a second connection as well
					c, err := pgx.Connect(ctx, way(db, s))
					if err != nil {
						t.Error(name, err)
						return
					}
					var level string
					if err := c.QueryRow(ctx, "SHOW transaction_isolation").Scan(&level); err != nil {
						t.Error(name, err)
					}
					seen[level] = true
					c.Close(ctx)
				}
			})
		}, program.Options{Database: true, Level: isolation.PgRR.String()})
		for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRR, Base: isolation.PgRR.Base()}).Histories() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) != 1 || !seen[want[name]] {
			t.Errorf("%s: %v", name, seen)
		}
	}
}
