package generate

import (
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
)

// The interface of what sqlc generates is a *sql.DB or a pool of pgx, by what its methods return.
func TestInterfaces(t *testing.T) {
	for _, test := range []struct{ method, pkg, result, want string }{
		{"ExecContext", "database/sql", "Result", "db.Open(s)"},
		{"Exec", "github.com/jackc/pgx/v5/pgconn", "CommandTag", "must(pgxpool.New(context.Background(), db.DSN(s)))"},
		{"QueryRow", "github.com/jackc/pgx/v5", "Row", "must(pgxpool.New(context.Background(), db.DSN(s)))"},
		{"Exec", "github.com/jackc/pgconn", "CommandTag", "must(pgxpool.Connect(context.Background(), db.DSN(s)))"},
		{"Exec", "example.com/other", "CommandTag", ""},
		{"Close", "github.com/jackc/pgx/v5", "Row", ""},
	} {
		pkg := types.NewPackage(test.pkg, test.pkg[strings.LastIndex(test.pkg, "/")+1:])
		result := types.NewNamed(types.NewTypeName(token.NoPos, pkg, test.result, nil), types.NewStruct(nil, nil), nil)
		sig := types.NewSignatureType(nil, nil, nil, nil, types.NewTuple(types.NewVar(token.NoPos, pkg, "", result)), false)
		i := types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, pkg, test.method, sig)}, nil).Complete()
		if got, ok := NewFile("p", "", access.PostgreSQL).handle(i); got != test.want || ok != (got != "") {
			t.Errorf("%s of %s: %q, %v", test.method, test.pkg, got, ok)
		}
		if got, _ := NewFile("p", "", access.MySQL).handle(i); strings.Contains(got, "pgx") {
			t.Errorf("%s of %s on MySQL: %q", test.method, test.pkg, got)
		}
	}
}

// Libraries have ways of their own to the database, of which some are for one database alone.
func TestLibraryHandles(t *testing.T) {
	for _, test := range []struct{ pkg, name, postgres, mysql string }{
		{"github.com/go-ozzo/ozzo-dbx", "DB", `dbx.NewFromDB(db.Open(s), "postgres")`, `dbx.NewFromDB(db.Open(s), "mysql")`},
		{"github.com/doug-martin/goqu/v9", "Database", `goqu.New("postgres", db.Open(s))`, `goqu.New("mysql", db.Open(s))`},
		{"github.com/go-pg/pg/v10", "DB", `pg2.Connect(&pg2.Options{Addr: address(db.Address(s)), User: "app", Database: "app"})`, ""},
		{"github.com/jackc/pgx/v4/pgxpool", "Pool", "must(pgxpool.Connect(context.Background(), db.DSN(s)))", ""},
		{"example.com/other", "DB", "", ""},
	} {
		name := map[string]string{"github.com/go-ozzo/ozzo-dbx": "dbx", "github.com/doug-martin/goqu/v9": "goqu", "github.com/go-pg/pg/v10": "pg", "github.com/jackc/pgx/v4/pgxpool": "pgxpool"}[test.pkg]
		pkg := types.NewPackage(test.pkg, name)
		typ := types.NewPointer(types.NewNamed(types.NewTypeName(token.NoPos, pkg, test.name, nil), types.NewStruct(nil, nil), nil))
		for dialect, want := range map[access.Dialect]string{access.PostgreSQL: test.postgres, access.MySQL: test.mysql} {
			if got, ok := NewFile("p", "", dialect).handle(typ); got != want || ok != (want != "") {
				t.Errorf("%s.%s: %q, not %q", test.pkg, test.name, got, want)
			}
		}
	}
}
