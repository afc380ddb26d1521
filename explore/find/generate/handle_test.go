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
