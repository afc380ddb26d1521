package model_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
)

// TestFunctionsOfIndexes: a function in an index that does something does it each time a row is written, in each run of
// the session, and never for a session that reads: that one has not what the function asks for. An advisory lock shows
// it, which the other writer waits for.
func TestFunctionsOfIndexes(t *testing.T) {
	t.Parallel()
	const schema = `CREATE TABLE t (k int); CREATE FUNCTION f(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
		BEGIN PERFORM pg_advisory_xact_lock(current_setting('my.x')::int); RETURN $1; END $$; CREATE UNIQUE INDEX ON t (f(k));`
	declare := func(q *program.Program) {
		db := pg.New(q, pg.Schema(schema))
		for _, x := range []struct {
			name  string
			texts []string
		}{
			{"a", []string{"SET my.x = '1'", "BEGIN", "INSERT INTO t VALUES (1)", "DELETE FROM t WHERE k = 1", "INSERT INTO t VALUES (1)", "COMMIT"}},
			{"b", []string{"SET my.x = '1'", "BEGIN", "INSERT INTO t VALUES (2)", "COMMIT"}},
			{"c", []string{"SELECT k FROM t ORDER BY k", "SELECT count(*) FROM t"}},
		} {
			q.Session(x.name, func(s *program.Session) {
				ctx := context.Background()
				conn, err := pgconn.ConnectConfig(ctx, &db.Config(s).Config)
				if err != nil {
					s.Assert(false, err)
					return
				}
				defer conn.Close(ctx)
				for _, sql := range x.texts {
					_, err := conn.Exec(ctx, sql).ReadAll()
					s.Assert(err == nil, sql, err)
				}
			})
		}
	}
	c, err := program.NewClient(t.Name(), declare, program.Options{Database: true, Level: "pg-rc", Patience: 10 * time.Minute, Recheck: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Park()
	n := 0
	for found, err := range dpor.Explore(t.Context(), c, dpor.Options{Level: isolation.PgRC, All: true, List: true}).Histories() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; len(found.Failures) > 0 {
			t.Error(found.Failures[0])
		}
	}
	if n == 0 {
		t.Error("nothing was explored")
	}
}
