package proxy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/explore"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/report"
)

// TestLikeness: what a server gives as it happens to is no difference of the model, and what a
// program makes outside of its tables' rows does not stop a run.
func TestLikeness(t *testing.T) {
	const acc = "CREATE TABLE acc (id int PRIMARY KEY, n int); INSERT INTO acc VALUES (1, 0), (2, 0);"
	for _, test := range []struct {
		name, schema string
		sessions     [][]string
		level        isolation.Level
		ordered      int64 // outcomes with rows in another order
		timed        bool  // there are outcomes by other timing
	}{
		{"a foreign key to a partitioned table", `CREATE TABLE p (a int PRIMARY KEY) PARTITION BY LIST (a); CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1); INSERT INTO p VALUES (1);
			CREATE TABLE c (a int REFERENCES p);`, [][]string{{"DELETE FROM p WHERE a = 1"}, {"INSERT INTO c VALUES (1)"}}, isolation.PgRC, 0, false},
		{"a foreign key of a partitioned table", `CREATE TABLE p (a int PRIMARY KEY); INSERT INTO p VALUES (1);
			CREATE TABLE c (a int REFERENCES p) PARTITION BY LIST (a); CREATE TABLE c1 PARTITION OF c FOR VALUES IN (1);`, [][]string{{"DELETE FROM p WHERE a = 1"}, {"INSERT INTO c VALUES (1)"}}, isolation.PgRC, 0, false},
		{"roles", acc + "CREATE ROLE likeness_a; CREATE ROLE likeness_b IN ROLE likeness_a; GRANT ALL ON acc TO likeness_a;",
			[][]string{{"SET ROLE likeness_b; UPDATE acc SET n = n + 1"}, {"SELECT n FROM acc WHERE id = 1"}}, isolation.PgRC, 0, false},
		{"a deferrable transaction behind earlier ones", acc, [][]string{
			{"BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE", "SELECT id, n FROM acc ORDER BY id", "COMMIT"},
			{"BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT n FROM acc WHERE id = 2", "UPDATE acc SET n = n + 1 WHERE id = 1", "COMMIT"},
			{"BEGIN ISOLATION LEVEL SERIALIZABLE", "UPDATE acc SET n = n + 1 WHERE id = 2", "COMMIT"}}, isolation.PgSer, 0, false},
		{"a seed of many rows", acc + "INSERT INTO acc SELECT g, 0 FROM generate_series(3, 1500) g;", [][]string{{"UPDATE acc SET n = 1 WHERE id = 1"}, {"SELECT sum(n) FROM acc"}}, isolation.PgRC, 0, false},
		{"numbers of transactions", acc, [][]string{{"UPDATE acc SET n = 1 WHERE id = 1"}, {"SELECT xmin, ctid, n FROM acc ORDER BY id"}}, isolation.PgRC, 0, false},
		{"rows in an order of the plan", acc + "INSERT INTO acc SELECT g, g % 7 FROM generate_series(3, 40) g; CREATE TABLE o (id int); INSERT INTO o VALUES (33), (7), (20);",
			[][]string{{"SELECT a.id, b.id FROM acc a JOIN o ON a.id = o.id JOIN acc b ON b.n = a.n"}, {"UPDATE acc SET n = 3 WHERE id = 5"}}, isolation.PgRC, 2, false},
		{"a time limit that always ends the wait", acc, [][]string{
			{"BEGIN", "UPDATE acc SET n = n * 2 + 1 WHERE id = 1", "INSERT INTO acc VALUES (3, 0)", "COMMIT"}, {"SET lock_timeout = 1", "UPDATE acc SET n = n + 2"}}, isolation.PgRC, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, dsn := alone(t)
			claim(t, dsn)
			for range 2 { // what outlives a program would be in the way of the next one
				e := onServer{at: explore.OnServer{DSN: dsn, Compare: true}}.run(t, t.Context(), texts(test.schema, test.sessions), test.level)
				if err := e.only(t); err != nil {
					t.Fatal(err.Message)
				}
				c := of[*report.ServerComparison](e)[0]
				if c.Differ() > 0 || !c.Complete || c.Outcomes+c.ByOrder == 0 || c.ByOrder != test.ordered || len(c.ByTiming) > 0 != test.timed {
					t.Errorf("%d with rows in another order, %d by other timing: %s", c.ByOrder, len(c.ByTiming), (&report.Text{}).ServerComparison(c))
				}
			}
			if left := execute(t, dsn, "SELECT count(*) FROM pg_roles WHERE rolname ~ 'likeness'"); left[0] != "0" {
				t.Errorf("%s roles are left", left[0])
			}
		})
	}
}

// texts is a program whose sessions send texts of SQL.
func texts(schema string, sessions [][]string) func(*program.Program) {
	return func(p *program.Program) {
		db := pg.New(p, pg.Schema(schema))
		for i, list := range sessions {
			p.Session(fmt.Sprint("s", i), func(s *program.Session) {
				ctx := context.Background()
				conn, err := pgconn.ConnectConfig(ctx, &db.Config(s).Config)
				if err != nil {
					s.Assert(false, err)
					return
				}
				defer conn.Close(ctx)
				for _, sql := range list {
					conn.Exec(ctx, sql).ReadAll()
				}
			})
		}
	}
}
