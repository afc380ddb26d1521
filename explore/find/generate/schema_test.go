package generate

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
)

// The schema is made with the application's driver: lib/pq sends texts of arguments that pgx refuses. What a migration
// returns is told.
func TestMigrates(t *testing.T) {
	app := types.NewPackage("example.com/shop", "shop")
	database := types.NewPackage("database/sql", "sql")
	db := types.NewPointer(types.NewNamed(types.NewTypeName(token.NoPos, database, "DB", nil), types.NewStruct(nil, nil), nil))
	failure := types.Universe.Lookup("error").Type()
	function := func(name string, results ...*types.Var) *types.Func {
		params := types.NewTuple(types.NewVar(token.NoPos, app, "db", db))
		return types.NewFunc(token.NoPos, app, name, types.NewSignatureType(nil, nil, nil, params, types.NewTuple(results...), false))
	}
	m := Migration{Functions: []*types.Func{function("Migrate", types.NewVar(token.NoPos, app, "", failure)), function("Setup")}}
	for pq, open := range map[bool]string{false: `sql.Open("pgx", string(o))`, true: "sql.OpenDB(must(pq.NewConnector(string(o))))"} {
		f := NewFile("p", "", access.PostgreSQL)
		m.Pq = pq
		if err := f.Migrates(m); err != nil {
			t.Fatal(err)
		}
		text, err := f.Source()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			open, `tries("shop.Migrate", func() error { return shop.Migrate(db.Open(s)) })`, `tries("shop.Setup", func() error { shop.Setup(db.Open(s)); return nil })`, `.Failed("ExploreSchema", what, failed)`,
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
	}
}
