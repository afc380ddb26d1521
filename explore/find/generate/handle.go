package generate

import (
	"fmt"
	"go/types"

	"github.com/txmc/txmc/explore/find/access"
)

// Expressions for what leads to the database: handles of drivers and of libraries on them,
// and interfaces that one of those satisfies.

// Leads reports whether values of a type lead to the database: a program has them, or one of some functions makes
// them of what leads there.
func Leads(t types.Type, makers []*types.Func) bool {
	f := NewFile("", "", access.PostgreSQL)
	f.Makers = makers
	_, ok := f.leading(t)
	return ok
}

// leading is an expression of a type that leads to the database, or is made of what does.
func (f *File) leading(t types.Type) (string, bool) {
	if text, ok := f.handle(t); ok {
		return text, true
	}
	return f.layer(t, nil)
}

// handle is an expression of a type that leads to the database of the session s.
func (f *File) handle(t types.Type) (string, bool) {
	background := func() string { return f.name("context", "context") + ".Background()" }
	switch types.TypeString(t, nil) {
	case "*database/sql.DB":
		return "db.Open(s)", true
	}
	if text, ok := f.entClient(t); ok {
		return text, true
	}
	if text, ok := f.libraryHandle(t); ok {
		return text, true
	}
	if f.dialect == access.MySQL {
		if text, ok := f.mysqlHandle(t); ok {
			return text, ok
		}
		return f.opened(t)
	}
	switch types.TypeString(t, nil) {
	case "*github.com/jackc/pgx/v5/pgxpool.Pool":
		return f.pool("v5"), true
	case "*github.com/jackc/pgx/v5.Conn":
		return fmt.Sprintf("must(%s.ConnectConfig(%s, db.Config(s)))", f.name("github.com/jackc/pgx/v5", "pgx"), background()), true
	case "*github.com/jmoiron/sqlx.DB":
		return fmt.Sprintf("%s.NewDb(db.Open(s), \"pgx\")", f.name("github.com/jmoiron/sqlx", "sqlx")), true
	case "*github.com/uptrace/bun.DB", "github.com/uptrace/bun.IDB":
		return fmt.Sprintf("%s.NewDB(db.Open(s), %s.New())", f.name("github.com/uptrace/bun", "bun"), f.name("github.com/uptrace/bun/dialect/pgdialect", "pgdialect")), true
	case "*github.com/jinzhu/gorm.DB":
		return fmt.Sprintf("must(%s.Open(\"postgres\", db.Open(s)))", f.name("github.com/jinzhu/gorm", "gorm1")), true
	case "*xorm.io/xorm.Engine", "*github.com/go-xorm/xorm.Engine":
		return f.xorm(t, "pgx"), true
	case "*gorm.io/gorm.DB":
		return fmt.Sprintf("must(%s.Open(%s.New(%[2]s.Config{Conn: db.Open(s)}), %[3]s))",
			f.name("gorm.io/gorm", "gorm"), f.name("gorm.io/driver/postgres", "postgres"), f.gormConfig()), true
	}
	return f.opened(t)
}

// xorm is an engine of xorm.
func (f *File) xorm(t types.Type, driver string) string {
	pkg := t.(*types.Pointer).Elem().(*types.Named).Obj().Pkg()
	return fmt.Sprintf("must(%s.NewEngine(%q, db.DSN(s)))", f.name(pkg.Path(), "xorm"), driver)
}

// entClient is a client that ent has generated, on the database.
func (f *File) entClient(t types.Type) (string, bool) {
	p, ok := t.(*types.Pointer)
	if !ok {
		return "", false
	}
	n, ok := p.Elem().(*types.Named)
	if !ok || n.Obj().Name() != "Client" || n.Obj().Pkg() == nil || !generatedByEnt(n.Obj().Pkg()) {
		return "", false
	}
	pkg := f.qualify(n.Obj().Pkg())
	dialect := map[access.Dialect]string{access.PostgreSQL: "postgres", access.MySQL: "mysql"}[f.dialect]
	return fmt.Sprintf("%s.NewClient(%[1]s.Driver(%s.OpenDB(%q, db.Open(s))))", pkg, f.name("entgo.io/ent/dialect/sql", "entsql"), dialect), true
}

// ByEnt reports whether a package has what ent generates for clients.
func ByEnt(p *types.Package) bool { return generatedByEnt(p) }

// generatedByEnt reports whether a package has what ent generates for clients.
func generatedByEnt(p *types.Package) bool {
	for _, i := range p.Imports() {
		if i.Path() == "entgo.io/ent/dialect" {
			return p.Scope().Lookup("NewClient") != nil && p.Scope().Lookup("Driver") != nil
		}
	}
	return false
}

// opened is a *sql.DB, or a pool of pgx, for an interface that it satisfies.
func (f *File) opened(t types.Type) (string, bool) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return "", false
	}
	for m := range i.Methods() {
		switch m.Name() {
		case "ExecContext", "QueryContext", "QueryRowContext": // of *sql.DB
			return "db.Open(s)", true
		case "Exec", "Query", "QueryRow":
			if version := ofPgx(m.Type().(*types.Signature)); f.dialect == access.PostgreSQL && version != "" {
				return f.pool(version), true
			}
		}
	}
	return "", false
}

// ofPgx is the version of pgx whose pool has methods that return such things, "" of others.
func ofPgx(sig *types.Signature) string {
	if sig.Results().Len() == 0 {
		return ""
	}
	switch types.TypeString(sig.Results().At(0).Type(), nil) {
	case "github.com/jackc/pgx/v5/pgconn.CommandTag", "github.com/jackc/pgx/v5.Rows", "github.com/jackc/pgx/v5.Row":
		return "v5"
	case "github.com/jackc/pgconn.CommandTag", "github.com/jackc/pgx/v4.Rows", "github.com/jackc/pgx/v4.Row":
		return "v4"
	}
	return ""
}

// pool is a pool of pgx.
func (f *File) pool(version string) string {
	open := map[string]string{"v5": "New", "v4": "Connect"}[version]
	return fmt.Sprintf("must(%s.%s(%s.Background(), db.DSN(s)))", f.name("github.com/jackc/pgx/"+version+"/pgxpool", "pgxpool"), open, f.name("context", "context"))
}
