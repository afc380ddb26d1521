package storage

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/mysql/model"
)

// A statement may name a table several times, and do something else to it each time. What it does
// is written into the statement itself, behind the name, as the engine's AS OF. The engine asks
// for a table by its name and that text: so each place of a plan has a table that knows it.

// Reference is one place in which a statement names a table.
type Reference struct {
	Lock
	Locks  bool // by a locking clause, or because the statement changes the rows
	Target bool // UPDATE or DELETE changes the rows
	Semi   bool // UPDATE of this table alone does
	Query  bool // it is in a SELECT; else in a statement that changes rows, or sets variables
	InTrigger
	Single bool     // it is the only table of its SELECT
	Early  bool     // a server may read a row of it while it plans: it is not the one table of an UPDATE or a DELETE
	Nth    int      // place of the name in the statement
	Sets   []string `json:",omitempty"` // UPDATE: the columns that it sets, in lower case
	Hint   *Hint    `json:",omitempty"`
	Naming
}

// InTrigger says of a place in a trigger what the trigger does.
type InTrigger struct {
	Fired  bool // it is in a trigger
	Opened bool // the trigger also writes the table by the same name
}

// Naming is the columns that a SELECT, or another statement, names.
type Naming struct {
	Columns []string `json:",omitempty"` // in lower case
	Star    bool     // it names all columns
	Order   []string `json:",omitempty"` // of its ORDER BY, in lower case; "" for an expression
}

// Lock is how a statement locks the rows of a table.
type Lock struct{ Shared, SkipLocked, NoWait bool }

// mark begins the text of a reference.
const mark = "txmc "

// Text is the reference as a text.
func (r *Reference) Text() string {
	text, _ := json.Marshal(r) // a struct of flags and texts has no value that fails
	return mark + string(text)
}

// referenceOf is the reference that has a text; false where the text is the user's.
func referenceOf(asOf any) (*Reference, bool) {
	text, _ := asOf.(string)
	rest, is := strings.CutPrefix(text, mark)
	if !is {
		return nil, false
	}
	r := &Reference{}
	return r, json.Unmarshal([]byte(rest), r) == nil
}

var _ sql.VersionedDatabase = (*Database)(nil)

// GetTableInsensitiveAsOf implements sql.VersionedDatabase: the table in one place of a statement.
func (d *Database) GetTableInsensitiveAsOf(_ *sql.Context, name string, asOf any) (sql.Table, bool, error) {
	r, is := referenceOf(asOf)
	if !is {
		return nil, false, sql.ErrAsOfNotSupported.New(d.name)
	}
	def, ok := d.tables[strings.ToLower(name)]
	if !ok {
		return nil, false, nil
	}
	return &Table{def: def, reference: r}, true, nil
}

// GetTableNamesAsOf implements sql.VersionedDatabase.
func (d *Database) GetTableNamesAsOf(ctx *sql.Context, _ any) ([]string, error) {
	return d.GetTableNames(ctx)
}

// Has reports whether a table has a column.
func (d *Database) Has(table, column string) bool {
	def := d.tables[strings.ToLower(table)]
	return def != nil && slices.ContainsFunc(def.schema.Schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, column) })
}

// nowhere is the reference of a table that no statement names: that of an INSERT, or of a check.
var nowhere = &Reference{Query: true}

// place is where the statement names the table.
func (t *Table) place() *Reference {
	if t.reference == nil {
		return nowhere
	}
	return t.reference
}

// asked is the lock that the statement asks for; false where it asks for none.
func (t *Table) asked() (Lock, bool) {
	r := t.place()
	return r.Lock, r.Locks && !t.now
}

// locking is how a scan locks rows under a model of the database; false for a scan that reads from
// the view. A SELECT without a locking clause locks at SERIALIZABLE, unless the transaction is the
// statement; in a trigger always. Other statements lock what they read, but for some at READ COMMITTED and UNCOMMITTED: see
// [Statement.Quiet]. A trigger's tables are opened once for all of its statements: one that it
// writes too is locked exclusively where it is locked at all (MariaDB's
// ha_innobase::store_lock, external_lock and start_stmt; sp_head::merge_table_list).
func (t *Table) locking(ctx *sql.Context) (Lock, bool) {
	if t.now { // by a foreign key that acts
		return Lock{}, true
	}
	if lock, locks := t.asked(); locks {
		return lock, true
	}
	r, s := t.place(), sessionOf(ctx)
	m := s.run.model
	locks := r.Opened || !m.Level().RecordsOnly() || !s.statement.Quiet
	if r.Query {
		locks = m.Level() == model.Serializable && (m.Explicit() || r.Fired)
	}
	return Lock{Shared: !r.Opened}, locks
}

// Locking reports whether a scan locks rows.
func (t *Table) Locking(ctx *sql.Context) bool {
	_, locks := t.locking(ctx)
	return locks
}

// Early reports whether a server may read a row of the table while it plans.
func (t *Table) Early() bool { return t.place().Early }

// Nth is the place of the table's name in the statement.
func (t *Table) Nth() int { return t.place().Nth }

// Used is the error of a trigger that writes a table, or locks rows of it exclusively, which the
// statement that fires it uses; nil for other scans and writes (MySQL 8.0 Reference Manual, 27.8;
// MariaDB's open_table).
func (t *Table) Used(ctx *sql.Context, inserts bool) error {
	r, s := t.place(), sessionOf(ctx)
	writes := inserts || r.Fired && (r.Target || r.Locks && !r.Shared)
	if !writes || t.now || s.statement.into(t.def) || !slices.Contains(s.statement.Named, strings.ToLower(t.def.name)) {
		return nil
	}
	return mysql.NewSQLError(1442, "HY000", "Can't update table '%s' in stored function/trigger because it is already used by statement which invoked this stored function/trigger", t.def.name)
}

// reads reports whether a scan only reads: the statement does not change the rows that it finds.
func (t *Table) reads(ctx *sql.Context) bool {
	if t.now {
		return sessionOf(ctx).statement.Into != ""
	}
	return !t.place().Target
}

// drains reports whether a scan finds all rows before the statement sees the first one, as the
// statement may write the table. An INSERT from a query inserts each row as soon as it is found, or
// buffers the query.
func (t *Table) drains(s *Session) bool {
	if t.now {
		return s.statement.into(t.def)
	}
	return !t.place().Target && s.statement.Changes && (s.statement.Into == "" || t.place().Fired)
}

// Hint is USE INDEX, FORCE INDEX, or IGNORE INDEX.
type Hint struct {
	Indexes []string // in lower case
	Ignore  bool
}

// admits reports whether a scan may use an index.
func (h *Hint) admits(name string) bool {
	return h == nil || slices.Contains(h.Indexes, strings.ToLower(name)) != h.Ignore
}

// sets reports whether an UPDATE sets a column of the index, or of the primary key:
// every index has the latter. Then rows are written when all are found (MySQL's
// is_key_used).
func (r *Reference) sets(d *Def, x *model.Index) bool {
	return slices.ContainsFunc(r.Sets, func(name string) bool {
		return slices.ContainsFunc(slices.Concat(x.Columns, d.model.Indexes[0].Columns), func(c int) bool {
			return strings.EqualFold(d.schema.Schema[c].Name, name)
		})
	})
}

// ordersNothing reports whether the columns of ORDER BY have one value each in a range of an
// index. Then a server does not order by them: so it does not go down the index.
func (n *Naming) ordersNothing(ctx *sql.Context, d *Def, columns []int, groups []Group) bool {
	if len(groups) != 1 || len(n.Order) == 0 {
		return false
	}
	first := groups[0].First()
	for _, name := range n.Order {
		place := slices.IndexFunc(columns, func(c int) bool { return strings.EqualFold(d.schema.Schema[c].Name, name) })
		if place < 0 || place >= len(first) || !OneValue(ctx, first[place]) && first[place].Type() != sql.RangeType_EqualNull {
			return false
		}
	}
	return true
}

// orders reports whether ORDER BY names one of these columns.
func (n *Naming) orders(d *Def, columns []int) bool {
	return slices.ContainsFunc(columns, func(c int) bool { return slices.Contains(n.Order, strings.ToLower(d.schema.Schema[c].Name)) })
}

// covered reports whether an index has all columns of the table that are named.
func (n *Naming) covered(d *Def, x *model.Index) bool {
	if x.Prefix != nil {
		return false
	}
	for i, c := range d.schema.Schema {
		if (n.Star || slices.Contains(n.Columns, strings.ToLower(c.Name))) && !slices.Contains(x.Columns, i) && !slices.Contains(d.model.Indexes[0].Columns, i) {
			return false
		}
	}
	return true
}
