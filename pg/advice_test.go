package pg_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// TestSchemaAdvice: an error of code that makes the schema says what is behind it: a second
// connection in a transaction, whose refusal a driver turns into a closed connection, and another
// driver's way with arguments.
func TestSchemaAdvice(t *testing.T) {
	for name, test := range map[string]struct {
		schema pg.Option
		want   string
	}{
		"two connections": {pg.SchemaDSN(func(ctx context.Context, dsn string) error {
			pool, err := pgxpool.New(ctx, dsn)
			if err != nil {
				return err
			}
			defer pool.Close()
			if _, err := pool.Exec(ctx, "CREATE TABLE t (k text)"); err != nil {
				return err
			}
			tx, err := pool.Begin(ctx)
			if err != nil {
				return err
			}
			defer tx.Rollback(ctx)
			if _, err := tx.Exec(ctx, "INSERT INTO t VALUES ('lock')"); err != nil {
				return err
			}
			_, err = pool.Exec(ctx, "INSERT INTO t VALUES ('version')")
			return err
		}), "it may use one connection at a time"},
		"another driver": {pg.SchemaFunc(func(_ context.Context, db *sql.DB) error {
			if _, err := db.Exec("CREATE TABLE version (version text)"); err != nil {
				return err
			}
			_, err := db.Exec("INSERT INTO version VALUES ($1)", 1)
			return err
		}), "by pg.SchemaDSN"},
	} {
		c, err := program.NewClient("ExploreSchema", func(p *program.Program) {
			pg.New(p, test.schema)
			p.Session("a", func(*program.Session) {})
		}, program.Options{Database: true, Level: "pg-rc"})
		if err == nil {
			c.Park()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}
