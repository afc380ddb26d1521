package generate

import (
	"fmt"
	"go/types"
	"path"
	"strings"

	"github.com/txmc/txmc/explore/find/source"
)

// The program that makes the schema as the application does: by functions of its own that migrate, and by what libraries
// make of its types.

// Migration says what makes an application's schema.
type Migration struct {
	Functions    []*types.Func     // that take ways to the database alone
	Constructors []*types.Func     // that make values, and the schema before
	Library      types.Type        // the way to the database of the library that makes tables of types; nil: there is none
	Models       []*types.TypeName // these types
	Before       []string          // statements that the server has run before
	Pq           bool              // the application's driver for PostgreSQL is lib/pq, which gives texts of all arguments to the server
}

// SchemaProgram is the name of the program that makes the schema.
const SchemaProgram = "ExploreSchema"

// Migrates adds that program. It keeps what is sent, and asks nothing.
func (f *File) Migrates(m Migration) error {
	var b strings.Builder
	for _, sql := range m.Before {
		fmt.Fprintf(&b, "\t\tmust(db.Open(s).Exec(%s))\n", literal(sql))
	}
	for _, fn := range m.Functions {
		args, err := f.given(fn.Type().(*types.Signature))
		if err != nil {
			continue
		}
		call := fmt.Sprintf("%s.%s(%s)", f.qualify(fn.Pkg()), fn.Name(), strings.Join(args, ", "))
		if fn.Type().(*types.Signature).Results().Len() == 0 {
			call += "; return nil"
		} else {
			call = "return " + call
		}
		fmt.Fprintf(&b, "\t\ttries(%q, func() error { %s })\n", fn.Pkg().Name()+"."+fn.Name(), call)
	}
	for _, fn := range m.Constructors {
		sig := fn.Type().(*types.Signature)
		args, err := f.given(sig)
		if err != nil || source.Taken(sig) == "" {
			continue
		}
		made := f.took(sig, fmt.Sprintf("%s.%s(%s)", f.qualify(fn.Pkg()), fn.Name(), strings.Join(args, ", ")))
		fmt.Fprintf(&b, "\t\ttries(%q, func() error { _ = %s; return nil })\n", fn.Pkg().Name()+"."+fn.Name(), made)
	}
	if m.Library != nil {
		on, ok := f.handle(m.Library)
		if !ok {
			return fmt.Errorf("nothing makes a %s", m.Library)
		}
		fmt.Fprintf(&b, "\t\ton := %s\n%s", on, f.tables(m))
	}
	for _, p := range []string{"context", "database/sql", "strings"} {
		f.name(p, path.Base(p))
	}
	database := path.Base(f.databasePackage())
	fmt.Fprintf(&f.body, "\n// %s makes the schema.\nfunc %[1]s(p *txmc.Program) {\n", SchemaProgram)
	fmt.Fprintf(&f.body, "\t%s.New(p, %[1]s.SchemaRecorded(%s.To(%q)), %[1]s.SchemaDSN(func(ctx context.Context, dsn string) error {\n", database, f.record(), SchemaProgram)
	fmt.Fprintf(&f.body, "\t\tdb, s := opened(dsn), 0\n%s\t\t_, _ = db, s\n\t\treturn nil\n\t}))\n", b.String())
	f.body.WriteString("\tp.Session(\"nothing\", func(s *txmc.Session) { s.Assert(true) })\n}\n")
	open := fmt.Sprintf("must(sql.Open(%q, string(o)))", map[string]string{"pg": "pgx", "mysql": "mysql"}[database])
	if m.Pq {
		open = fmt.Sprintf("sql.OpenDB(must(%s.NewConnector(string(o))))", f.name("github.com/lib/pq", "pq"))
	}
	f.name(map[string]string{"pg": "github.com/jackc/pgx/v5", "mysql": "github.com/go-sql-driver/mysql"}[database], "driver")
	fmt.Fprintf(&f.body, schemaHelper, open, f.record(), SchemaProgram)
	if database == "pg" {
		f.body.WriteString("\n// Config returns the configuration of connections.\nfunc (o opened) Config(any) *driver.ConnConfig { return must(driver.ParseConfig(string(o))) }\n")
		f.body.WriteString("\n// Address returns the server's host and port.\nfunc (o opened) Address(s any) (string, int) { c := o.Config(s); return c.Host, int(c.Port) }\n")
	} else {
		f.body.WriteString(mysqlAddress)
	}
	return nil
}

// schemaHelper is what the program uses.
const schemaHelper = `
// opened leads to the database by its address.
type opened string

// DSN returns the address.
func (o opened) DSN(any) string { return string(o) }

// Open opens the database.
func (o opened) Open(any) *sql.DB { return %s }

// tries runs code that may fail, in part: what it has made counts.
func tries(what string, f func() error) {
	var failed any
	defer func() {
		if r := recover(); r != nil {
			failed = r
		}
		%s.Failed(%q, what, failed)
	}()
	if err := f(); err != nil {
		failed = err
	}
}
`

// mysqlAddress is how the program has the address of MySQL in parts.
const mysqlAddress = `
// Address returns the server's host and port.
func (o opened) Address(any) (host string, port int) {
	must(fmt.Sscanf(strings.Replace(must(driver.ParseDSN(string(o))).Addr, ":", " ", 1), "%s %d", &host, &port))
	return host, port
}
`

// tables are the statements in Go that make tables of types.
func (f *File) tables(m Migration) string {
	var values []string
	for _, t := range m.Models {
		values = append(values, "new("+f.qualify(t.Pkg())+"."+t.Name()+")")
	}
	all := strings.Join(values, ", ")
	switch name := types.TypeString(m.Library, nil); {
	case name == "*gorm.io/gorm.DB":
		return fmt.Sprintf("\t\tif err := on.AutoMigrate(%s); err != nil {\n\t\t\treturn err\n\t\t}\n", all)
	case name == "*github.com/jinzhu/gorm.DB":
		return fmt.Sprintf("\t\tif err := on.AutoMigrate(%s).Error; err != nil {\n\t\t\treturn err\n\t\t}\n", all)
	case strings.HasSuffix(name, "xorm.Engine"):
		return fmt.Sprintf("\t\tif err := on.Sync2(%s); err != nil {\n\t\t\treturn err\n\t\t}\n", all)
	case name == "*github.com/uptrace/bun.DB":
		var b strings.Builder
		for _, v := range values {
			fmt.Fprintf(&b, "\t\tif _, err := on.NewCreateTable().Model(%s).IfNotExists().Exec(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n", v)
		}
		return b.String()
	}
	return "\t\tif err := on.Schema.Create(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n" // of ent
}
