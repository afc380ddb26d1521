package model_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// TestRefused: what the model does not have ends the exploration, and is named.
func TestRefused(t *testing.T) {
	t.Parallel()
	const plain = "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1);"
	for _, test := range []struct{ schema, statement, named string }{
		{plain, "BEGIN; DECLARE c CURSOR FOR SELECT id FROM t; FETCH c; DELETE FROM t WHERE CURRENT OF c", "a condition on ctid"},
		{"CREATE TABLE t (id serial PRIMARY KEY)", "TRUNCATE t RESTART IDENTITY", "TRUNCATE … RESTART IDENTITY"},
		{plain, "SELECT id FROM t WHERE ctid = '(0,1)'", "a condition on ctid"},
		{plain, "SELECT count(*) FROM t TABLESAMPLE system (50)", "TABLESAMPLE"},
		{plain + "CREATE SEQUENCE q", "ALTER SEQUENCE q RESTART", "ALTER SEQUENCE"},
		{"CREATE TABLE t (id int UNIQUE NULLS NOT DISTINCT)", "INSERT INTO t VALUES (1)", "NULLS NOT DISTINCT"},
		{"CREATE TABLE t (id int4range, EXCLUDE USING gist (id WITH &&))", "INSERT INTO t VALUES ('[1,2)')", "the exclusion constraint"},
	} {
		err := refusal(t, test.schema, test.statement)
		if err == nil || !strings.Contains(err.Error(), "the model of PostgreSQL does not have this: ") || !strings.Contains(err.Error(), test.named) {
			t.Errorf("%s: got %v, want an error that names %s", test.statement, err, test.named)
		}
	}
}

// TestOtherTransactions: PostgreSQL's own functions do not know the model's transactions.
func TestOtherTransactions(t *testing.T) {
	t.Parallel()
	err := refusal(t, "CREATE TABLE t (id xid8)", "SELECT count(*) FROM t WHERE id < pg_snapshot_xmin(pg_current_snapshot())")
	if err == nil || !strings.Contains(err.Error(), "pg_current_snapshot() asks for the transactions of other sessions") {
		t.Errorf("got %v", err)
	}
}

// refusal is the error with which an exploration of a statement ends.
func refusal(t *testing.T, schema, sql string) error {
	axiomatic, err := program.NewClient(t.Name(), func(q *program.Program) {
		db := pg.New(q, pg.Schema(schema))
		q.Session("s", func(s *program.Session) {
			if conn, err := pgconn.ConnectConfig(context.Background(), &db.Config(s).Config); err == nil {
				conn.Exec(context.Background(), sql).ReadAll()
			}
		})
	}, program.Options{Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	c, err := axiomatic.DatabaseAt("pg-rc")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC, All: true}).Histories() {
		if err != nil {
			return err
		}
	}
	return nil
}
