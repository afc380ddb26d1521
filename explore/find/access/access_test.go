package access

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/pg"
)

const schemaSQL = `
CREATE TABLE acct (id int PRIMARY KEY, owner text NOT NULL UNIQUE, bal int NOT NULL DEFAULT 0);
CREATE TABLE log (id bigserial PRIMARY KEY, a int REFERENCES acct ON DELETE CASCADE, n int);
CREATE VIEW rich AS SELECT * FROM acct WHERE bal > 10;`

// tableOf is the table of a name.
func tableOf(a *Analyser, name string) *Table {
	return a.Tables[slices.IndexFunc(a.Tables, func(t *Table) bool { return t.Name == name })]
}

// inWords are the accesses of a statement in short.
func inWords(e *Effect) string {
	var list []string
	for _, a := range e.Accesses {
		text := fmt.Sprintf("%s %s(", [...]string{"read", "insert", "update", "delete"}[a.Kind], a.Table.Name)
		for i, c := range a.Columns {
			if i > 0 {
				text += " "
			}
			text += a.Table.Columns[c].Name
		}
		text += ")"
		for _, c := range slices.Sorted(maps.Keys(a.Bound)) {
			value := a.Bound[c].Const
			if a.Bound[c].Param > 0 {
				value = fmt.Sprint("$", a.Bound[c].Param)
			}
			text += " " + a.Table.Columns[c].Name + "=" + value
		}
		for _, mark := range []struct {
			is   bool
			word string
		}{{a.Exact, "one"}, {a.Lock != NoLock, "locks"}, {a.Check, "key"}} {
			if mark.is {
				text += " " + mark.word
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// What PostgreSQL says of statements, as accesses.
func TestAnalyse(t *testing.T) {
	a, err := New(t.Context(), pg.Schema(schemaSQL))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, test := range []struct{ sql, want string }{
		{"SELECT bal FROM acct WHERE id = $1", "read acct(id bal) id=$1 one"},
		{"SELECT bal FROM acct WHERE id = 7 FOR UPDATE", "read acct(id bal) id=7 one locks"},
		{"SELECT bal FROM acct WHERE owner = 'it''s' AND bal > $1", "read acct(owner bal) owner='it''s' one"},
		{"SELECT count(*) FROM log WHERE a = $1 OR n = 2", "read log(a n)"},
		{"UPDATE acct SET bal = bal - $1 WHERE id = $2 AND bal >= $1", "read acct(id bal) id=$2 one locks; update acct(bal) id=$2 one"},
		{"INSERT INTO log (a, n) VALUES ($1, 2)", "insert log(id a n) a=$1 n=2; read acct(id) id=$1 one locks key"},
		{"INSERT INTO acct (id, owner) VALUES ($1, $2) ON CONFLICT (owner) DO UPDATE SET bal = acct.bal + 1",
			"insert acct(id owner bal) id=$1 owner=$2 bal=0; read acct(owner bal) owner=$2 one locks; update acct(bal) owner=$2 one"},
		{"DELETE FROM acct WHERE id = $1", "read acct(id) id=$1 one locks; delete acct(id owner bal) id=$1 one; delete log(id a n) a=$1 key"},
		{"SELECT l.n FROM acct x JOIN log l ON l.a = x.id WHERE x.id = $1", "read acct(id) id=$1 one; read log(a n) a=$1"},
		{"SELECT l.n FROM acct x LEFT JOIN log l ON l.a = x.id AND l.n = $2 WHERE x.id = $1", "read acct(id) id=$1 one; read log(a n)"},
		{"SELECT owner FROM rich", "read acct(id owner bal)"},
		{"SELECT 1 FROM acct WHERE EXISTS (SELECT FROM log WHERE a = $1)", "read acct(); read log(a) a=$1"},
		{"WITH gone AS (DELETE FROM log WHERE id = $1 RETURNING a) UPDATE acct SET bal = 0 FROM gone WHERE acct.id = gone.a",
			"read acct(id) locks; update acct(bal); read log(id a) id=$1 one locks; delete log(id a n) id=$1 one"},
	} {
		e, err := a.Analyse(t.Context(), test.sql)
		if err != nil {
			t.Errorf("%s: %v", test.sql, err)
		} else if got := inWords(e); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.sql, got, test.want)
		}
	}
	for sql, want := range map[string]string{
		"SELECT bal FROM accounts": `relation "accounts" does not exist`,
		"SELEC 1":                  "syntax error",
		"VACUUM":                   "no statement that reads or writes rows",
	} {
		if _, err := a.Analyse(t.Context(), sql); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// The columns to which statements only add: nothing else reads or watches them.
func TestAdds(t *testing.T) {
	a, err := New(t.Context(), pg.Schema(`CREATE TABLE t (id int PRIMARY KEY, a int, b bigint, c numeric, d numeric(6, 1), e int CHECK (e > 0), f real, u int UNIQUE, p int, g int GENERATED ALWAYS AS IDENTITY);
		CREATE TABLE partial (a int, b int); CREATE UNIQUE INDEX ON partial (b) WHERE a > 0;
		CREATE TABLE made (a int, b int GENERATED ALWAYS AS (a * 2) STORED);
		CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TABLE fires (a int); CREATE TRIGGER fire AFTER UPDATE ON fires FOR EACH ROW EXECUTE FUNCTION f();
		CREATE VIEW seen AS SELECT id, a FROM t;`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for sql, want := range map[string]string{
		"UPDATE t SET a = a + $1 WHERE id = $2":                            "a",
		"UPDATE t SET a = 1 + a, b = b - ($1 * 2), c = c + 1.5":            "a b c",
		"UPDATE t SET a = a + 1, b = $1 WHERE id = 1":                      "a",
		"UPDATE t SET a = a + 1 WHERE id = 1 RETURNING id":                 "a",
		"UPDATE t SET a = a + 1 RETURNING a":                               "",
		"UPDATE t SET a = a + 1 RETURNING t":                               "",
		"UPDATE t SET a = a + 1 WHERE a > 0":                               "",
		"UPDATE t SET a = a + 1, b = a":                                    "",
		"UPDATE t SET a = $1 - a":                                          "",
		"UPDATE t SET a = a * 2":                                           "",
		"UPDATE t SET a = a + p":                                           "",
		"UPDATE t SET a = a + a":                                           "",
		"UPDATE t SET a = p + 1":                                           "",
		"UPDATE t SET a = a + random()::int":                               "",
		"UPDATE t SET a = a + (SELECT 1)":                                  "",
		"UPDATE t SET a = t.a + 1 FROM made WHERE made.b = t.id":           "",
		"UPDATE t SET a = a + 1.5":                                         "",
		"UPDATE t SET d = d + 1, e = e + 1, f = f + 1, u = u + 1":          "",
		"UPDATE partial SET b = b + 1":                                     "",
		"UPDATE partial SET a = a + 1":                                     "",
		"UPDATE made SET a = a + 1":                                        "",
		"UPDATE fires SET a = a + 1":                                       "",
		"UPDATE seen SET a = a + 1 WHERE id = $1":                          "",
		"UPDATE t SET a = a + 1 WHERE EXISTS (SELECT FROM made WHERE b=1)": "",
	} {
		e, err := a.Analyse(t.Context(), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		got := ""
		for _, x := range e.Accesses {
			if x.Kind == Update {
				for _, c := range x.Adds {
					got = strings.TrimSpace(got + " " + x.Table.Columns[c].Name)
				}
			}
		}
		if got != want {
			t.Errorf("%s: adds to %q, not %q", sql, got, want)
		}
	}
}

// The catalog has what rows are made of.
func TestCatalog(t *testing.T) {
	a, err := New(t.Context(), pg.Schema(schemaSQL+`CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE SCHEMA s; CREATE TABLE s.t (x mood, y int, UNIQUE (y, x))`))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	log, other := tableOf(a, "log"), tableOf(a, "s.t")
	if log == nil || other == nil || len(a.Tables) != 3 {
		t.Fatal(a.Tables)
	}
	if f := log.Foreign; len(f) != 1 || f[0].To != tableOf(a, "acct") || f[0].Action != 'c' || log.Columns[0].Sequence == "" {
		t.Errorf("%+v", log)
	}
	if got := fmt.Sprint(other.Columns[0].Labels, other.Key(), other.Alone(1), other.Identifies(0)); got != "[sad ok] [1 0] false true" {
		t.Error(got)
	}
	if err := a.Try(t.Context(), "INSERT INTO acct VALUES (1, 'a')"); err != nil {
		t.Error(err)
	}
	if err := a.Try(t.Context(), "INSERT INTO log (a) VALUES (1)"); err == nil {
		t.Error("a row of what was tried before is there")
	}
}

// A damaged text is an error.
func TestParse(t *testing.T) {
	for _, text := range []string{"", "(", "{QUERY :a", "{QUERY :a 1}}", "{QUERY :a (b 1", ")", "{", `{A :b "`} {
		if v, err := parse(text); err == nil && text != ")" {
			t.Errorf("%q: %v", text, v)
		}
	}
	v, err := parse(`({A :x (b 8 10) :y "a b" :z 4 [ 1 0 -1 0 ] :n {B :m -2} :e <>})`)
	if err != nil {
		t.Fatal(err)
	}
	n := v.(list)[0].(*node)
	if got := fmt.Sprint(n.name, n.set("x"), n.word("y"), n.child("n").number("m"), n.child("e") == nil); got != "A[8 10]a b-2 true" {
		t.Error(got)
	}
}
