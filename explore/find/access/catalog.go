package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Catalog are the tables of a schema.
type Catalog struct {
	Tables  []*Table
	Dialect Dialect

	byID   map[int]*Table
	equals map[int]bool   // operators named =
	sums   map[int]string // + and - of whole numbers and numeric
}

// Dialect is a database's way to write SQL.
type Dialect uint8

// The dialects. MySQL's is MariaDB's too.
const (
	PostgreSQL Dialect = iota
	MySQL
)

// Table is a table of the schema.
type Table struct {
	Name    string // qualified unless in public
	Columns []*Column
	Unique  [][]int     // columns of unique indexes, the primary key first
	Foreign []Reference // to other tables
	Folds   bool        // texts that differ in case may be equal

	id       int
	Triggers []string // of the user's
}

// Column is a column of a table.
type Column struct {
	Name     string
	Type     string // as PostgreSQL formats it
	NotNull  bool
	Default  bool
	Sequence string   // that gives its values, "" without one
	Labels   []string // of an enumerated type
	// Identifier: the code has the values of this text in a type of 16 bytes, such as a UUID.
	Identifier bool
	// Form makes a value of this text of another text; nil: all texts are. Validators ask for it.
	Form func(text string) string

	dropped bool
	watched bool // a constraint, a unique index or a generated column looks at its value
}

// Reference is a foreign key.
type Reference struct {
	Columns []int // indexes of Columns
	To      *Table
	Target  []int // indexes of To.Columns
	Action  byte  // on delete: a, r, c, n or d (pg_constraint.confdeltype)
}

// Key is the primary key, or else the first unique index; nil without any.
func (t *Table) Key() []int {
	if len(t.Unique) == 0 {
		return nil
	}
	return t.Unique[0]
}

const (
	tablesSQL = `SELECT c.oid, CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END || c.relname,
		a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.atthasdef OR a.attidentity <> '', a.attisdropped,
		coalesce(CASE WHEN a.attisdropped THEN '' ELSE pg_get_serial_sequence(quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname) END, ''),
		coalesce((SELECT string_agg(e.enumlabel, chr(1) ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = a.atttypid), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
		WHERE c.relkind IN ('r', 'p') AND c.oid >= 16384 AND n.nspname NOT LIKE 'pg_%' ORDER BY c.oid, a.attnum`
	uniqueSQL  = `SELECT indrelid, indkey::text FROM pg_index WHERE indisunique AND indrelid >= 16384 AND indpred IS NULL AND indexprs IS NULL ORDER BY indisprimary DESC, indexrelid`
	foreignSQL = `SELECT conrelid, array_to_string(conkey, ' '), confrelid, array_to_string(confkey, ' '), confdeltype FROM pg_constraint WHERE contype = 'f' ORDER BY oid`
	triggerSQL = `SELECT tgrelid, tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY oid`
	equalSQL   = `SELECT oid FROM pg_operator WHERE oprname = '='`
	sumSQL     = `SELECT oid, oprname FROM pg_operator WHERE oprname IN ('+', '-') AND oprnamespace = 'pg_catalog'::regnamespace
		AND oprleft IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype) AND oprright IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)`
	// What looks at the value of columns: all of them where it is not known of which.
	watchedSQL = `SELECT conrelid, array_to_string(conkey, ' ') FROM pg_constraint WHERE contype IN ('c', 'x', 'f') AND conrelid >= 16384
		UNION ALL SELECT confrelid, array_to_string(confkey, ' ') FROM pg_constraint WHERE contype = 'f' AND confrelid >= 16384
		UNION ALL SELECT indrelid, CASE WHEN indexprs IS NULL AND indpred IS NULL THEN indkey::text ELSE '' END FROM pg_index WHERE (indisunique OR indisexclusion) AND indrelid >= 16384
		UNION ALL SELECT attrelid, '' FROM pg_attribute WHERE attgenerated <> '' AND attrelid >= 16384
		UNION ALL SELECT ev_class, '' FROM pg_rewrite WHERE ev_class >= 16384
		UNION ALL SELECT oid, '' FROM pg_class WHERE relrowsecurity AND oid >= 16384`
)

// newCatalog reads the tables.
func newCatalog(ctx context.Context, conn *pgconn.PgConn) (*Catalog, error) {
	c := &Catalog{byID: map[int]*Table{}, equals: map[int]bool{}, sums: map[int]string{}}
	for _, q := range []struct {
		sql string
		row func([]string)
	}{{tablesSQL, c.column}, {uniqueSQL, c.unique}, {foreignSQL, c.foreign}, {triggerSQL, c.trigger}, {equalSQL, c.equal}, {sumSQL, c.sum}, {watchedSQL, c.watch}} {
		results, err := conn.Exec(ctx, q.sql).ReadAll()
		if err != nil {
			return nil, fmt.Errorf("cannot read the schema: %w", err)
		}
		for _, row := range results[0].Rows {
			var texts []string
			for _, v := range row {
				texts = append(texts, string(v))
			}
			q.row(texts)
		}
	}
	return c, nil
}

func (c *Catalog) column(row []string) {
	t := c.byID[number(row[0])]
	if t == nil {
		t = &Table{Name: row[1], id: number(row[0])}
		c.Tables, c.byID[t.id] = append(c.Tables, t), t
	}
	col := &Column{Name: row[2], Type: row[3], NotNull: row[4] == "t", Default: row[5] == "t", dropped: row[6] == "t", Sequence: row[7]}
	if row[8] != "" {
		col.Labels = strings.Split(row[8], "\x01")
	}
	t.Columns = append(t.Columns, col)
}

func columns(text string) (list []int) {
	for _, w := range strings.Fields(text) {
		list = append(list, number(w)-1)
	}
	return list
}

func (c *Catalog) unique(row []string) {
	if t := c.byID[number(row[0])]; t != nil {
		t.Unique = append(t.Unique, columns(row[1]))
	}
}

func (c *Catalog) foreign(row []string) {
	from, to := c.byID[number(row[0])], c.byID[number(row[2])]
	if from != nil && to != nil {
		from.Foreign = append(from.Foreign, Reference{columns(row[1]), to, columns(row[3]), row[4][0]})
	}
}

func (c *Catalog) trigger(row []string) {
	if t := c.byID[number(row[0])]; t != nil {
		t.Triggers = append(t.Triggers, row[1])
	}
}

func (c *Catalog) equal(row []string) { c.equals[number(row[0])] = true }

func (c *Catalog) sum(row []string) { c.sums[number(row[0])] = row[1] }

// watch notes columns that something looks at; a row without any is about all of the table.
func (c *Catalog) watch(row []string) {
	t := c.byID[number(row[0])]
	if t == nil {
		return
	}
	list := columns(row[1])
	for i, col := range t.Columns {
		col.watched = col.watched || len(list) == 0 || slices.Contains(list, i)
	}
}

// Has reports whether the column is there: dropped ones keep their number.
func (t *Table) Has(column int) bool { return !t.Columns[column].dropped }

// Identifies reports whether a column tells rows apart: it is part of a unique index or
// of a foreign key.
func (t *Table) Identifies(column int) bool {
	if t.Unites(column) {
		return true
	}
	for _, f := range t.Foreign {
		if slices.Contains(f.Columns, column) {
			return true
		}
	}
	return false
}

// Unites reports whether a column is part of a unique index.
func (t *Table) Unites(column int) bool {
	return slices.ContainsFunc(t.Unique, func(key []int) bool { return slices.Contains(key, column) })
}

// Alone reports whether a column is unique by itself.
func (t *Table) Alone(column int) bool {
	return slices.ContainsFunc(t.Unique, func(key []int) bool { return len(key) == 1 && key[0] == column })
}
