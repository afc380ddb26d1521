package model

import (
	"fmt"
	"slices"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// Catalog is what all runs of a program know of its tables and of the contents that
// their rows have had.
type Catalog struct {
	tables  []*Table
	product access.Product

	mu       sync.RWMutex
	contents []content // by number; 0 is none
	numbers  map[contentKey]int32
	names    map[string]int32 // numbers of locks by name
}

type content struct {
	table *Table
	row   sql.Row
	text  string
}

type contentKey struct {
	table uint8
	key   string
}

// Table is a table with its number in the model.
type Table struct {
	Name    string
	Indexes []*Index // the first one is the clustered one
	Auto    uint64   // the next number of AUTO_INCREMENT before all sessions

	number  uint8
	hidden  bool // the clustered index has a key of its own
	columns []column
}

// column is a column of the model: one of the table's, or a beginning of one.
type column struct {
	of     int // position in the schema
	prefix int
	*order
}

// Index is an index.
type Index struct {
	Name    string
	Columns []int    // positions in the schema
	Prefix  []uint16 // characters of texts, 0 for all; nil when all are whole
	Unique  bool
	Added   bool // nobody has declared it: it is for a foreign key

	tree access.Tree
}

// Definition is a table as its schema declares it.
type Definition struct {
	Name    string
	Schema  sql.Schema
	Primary *Index   // nil for none
	Indexes []*Index // unique ones first
	Auto    uint64
}

// maxTables bounds what the model has numbers for.
const maxTables = 250

// NewCatalog describes tables.
func NewCatalog(list []Definition) (*Catalog, error) {
	cat := &Catalog{contents: make([]content, 1), numbers: map[contentKey]int32{}, names: map[string]int32{}}
	if len(list) > maxTables {
		return nil, fmt.Errorf("%d tables: a model of the database has at most %d", len(list), maxTables)
	}
	for i, d := range list {
		t := &Table{Name: d.Name, Auto: d.Auto, number: uint8(i)}
		t.describe(d)
		cat.tables = append(cat.tables, t)
	}
	return cat, nil
}

// As makes the catalog's tables those of a server.
func (cat *Catalog) As(p access.Product) { cat.product = p }

// Table is a table by its number.
func (cat *Catalog) Table(i int) *Table { return cat.tables[i] }

// describe chooses the clustered index: the primary key, else the first unique index
// without nulls, else one of a key that nobody sees (MySQL 8.0 Reference Manual,
// 17.6.2.1).
func (t *Table) describe(d Definition) {
	others := slices.Clone(d.Indexes)
	clustered := d.Primary
	if clustered == nil {
		if i := slices.IndexFunc(others, func(x *Index) bool { return x.Unique && x.Prefix == nil && filled(d.Schema, x) }); i >= 0 {
			clustered = others[i]
			others = slices.Delete(others, i, i+1)
		}
	}
	if clustered == nil {
		clustered, t.hidden = &Index{Unique: true}, true
		t.columns = []column{{of: -1}}
		clustered.tree = access.Tree{Columns: []int{0}, Unique: true}
	}
	t.Indexes = append(t.Indexes, clustered)
	t.Indexes = append(t.Indexes, others...)
	for _, x := range t.Indexes {
		t.plant(d.Schema, x)
	}
}

func filled(schema sql.Schema, x *Index) bool {
	return !slices.ContainsFunc(x.Columns, func(c int) bool { return schema[c].Nullable })
}

// plant gives an index its columns of the model.
func (t *Table) plant(schema sql.Schema, x *Index) {
	x.tree.Unique = x.Unique
	for i, c := range x.Columns {
		prefix := 0
		if i < len(x.Prefix) {
			prefix = int(x.Prefix[i])
		}
		at := slices.IndexFunc(t.columns, func(o column) bool { return o.of == c && o.prefix == prefix })
		if at < 0 {
			at = len(t.columns)
			t.columns = append(t.columns, column{c, prefix, &order{of: schema[c].Type, prefix: prefix}})
		}
		x.tree.Columns = append(x.tree.Columns, at)
	}
}

// Reference is a foreign key by positions in schemas.
type Reference struct {
	Table, Parent   int // numbers
	Columns, Others []int
	Acts            bool // something is done to references to a row that goes away
}

// refer finds the indexes of a foreign key. One that a table lacks is added, as a server
// does.
func (cat *Catalog) refer(f Reference, schema func(table int) sql.Schema) access.Reference {
	index := func(table int, columns []int) int {
		t := cat.tables[table]
		i := slices.IndexFunc(t.Indexes, func(x *Index) bool {
			return len(x.Columns) >= len(columns) && x.Prefix == nil && slices.Equal(x.Columns[:len(columns)], columns)
		})
		if i < 0 {
			i = len(t.Indexes)
			t.Indexes = append(t.Indexes, &Index{Columns: columns, Added: true})
			t.plant(schema(table), t.Indexes[i])
		}
		return i
	}
	r := access.Reference{Table: f.Table, Tree: index(f.Table, f.Columns), Parent: f.Parent, Other: index(f.Parent, f.Others), Columns: len(f.Columns), Acts: f.Acts}
	child, parent := cat.tables[r.Table], cat.tables[r.Parent]
	for i := range r.Columns {
		cat.unite(child.columns[child.Indexes[r.Tree].tree.Columns[i]].order, parent.columns[parent.Indexes[r.Other].tree.Columns[i]].order)
	}
	return r
}

// unite gives the columns of two orders one of them: equal values of both sides of a foreign key
// have equal numbers. Neither has given a number yet.
func (cat *Catalog) unite(o, with *order) {
	for _, t := range cat.tables {
		for i := range t.columns {
			if t.columns[i].order == o {
				t.columns[i].order = with
			}
		}
	}
}

// Database is the tables with their rows, as the model has them.
func (cat *Catalog) Database(ctx *sql.Context, list [][]sql.Row, foreign []Reference, schema func(table int) sql.Schema, shown func(table int, row sql.Row) rows.Content) (*access.Database, error) {
	db := &access.Database{Engine: access.Trees, Product: cat.product, Sequences: len(cat.tables), Describe: cat.Describe}
	for _, f := range foreign {
		db.References = append(db.References, cat.refer(f, schema))
	}
	for i, t := range cat.tables {
		table := access.Table{Name: t.Name, Indexes: len(t.Indexes), Columns: len(t.columns), Hidden: t.hidden}
		for _, x := range t.Indexes {
			table.Trees = append(table.Trees, x.tree)
		}
		db.Tables = append(db.Tables, table)
		for _, row := range list[i] {
			m, err := cat.intern(ctx, t, row, shown(i, row))
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", t.Name, err)
			}
			db.Rows = append(db.Rows, access.Initial{Table: t.number, Row: m})
		}
	}
	return db, nil
}

// Describe renders a content.
func (cat *Catalog) Describe(value int32) string {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	c := cat.contents[value]
	return c.table.Name + " " + c.text
}

func (cat *Catalog) row(value int32) sql.Row {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	return cat.contents[value].row
}

// intern is a row as the model has it.
func (cat *Catalog) intern(ctx *sql.Context, t *Table, row sql.Row, shown rows.Content) (m access.Row, err error) {
	m.Columns = make([]int, len(t.columns))
	for i := range t.columns {
		if c := &t.columns[i]; c.of >= 0 {
			if m.Columns[i], err = c.number(ctx, row[c.of]); err != nil {
				return m, err
			}
		}
	}
	key := contentKey{t.number, shown.Key()}
	cat.mu.Lock()
	defer cat.mu.Unlock()
	n, ok := cat.numbers[key]
	if !ok {
		n = int32(len(cat.contents))
		cat.contents = append(cat.contents, content{t, row.Copy(), shown.String()})
		cat.numbers[key] = n
	}
	m.Value = n
	return m, nil
}

// key is the row's key in the clustered index.
func (t *Table) key(m access.Row) (key []int) {
	for _, c := range t.Indexes[0].tree.Columns {
		key = append(key, m.Columns[c])
	}
	return key
}

// Find is the index with a name and columns, as positions in the schema.
func (t *Table) Find(name string, columns []int) int {
	return slices.IndexFunc(t.Indexes, func(x *Index) bool { return x.Name == name && slices.Equal(x.Columns, columns) })
}

// Number is the number of a value of the column at a place of an index: a position in the
// schema. Behind the index's own columns it is one of the clustered index.
func (t *Table) Number(ctx *sql.Context, x *Index, place, column int, v any) (int, error) {
	if place >= len(x.Columns) {
		x = t.Indexes[0]
		place = slices.Index(x.Columns, column)
	}
	return t.columns[x.tree.Columns[place]].number(ctx, v)
}

// Value is the value that a number stands for in a column of an index, or of the clustered index
// behind it; false where the number is the value.
func (t *Table) Value(x *Index, place, number int) (any, bool) {
	tree := slices.Concat(x.tree.Columns, t.Indexes[0].tree.Columns)
	return t.columns[tree[place]].value(number)
}
