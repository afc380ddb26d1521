package model_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/dpor/sqltest"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
)

// TestTimeLimits: where the code sets a time limit, each wait may end by it, and goes on
// otherwise. Of two limits the shorter one ends it.
func TestTimeLimits(t *testing.T) {
	t.Parallel()
	type limit struct {
		set  string // by the second session, in its transaction
		wait string // its statement that waits for the first session's
		want string // what it may be answered
	}
	var c limit
	// One client explores all, so that there is one database.
	client, err := program.NewClient(t.Name(), func(p *program.Program) {
		db := pg.New(p, pg.Schema("CREATE TABLE t (n int)"), pg.Seed("INSERT INTO t VALUES (0)"))
		p.Session("a", func(s *program.Session) {
			inTransaction(s, db, "", "SELECT pg_advisory_xact_lock(1)", "UPDATE t SET n = 1")
		})
		p.Session("b", func(s *program.Session) { s.Observe("", inTransaction(s, db, c.set, c.wait)) })
	}, program.Options{Database: true, Level: isolation.PgRC.String(), Recheck: sqltest.Recheck(t), Patience: 10 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Park()
	for _, c = range []limit{
		{"", "UPDATE t SET n = 2", "ok"},
		{"SET LOCAL lock_timeout = 0", "UPDATE t SET n = 2", "ok"},
		{"SET LOCAL lock_timeout = '2s'", "UPDATE t SET n = 2", "55P03 ok"},
		{"SET LOCAL lock_timeout = '2min'", "SELECT FROM t FOR SHARE", "55P03 ok"},
		{"SET LOCAL lock_timeout = '2s'", "LOCK TABLE t", "55P03 ok"},
		{"SET LOCAL lock_timeout = '1d'", "SELECT pg_advisory_xact_lock(1)", "55P03 ok"},
		{"SET LOCAL statement_timeout = '2s'", "UPDATE t SET n = 2", "57014 ok"},
		{"SET LOCAL statement_timeout = '2s'; SET LOCAL lock_timeout = '1s'", "UPDATE t SET n = 2", "55P03 ok"},
		{"SET LOCAL statement_timeout = '2s'; SET LOCAL lock_timeout = '2s'", "UPDATE t SET n = 2", "57014 ok"},
		{"SELECT set_config('lock_timeout', '5', true)", "UPDATE t SET n = 2", "55P03 ok"},
		{"SET LOCAL lock_timeout = '2s'", "SELECT n FROM t", "ok"},
	} {
		if err := client.Renew(); err != nil {
			t.Fatal(err)
		}
		answers := map[string]bool{}
		x := dpor.Explore(t.Context(), client, dpor.Options{Level: isolation.PgRC, All: true, List: true})
		for found, err := range x.Histories() {
			if err != nil {
				t.Fatalf("%s; %s: %v", c.set, c.wait, err)
			}
			for _, n := range found.Ends[1].Path() {
				for _, e := range n.Events {
					if e.Kind == behaviour.ObserveEvent {
						answers[fmt.Sprint(client.Value(e.Val))] = true
					}
				}
			}
		}
		if got := strings.Join(slices.Sorted(maps.Keys(answers)), " "); got != c.want {
			t.Errorf("%s; %s: %s, want %s", c.set, c.wait, got, c.want)
		}
	}
}

// inTransaction runs statements in a transaction: "ok", or the first error's SQLSTATE.
func inTransaction(s *program.Session, db *pg.DB, statements ...string) string {
	ctx := context.Background()
	conn, err := pgx.ConnectConfig(ctx, db.Config(s))
	if err != nil {
		return err.Error()
	}
	defer conn.Close(ctx)
	for _, statement := range append([]string{"BEGIN"}, append(statements, "COMMIT")...) {
		_, err := conn.PgConn().Exec(ctx, statement).ReadAll()
		var failed *pgconn.PgError
		if errors.As(err, &failed) {
			return failed.Code
		}
		if err != nil {
			return err.Error()
		}
	}
	return "ok"
}
