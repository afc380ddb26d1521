package proxy_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/server/proxy"
)

// A database that has something is refused, and keeps it. What a run has left that could
// not clear it is taken over. One run at a time has a database.
func TestTake(t *testing.T) {
	t.Parallel()
	_, dsn := start(t)
	for _, make := range []string{"CREATE TABLE shop (id int)", "CREATE SCHEMA shop", "CREATE FUNCTION shop() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE TYPE shop AS ENUM ('open')"} {
		execute(t, dsn, make)
		var refused *proxy.NotEmptyError
		if _, err := proxy.Take(t.Context(), dsn); !errors.As(err, &refused) || !strings.Contains(err.Error(), "shop") {
			t.Errorf("after %s: %v", make, err)
		}
		execute(t, dsn, "DROP "+strings.Join(strings.Fields(make)[1:2], "")+" shop")
	}
	first, err := proxy.Take(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proxy.Take(t.Context(), dsn); !errors.Is(err, proxy.ErrClaimed) {
		t.Errorf("a second run: %v", err)
	}
	execute(t, dsn, "CREATE TABLE account (id int)") // of a run that is killed
	execute(t, dsn, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	first.Release(context.Background())
	second, err := proxy.Take(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Release(context.Background()); err != nil {
		t.Error(err)
	}
	if left := execute(t, dsn, "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"); len(left) != 1 || left[0] != "public" {
		t.Errorf("the schemas that are left: %q", left)
	}
}

// A user who may not turn triggers off gets the same outcomes: schema and seed run again
// for each execution. So they do after a session that has changed definitions.
func TestRebuilds(t *testing.T) {
	deadlinetest.Long(t)
	server, dsn := alone(t)
	two := sessions(accounts, inTx(`UPDATE account SET balance = balance - 70 WHERE id = 1`), inTx(`UPDATE account SET balance = balance * 2 WHERE id = 1`))
	outcomes := func(dsn string) int64 {
		claim(t, dsn)
		e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), two, isolation.PgRC)
		if err := e.only(t); err != nil {
			t.Fatal(err.Message)
		}
		return of[*report.Result](e)[0].Outcomes
	}
	if n := outcomes(dsn); n != 2 {
		t.Errorf("%d outcomes, want 2", n)
	}
	execute(t, server.DSN("postgres"), "CREATE ROLE plain LOGIN")
	execute(t, server.DSN("postgres"), "CREATE DATABASE txmc_plain OWNER plain")
	if n := outcomes(strings.Replace(server.DSN("txmc_plain"), "user=postgres", "user=plain", 1)); n != 2 {
		t.Errorf("%d outcomes for a user without rights, want 2", n)
	}
	changes := sessions(accounts, exec(`ALTER TABLE account ADD COLUMN note text`), exec(`INSERT INTO account VALUES (3, 0, 'hers')`))
	e := onServer{at: explore.OnServer{DSN: dsn}}.run(t, t.Context(), changes, isolation.PgRC)
	if r := of[*report.Result](e); e.only(t) != nil || len(r) != 1 || r[0].Outcomes != 2 || !r[0].Complete {
		t.Errorf("sessions that change the schema: %+v, %v", r, e.only(t))
	}
}
