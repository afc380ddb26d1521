package mock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/txmc/txmc/isolation"
)

// answers are the rows of a query, as texts.
func answers(t *testing.T, c *pgx.Conn, sql string) string {
	t.Helper()
	list, err := c.PgConn().Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var lines []string
	for _, row := range list[len(list)-1].Rows {
		var words []string
		for _, v := range row {
			words = append(words, string(v))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, ", ")
}

// Clients change the schema, alone and in transactions. Rows, sequences, settings, prepared
// statements and locks stay, and other connections see the change.
func TestClientsChangeTheSchema(t *testing.T) {
	for _, level := range []isolation.Level{isolation.PgRC, isolation.RC, isolation.SER} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			s, dsn := start(t, Options{Level: level}, accounts)
			var recorded []*Transaction
			s.Record(func(x *Transaction) { recorded = append(recorded, x) })
			a, b := dial(t, dsn), dial(t, dsn)
			says := func(c *pgx.Conn, sql, want string) {
				t.Helper()
				if got := answers(t, c, sql); got != want {
					t.Errorf("%s: %q, want %q", sql, got, want)
				}
			}
			does(t, b, "SET application_name = 'bob'; INSERT INTO log (account, amount) VALUES (1, 5); SELECT pg_advisory_lock(7)")
			if _, err := b.Prepare(t.Context(), "sum", "SELECT sum(balance) FROM account"); err != nil {
				t.Fatal(err)
			}
			does(t, a, "CREATE TABLE item (id serial PRIMARY KEY, name text UNIQUE, twice text GENERATED ALWAYS AS (name || name) STORED)")
			does(t, b, "INSERT INTO item (name) VALUES ('pen'), ('it''s \\ \"ink\"')")
			does(t, a, "ALTER TABLE account ADD COLUMN kind text DEFAULT 'cash'")
			says(b, "SELECT * FROM account ORDER BY id", "1 100 cash, 2 100 cash")
			says(b, "SELECT * FROM item ORDER BY id", `1 pen penpen, 2 it's \ "ink" it's \ "ink"it's \ "ink"`)
			says(b, "SHOW application_name", "bob")
			var sum int
			if err := b.QueryRow(t.Context(), "sum").Scan(&sum); err != nil || sum != 200 {
				t.Error(sum, err)
			}
			says(b, "INSERT INTO log (account, amount) VALUES (1, 6) RETURNING n", "2")
			says(b, "INSERT INTO item (name) VALUES ('cup') RETURNING id", "3")
			says(a, "SELECT pg_try_advisory_lock(7)", "f")
			says(b, "SELECT pg_advisory_unlock(7)", "t")

			does(t, a, "BEGIN; SET LOCAL work_mem = '5MB'; INSERT INTO item (name) VALUES ('cap')")
			does(t, a, "CREATE INDEX ON item (twice); CREATE TABLE other (x int)")
			does(t, a, "INSERT INTO other VALUES (1); COMMIT")
			says(b, "SELECT x, (SELECT count(*) FROM item) FROM other", "1 4")
			does(t, a, "BEGIN; DROP TABLE other; INSERT INTO item (name) VALUES ('no'); ROLLBACK")
			says(b, "SELECT x, (SELECT count(*) FROM item) FROM other", "1 4")
			if _, err := a.Exec(t.Context(), "CREATE TABLE other (y int)"); codeOf(err) != "42P07" {
				t.Error(err)
			}
			for range 3 { // with parameters: the extended protocol
				if _, err := b.Exec(t.Context(), "INSERT INTO other VALUES ($1)", 2); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := b.Exec(t.Context(), "DROP TABLE other", pgx.QueryExecModeCacheStatement); err != nil {
				t.Error(err)
			}
			does(t, a, "DROP TABLE IF EXISTS other")

			does(t, b, "BEGIN; UPDATE account SET balance = 0 WHERE id = 1")
			does(t, dial(t, dsn), "CREATE OR REPLACE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS 'SELECT 1'; SELECT pg_temp.f(); DROP FUNCTION IF EXISTS pg_temp.f()")
			if _, err := a.Exec(t.Context(), "DROP TABLE item"); codeOf(err) != "55006" {
				t.Errorf("beside an open transaction: %v", err)
			}
			says(a, "SELECT count(*) FROM item", "4")
			does(t, b, "COMMIT")
			does(t, a, "DROP TABLE item")
			if level != isolation.PgRC {
				last := recorded[len(recorded)-1]
				if last.Session != "schema" {
					t.Errorf("the last transaction that is recorded is %+v", last)
				}
			}
			fmt.Fprint(t.Output(), len(recorded), " transactions recorded\n")
		})
	}
}
