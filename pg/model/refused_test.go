package model_test

import (
	"context"
	"fmt"
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
		{plain, "SELECT id FROM t WHERE ctid > '(0,1)'", "a range of ctid"},
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

// TestRefusedOnly: an error that no server gives ends the exploration under the model and at an axiomatic level,
// although the client looks at no error, and a function catches it. So does a connection that ends in the process.
func TestRefusedOnly(t *testing.T) {
	t.Parallel()
	const schema = "CREATE TABLE t (id int PRIMARY KEY)"
	for statement, named := range map[string]string{
		"REINDEX TABLE t": "REINDEX is not supported in a session",
		"DO $$ BEGIN EXECUTE 'CLUSTER t USING t_pkey'; EXCEPTION WHEN OTHERS THEN NULL; END $$": "CLUSTER is not supported in a session",
		"DO $$ BEGIN EXECUTE 'LOAD ''none'''; EXCEPTION WHEN OTHERS THEN NULL; END $$":          `"could not access file \"none\": No such file or directory" (58P01)`,
		"CREATE EXTENSION dblink":                                 `"extension \"dblink\" is not available" (0A000)`,
		"CREATE SUBSCRIPTION s CONNECTION 'host=x' PUBLICATION p": " has ended its connection",
	} {
		for _, at := range []isolation.Level{isolation.PgRC, isolation.SI} {
			err := refusalAt(t, schema, statement, at)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the statement %q", statement)) || !strings.Contains(err.Error(), named) {
				t.Errorf("%v: %s: got %v, want the statement and %s", at, statement, err, named)
			}
		}
	}
	for _, statement := range []string{
		"DO $$ BEGIN RAISE EXCEPTION 'a' USING ERRCODE = 'XX000'; EXCEPTION WHEN OTHERS THEN NULL; END $$",
		"SELECT count(*) FROM t GROUP BY id FOR UPDATE", // 0A000 on servers
	} {
		if err := refusalAt(t, schema, statement, isolation.PgRC); err != nil {
			t.Errorf("%s: %v, but a server says the same", statement, err)
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
	return refusalAt(t, schema, sql, isolation.PgRC)
}

func refusalAt(t *testing.T, schema, sql string, at isolation.Level) error {
	c, err := program.NewClient(t.Name(), func(q *program.Program) {
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
	if at.Database() != isolation.NoDatabase {
		if c, err = c.DatabaseAt(at.String()); err != nil {
			t.Fatal(err)
		}
	}
	defer c.Park()
	for _, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: at, All: true}).Histories() {
		if err != nil {
			return err
		}
	}
	return nil
}
