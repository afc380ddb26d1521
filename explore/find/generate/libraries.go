package generate

import (
	"fmt"
	"go/types"

	"github.com/txmc/txmc/explore/find/access"
)

// Ways to the database of libraries that are the same on both databases, but for the name of the dialect.

// libraryHandle is an expression of such a type in the session s.
func (f *File) libraryHandle(t types.Type) (string, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if p, pointer := types.Unalias(t).(*types.Pointer); pointer {
		n, ok = types.Unalias(p.Elem()).(*types.Named)
	}
	if !ok || n.Obj().Pkg() == nil {
		return "", false
	}
	dialect := map[access.Dialect]string{access.PostgreSQL: "postgres", access.MySQL: "mysql"}[f.dialect]
	switch full := types.TypeString(t, nil); full {
	case "*github.com/go-ozzo/ozzo-dbx.DB":
		return fmt.Sprintf("%s.NewFromDB(db.Open(s), %q)", f.qualify(n.Obj().Pkg()), dialect), true
	case "*github.com/doug-martin/goqu/v9.Database":
		return fmt.Sprintf("%s.New(%q, db.Open(s))", f.qualify(n.Obj().Pkg()), dialect), true
	case "github.com/zeromicro/go-zero/core/stores/sqlx.SqlConn":
		return fmt.Sprintf("%s.NewSqlConnFromDB(db.Open(s))", f.qualify(n.Obj().Pkg())), true
	case "*github.com/go-pg/pg/v10.DB", "*github.com/go-pg/pg/v9.DB", "*github.com/go-pg/pg.DB":
		if f.dialect == access.PostgreSQL {
			return fmt.Sprintf("%s.Connect(&%[1]s.Options{Addr: address(db.Address(s)), User: \"app\", Database: \"app\"})", f.qualify(n.Obj().Pkg())), true
		}
	case "*github.com/jackc/pgx/v4/pgxpool.Pool", "*github.com/jackc/pgx/v4.Conn":
		if f.dialect == access.PostgreSQL {
			return fmt.Sprintf("must(%s.Connect(%s.Background(), db.DSN(s)))", f.qualify(n.Obj().Pkg()), f.name("context", "context")), true
		}
	}
	return "", false
}

// builder is a value of a library that makes texts of statements.
func (f *File) builder(t types.Type) (string, bool) {
	switch types.TypeString(t, nil) {
	case "github.com/Masterminds/squirrel.StatementBuilderType":
		squirrel := f.name("github.com/Masterminds/squirrel", "squirrel")
		if f.dialect == access.MySQL {
			return squirrel + ".StatementBuilder", true
		}
		return fmt.Sprintf("%s.StatementBuilder.PlaceholderFormat(%[1]s.Dollar)", squirrel), true
	case "github.com/doug-martin/goqu/v9.DialectWrapper":
		return fmt.Sprintf("%s.Dialect(%q)", f.name("github.com/doug-martin/goqu/v9", "goqu"), f.driver(nil)), true
	}
	return "", false
}
