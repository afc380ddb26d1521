package find

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/load"
)

// A dump is found and taken as it is: what makes no table may fail.
func TestSchemaFound(t *testing.T) {
	t.Parallel()
	r := find(t, Options{Config: load.Config{Dir: "dump"}, Level: isolation.PgRC})
	if r.Schema == nil || strings.Join(r.Schema.From, " ") != "sql/schema.sql" || r.Schema.Tables != 1 {
		t.Fatalf("%+v", r.Schema)
	}
	if left := strings.Join(r.Schema.Left, "\n"); len(r.Schema.Left) != 4 || !strings.Contains(left, "schema.sql:11: ") || !strings.Contains(left, `role "shop" does not exist`) {
		t.Error(left)
	}
	if len(r.Unknown) > 0 || r.Transactions != 1 {
		t.Errorf("%+v", r)
	}
}

// The error of a schema names its file and line.
func TestSchemaFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wrong := filepath.Join(dir, "2_b.sql")
	for name, text := range map[string]string{"1_a.sql": "CREATE TABLE product (id int PRIMARY KEY, stock int);", "2_b.sql": "\n\nCREATE TABLE other (id nonsense);"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pkg, err := filepath.Abs(filepath.Join("testdata", "dump"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Find(t.Context(), Options{Config: load.Config{Dir: pkg, Temp: t.TempDir()}, Level: isolation.PgRC, Initial: Initial{Schema: []string{dir}}, Extent: Extent{Length: 4}})
	if err == nil || !strings.Contains(err.Error(), wrong+":3: ") {
		t.Error(err)
	}
}

// A schema that is not in the module is looked for in the repository around it, where it makes tables of which the code speaks.
func TestSchemaAround(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	module := filepath.Join(dir, "repository", "src", "app")
	for name, text := range map[string]string{
		"repository/README.md": "It sells.", "repository/sql/schema.sql": "CREATE TABLE product (id int PRIMARY KEY);", "repository/src/app/go.mod": "module app", "README.md": "mine", "other.sql": "CREATE TABLE other (id int);",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]int{"product": 1, "customer": 0} {
		if list := near(module, module, schema.PostgreSQL, map[string]int{table: 1}); len(list) != want {
			t.Errorf("%s: %+v", table, list)
		}
	}
}
