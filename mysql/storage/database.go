package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Database is the one database of a program. Its definitions change only before the
// sessions run.
type Database struct {
	name      string
	other     string          // the name that the schema gives it, in lower case
	tables    map[string]*Def // by their names in lower case
	foreign   []sql.ForeignKeyConstraint
	views     map[string]sql.ViewDefinition
	triggers  []sql.TriggerDefinition
	collation sql.CollationID
}

// NewDatabase returns a database without tables.
func NewDatabase(name string, collation sql.CollationID) *Database {
	return &Database{name: name, tables: map[string]*Def{}, views: map[string]sql.ViewDefinition{}, collation: collation}
}

var (
	_ sql.TableCreator     = (*Database)(nil)
	_ sql.TableDropper     = (*Database)(nil)
	_ sql.TableRenamer     = (*Database)(nil)
	_ sql.ViewDatabase     = (*Database)(nil)
	_ sql.TriggerDatabase  = (*Database)(nil)
	_ sql.CollatedDatabase = (*Database)(nil)
)

// Called makes a name that the schema gives its database one more name of it. It reports false
// where there is another such name.
func (d *Database) Called(name string) bool {
	if d.Is(name) {
		return true
	}
	if d.other != "" {
		return false
	}
	d.other = strings.ToLower(name)
	return true
}

// Is reports whether the database has this name.
func (d *Database) Is(name string) bool {
	return strings.EqualFold(name, d.name) || d.other != "" && strings.EqualFold(name, d.other)
}

// Other is the name that the schema gives the database; "" for none.
func (d *Database) Other() string { return d.other }

// Name implements sql.Database.
func (d *Database) Name() string { return d.name }

// GetTableInsensitive implements sql.Database.
func (d *Database) GetTableInsensitive(_ *sql.Context, name string) (sql.Table, bool, error) {
	def, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return &Table{def: def}, true, nil
}

// GetTableNames implements sql.Database.
func (d *Database) GetTableNames(*sql.Context) (names []string, err error) {
	for _, def := range d.tables {
		names = append(names, def.name)
	}
	slices.Sort(names)
	return names, nil
}

// CreateTable implements sql.TableCreator.
func (d *Database) CreateTable(_ *sql.Context, name string, schema sql.PrimaryKeySchema, collation sql.CollationID, comment string) error {
	key := strings.ToLower(name)
	if d.tables[key] != nil {
		return sql.ErrTableAlreadyExists.New(name)
	}
	d.tables[key] = newDef(d, name, schema, collation, comment)
	for _, c := range schema.Schema {
		d.tables[key].define("", c)
	}
	return nil
}

// DropTable implements sql.TableDropper. It takes the table's foreign keys along.
func (d *Database) DropTable(_ *sql.Context, name string) error {
	key := strings.ToLower(name)
	if d.tables[key] == nil {
		return sql.ErrTableNotFound.New(name)
	}
	delete(d.tables, key)
	d.foreign = slices.DeleteFunc(d.foreign, func(f sql.ForeignKeyConstraint) bool { return strings.EqualFold(f.Table, name) })
	return nil
}

// RenameTable implements sql.TableRenamer.
func (d *Database) RenameTable(ctx *sql.Context, from, to string) error {
	def := d.tables[strings.ToLower(from)]
	if def == nil {
		return sql.ErrTableNotFound.New(from)
	}
	if d.tables[strings.ToLower(to)] != nil {
		return sql.ErrTableAlreadyExists.New(to)
	}
	return runOf(ctx).rewrite(def, func() error {
		delete(d.tables, strings.ToLower(from))
		d.tables[strings.ToLower(to)] = def
		def.rename(to)
		for i := range d.foreign {
			f := &d.foreign[i]
			if strings.EqualFold(f.Table, from) {
				f.Table = to
			}
			if strings.EqualFold(f.ParentTable, from) {
				f.ParentTable = to
			}
		}
		return nil
	}, same)
}

// CreateView implements sql.ViewDatabase.
func (d *Database) CreateView(ctx *sql.Context, name, text, create string) error {
	d.views[strings.ToLower(name)] = sql.ViewDefinition{Name: name, TextDefinition: text, CreateViewStatement: create, SqlMode: sql.LoadSqlMode(ctx).String()}
	return nil
}

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(_ *sql.Context, name string) error {
	delete(d.views, strings.ToLower(name))
	return nil
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *Database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	v, ok := d.views[strings.ToLower(name)]
	return v, ok, nil
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(*sql.Context) (views []sql.ViewDefinition, err error) {
	for _, v := range d.views {
		views = append(views, v)
	}
	slices.SortFunc(views, func(a, b sql.ViewDefinition) int { return strings.Compare(a.Name, b.Name) })
	return views, nil
}

// GetTriggers implements sql.TriggerDatabase.
func (d *Database) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return d.triggers, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (d *Database) CreateTrigger(_ *sql.Context, t sql.TriggerDefinition) error {
	d.triggers = append(d.triggers, t)
	return nil
}

// DropTrigger implements sql.TriggerDatabase.
func (d *Database) DropTrigger(_ *sql.Context, name string) error {
	i := slices.IndexFunc(d.triggers, func(t sql.TriggerDefinition) bool { return strings.EqualFold(t.Name, name) })
	if i < 0 {
		return sql.ErrTriggerDoesNotExist.New(name)
	}
	d.triggers = slices.Delete(d.triggers, i, i+1)
	return nil
}

// GetCollation implements sql.CollatedDatabase.
func (d *Database) GetCollation(*sql.Context) sql.CollationID { return d.collation }

// SetCollation implements sql.CollatedDatabase.
func (d *Database) SetCollation(_ *sql.Context, c sql.CollationID) error {
	d.collation = c
	return nil
}

// Provider is the server's list of databases: the one.
type Provider struct{ Only *Database }

// Database implements sql.DatabaseProvider.
func (p Provider) Database(_ *sql.Context, name string) (sql.Database, error) {
	if p.Only.Is(name) {
		return p.Only, nil
	}
	return nil, sql.ErrDatabaseNotFound.New(name)
}

// HasDatabase implements sql.DatabaseProvider.
func (p Provider) HasDatabase(_ *sql.Context, name string) bool {
	return p.Only.Is(name)
}

// AllDatabases implements sql.DatabaseProvider.
func (p Provider) AllDatabases(*sql.Context) []sql.Database { return []sql.Database{p.Only} }

// TypeOf is the type that a column has in some of these tables, in lower case. It is nil where
// no table has the column, or where the types differ.
func (d *Database) TypeOf(tables map[string]bool, column string) (t sql.Type) {
	for name := range tables {
		def := d.tables[name]
		if def == nil {
			continue
		}
		i := slices.IndexFunc(def.schema.Schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, column) })
		if i < 0 {
			continue
		}
		if t != nil && !t.Equals(def.schema.Schema[i].Type) {
			return nil
		}
		t = def.schema.Schema[i].Type
	}
	return t
}

// Text is the type of the texts of a column of these tables, as TypeOf has it; nil where it is no
// text of Unicode's characters.
func (d *Database) Text(tables map[string]bool, column string) sql.StringType {
	t, is := d.TypeOf(tables, column).(sql.StringType)
	if !is || t.CharacterSet() != sql.CharacterSet_utf8mb4 && t.CharacterSet() != sql.CharacterSet_utf8mb3 {
		return nil
	}
	return t
}

// HasColumn reports whether one of these tables, in lower case, has a column of a type.
func (d *Database) HasColumn(tables map[string]bool, is func(sql.Type) bool) bool {
	for name := range tables {
		if def := d.tables[name]; def != nil && slices.ContainsFunc(def.schema.Schema, func(c *sql.Column) bool { return is(c.Type) }) {
			return true
		}
	}
	return false
}

// Fills reports whether an INSERT that gives a table these columns, or with nil all of them, leaves out none that
// has no default value.
func (d *Database) Fills(table string, columns map[string]string) bool {
	def := d.tables[strings.ToLower(table)]
	if def == nil || columns == nil {
		return def != nil
	}
	given := map[string]bool{}
	for _, name := range columns {
		given[strings.ToLower(name)] = true
	}
	return !slices.ContainsFunc(def.schema.Schema, func(c *sql.Column) bool {
		return !given[strings.ToLower(c.Name)] && !c.Nullable && c.Default == nil && c.Generated == nil && !c.AutoIncrement
	})
}
