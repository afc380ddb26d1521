package mock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dump is as pg_dump writes it: psql's own commands, a role that is not there, a setting of a
// newer version, and rows by COPY.
const dump = `--
-- PostgreSQL database dump
--

\restrict reQuvmgrWmAIaO2viHjdHVwS9VEQf1LTR9f0m2BMenispPuvtQ5Cyqce0X9tkkD

SET statement_timeout = 0;
SET some_newer_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE TABLE public.tag (
    id bigint NOT NULL,
    name text
);

ALTER TABLE public.tag OWNER TO shop;

ALTER TABLE public.tag ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.tag_id_seq
);

COPY public.tag (id, name) FROM stdin;
ROWS\.

SELECT pg_catalog.setval('public.tag_id_seq', 701, true);

ALTER TABLE ONLY public.tag ADD CONSTRAINT tag_pkey PRIMARY KEY (id);

GRANT ALL ON TABLE public.tag TO shop;

\unrestrict reQuvmgrWmAIaO2viHjdHVwS9VEQf1LTR9f0m2BMenispPuvtQ5Cyqce0X9tkkD
`

// --schema takes a dump with all its rows, and a directory of migrations, as they are.
func TestSchemaOfFiles(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	lines.WriteString("1\tit's\n2\t\\N\n")
	for range 699 {
		lines.WriteString("0\tx\\ty\n")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"dump.sql":            strings.Replace(dump, "ROWS", numbered(lines.String()), 1),
		"migrations/10_b.sql": "ALTER TABLE shop ADD COLUMN n int DEFAULT 7;\n-- +goose Down\nDROP TABLE shop;",
		"migrations/9_a.sql":  "CREATE TABLE shop (id int); INSERT INTO shop VALUES (1)\n-- +goose Down\n; DROP TABLE shop;",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dsn, stop := serve(t, &Serving{Schema: []string{filepath.Join(dir, "dump.sql"), filepath.Join(dir, "migrations")}})
	c := dial(t, dsn)
	for _, step := range []struct{ sql, want string }{
		{"SELECT count(*), count(name), min(name) FROM tag", "701 700 it's"},
		{"INSERT INTO tag (name) VALUES ('z') RETURNING id", "702"},
		{"SELECT * FROM shop", "1 7"},
	} {
		if got := answers(t, c, step.sql); got != step.want {
			t.Errorf("%s: %q, want %q", step.sql, got, step.want)
		}
	}
	if err := c.Close(t.Context()); err != nil {
		t.Error(err)
	}
	stop()
}

// numbered numbers the rows whose first column is 0.
func numbered(lines string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(lines) {
		n++
		if rest, ok := strings.CutPrefix(line, "0\t"); ok {
			line = fmt.Sprintf("%d\t%s", n, rest)
		}
		b.WriteString(line)
	}
	return b.String()
}
