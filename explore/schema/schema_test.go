package schema

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/program/rows"
)

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The schema is found by the usual names and forms, for the database that is asked for.
func TestFind(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE IF NOT EXISTS public.orders (id bigserial PRIMARY KEY);\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		db    Dialect
		want  string // path: scripts
	}{
		{"golang-migrate", map[string]string{"db/migrations/000002_b.up.sql": "B", "db/migrations/000001_a.up.sql": table, "db/migrations/000001_a.down.sql": "DROP TABLE orders"}, PostgreSQL, "db/migrations: 000001_a.up.sql 000002_b.up.sql"},
		{"goose", map[string]string{"sql/20240101_a.sql": "-- +goose Up\n" + table + "-- +goose Down\nDROP TABLE orders;", "sql/20240102_b.sql": "B"}, PostgreSQL, "sql: 20240101_a.sql 20240102_b.sql"},
		{"flyway", map[string]string{"m/V1.10__c.sql": "C", "m/V1.2__b.sql": "B", "m/V1.1__a.sql": table, "m/U1.1__a.sql": "no", "m/R__v.sql": "R"}, PostgreSQL, "m: V1.1__a.sql V1.2__b.sql V1.10__c.sql R__v.sql"},
		{"dbmate", map[string]string{"db/migrations/1_a.sql": "-- migrate:up\n" + table + "\n-- migrate:down\nDROP TABLE orders", "db/schema.sql": table}, PostgreSQL, "db/migrations: 1_a.sql"},
		{"both databases", map[string]string{"mysql/1_a.sql": "CREATE TABLE `orders` (id INT AUTO_INCREMENT)", "pg/1_a.sql": table}, MySQL, "mysql: 1_a.sql"},
		{"a container's", map[string]string{"docker-entrypoint-initdb.d/start.sql": table, "vendor/x/1_a.sql": table}, PostgreSQL, "docker-entrypoint-initdb.d/start.sql: start.sql"},
		{"SQLite's", map[string]string{"schema.sql": "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"}, PostgreSQL, ""},
		{"queries", map[string]string{"query/orders.sql": "-- name: Get :one\nSELECT * FROM orders"}, PostgreSQL, ""},
	} {
		got := ""
		if list := Find(tree(t, c.files), c.db); len(list) > 0 {
			var names []string
			for _, s := range list[0].Scripts {
				names = append(names, filepath.Base(s.Name))
			}
			got = list[0].Path + ": " + strings.Join(names, " ")
			if diff := cmp.Diff([]string{"orders"}, list[0].Tables); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// The commands of psql go, and rows are statements; each line stays where it is.
func TestPlain(t *testing.T) {
	t.Parallel()
	got := Plain("\\restrict x\nCREATE TABLE t (a int);\nCOPY public.t (a, b) FROM stdin;\n1\tit's\\ta\n2\t\\N\n\\.\n\\unrestrict x\n")
	want := "\nCREATE TABLE t (a int);\n\nINSERT INTO public.t (a, b) OVERRIDING SYSTEM VALUE VALUES (E'1', E'it''s\\ta');\nINSERT INTO public.t (a, b) OVERRIDING SYSTEM VALUE VALUES (E'2', NULL);\n\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	many := "COPY t FROM stdin;\n" + strings.Repeat("1\n", mostRows+1) + "\\.\n"
	if got := Plain(many); strings.TrimSpace(got) != "" || strings.Count(got, "\n") != strings.Count(many, "\n") {
		t.Errorf("many rows: %q", got)
	}
	if text := "SELECT 'from stdin'"; Plain(text) != text {
		t.Error(Plain(text))
	}
}

// What fails and makes no table is left out, the rest is an error.
func TestLeave(t *testing.T) {
	t.Parallel()
	text := "CREATE TABLE t (a int);\n-- é\nGRANT ALL ON t TO nobody;\nCREATE UNIQUE INDEX ON t (b);"
	s := &Settling{Scripts: []rows.Script{{Name: "a.sql", Text: text}}}
	failed := func(statement string) rows.Failed {
		return rows.Failed{Name: "a.sql", At: strings.Index(text, statement), Statement: statement, Err: errors.New("no")}
	}
	if s.Leave(failed("CREATE UNIQUE INDEX ON t (b)")) || !s.Leave(failed("\n-- é\nGRANT ALL ON t TO nobody")) {
		t.Error("what makes a table stays, and what does not goes")
	}
	if got, want := s.Text(), strings.Replace(text, "\n-- é\nGRANT ALL ON t TO nobody", "\n     \n                       ", 1); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") || len(got) != len(text) || len(s.Left) != 1 {
		t.Errorf("%q, not %q", got, want)
	}
}
