package storage

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/txmc/txmc/mysql/model"
)

// Index is the primary key, a unique index or a secondary one.
type Index struct {
	def     *Def
	name    string
	columns []int // positions in the schema
	unique  bool
	prefix  []uint16 // lengths in characters, 0 for whole columns; nil when all are whole
	comment string
	one     bool  // a scan ends at its first row: see One
	down    bool  // a scan of one value goes down the primary key: see Down
	whole   []int // extended: all columns of its entries, those of the primary key behind its own
}

// Down is the index whose scans of one value go down the primary key. The order of a lookup
// does not say so: ORDER BY of a column that has one value is no order.
func (x *Index) Down() *Index {
	down := *x
	down.down = true
	return &down
}

// One is the index whose scans end at their first rows.
func (x *Index) One() *Index {
	one := *x
	one.one = true
	return &one
}

var (
	_ sql.OrderedIndex  = (*Index)(nil)
	_ sql.FilteredIndex = (*Index)(nil)
)

// ID implements sql.Index.
func (x *Index) ID() string { return x.name }

// Database implements sql.Index.
func (x *Index) Database() string { return x.def.db.name }

// Table implements sql.Index.
func (x *Index) Table() string { return x.def.name }

// Expressions implements sql.Index.
func (x *Index) Expressions() (list []string) {
	for _, name := range x.names() {
		list = append(list, x.def.name+"."+name)
	}
	return list
}

// names are the names of the columns.
func (x *Index) names() (list []string) {
	for _, c := range x.parts() {
		list = append(list, x.def.schema.Schema[c].Name)
	}
	return list
}

// Declared is how many columns the index has by its declaration.
func (x *Index) Declared() int { return len(x.columns) }

// parts are the columns of which plans know.
func (x *Index) parts() []int {
	if x.whole != nil {
		return x.whole
	}
	return x.columns
}

// extended is the index for plans under a model of the database. Behind the columns of an
// index that is not unique stand those of the primary key. A server ranges over these too
// (MySQL 8.0 Reference Manual, 10.3.10; MariaDB's extended_keys).
func (x *Index) extended() *Index {
	primary := x.def.model.Indexes[0]
	if x.unique || x.prefix != nil || primary.Prefix != nil || len(primary.Columns) == 0 {
		return x
	}
	e := *x
	e.whole = slices.Clone(x.columns)
	for _, c := range primary.Columns {
		if !slices.Contains(e.whole, c) {
			e.whole = append(e.whole, c)
		}
	}
	return &e
}

// rank orders the indexes of a table as a server does (MySQL's sort_keys). Unique ones come
// first; among these the ones without nulls, and then those of whole columns. So a new row,
// several of whose keys are taken, conflicts with the same row as on a server.
func (x *Index) rank() (n int) {
	if !x.unique {
		return 4
	}
	if slices.ContainsFunc(x.columns, func(c int) bool { return x.def.schema.Schema[c].Nullable }) {
		n += 2
	}
	if x.prefix != nil {
		n++
	}
	return n
}

// IsUnique implements sql.Index.
func (x *Index) IsUnique() bool { return x.unique }

// IsSpatial implements sql.Index.
func (x *Index) IsSpatial() bool { return false }

// IsFullText implements sql.Index.
func (x *Index) IsFullText() bool { return false }

// IsVector implements sql.Index.
func (x *Index) IsVector() bool { return false }

// Comment implements sql.Index.
func (x *Index) Comment() string { return x.comment }

// IndexType implements sql.Index.
func (x *Index) IndexType() string { return "BTREE" }

// IsGenerated implements sql.Index.
func (x *Index) IsGenerated() bool { return false }

// ColumnExpressionTypes implements sql.Index.
func (x *Index) ColumnExpressionTypes(*sql.Context) (list []sql.ColumnExpressionType) {
	for i, e := range x.Expressions() {
		list = append(list, sql.ColumnExpressionType{Expression: e, Type: x.def.schema.Schema[x.parts()[i]].Type})
	}
	return list
}

// CanSupport implements sql.Index.
func (x *Index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

// CanSupportOrderBy implements sql.Index.
func (x *Index) CanSupportOrderBy(sql.Expression) bool { return false }

// CoversColumns implements sql.Index.
func (x *Index) CoversColumns(columns []string) bool {
	names := x.names()
	return !slices.ContainsFunc(columns, func(c string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(c, n) })
	})
}

// PrefixLengths implements sql.Index.
func (x *Index) PrefixLengths() []uint16 { return x.prefix }

// Order implements sql.OrderedIndex. Beginnings of texts do not order them.
func (x *Index) Order(*sql.Context) sql.IndexOrder {
	if x.prefix != nil {
		return sql.IndexOrderNone
	}
	return sql.IndexOrderAsc
}

// Whole is how many first columns the index has as a whole.
func (x *Index) Whole() int {
	if i := slices.IndexFunc(x.prefix, func(n uint16) bool { return n > 0 }); i >= 0 {
		return i
	}
	return len(x.columns)
}

// Reversible implements sql.OrderedIndex.
func (x *Index) Reversible(*sql.Context) bool { return true }

// HandledFilters implements sql.FilteredIndex: a scan by ranges looks at the values
// itself.
func (x *Index) HandledFilters(ctx *sql.Context, filters []sql.Expression) (handled []sql.Expression) {
	if x.prefix != nil {
		return nil
	}
	for _, f := range filters {
		if expression.PreciseComparison(ctx, f) {
			handled = append(handled, f)
		}
	}
	return handled
}

// point is the values that a range asks for when it asks for one of each column.
func (x *Index) point(ctx *sql.Context, r sql.MySQLRange) (values []any, ok bool) {
	if len(r) < len(x.columns) {
		return nil, false
	}
	for i := range x.columns {
		if !OneValue(ctx, r[i]) {
			return nil, false
		}
		values = append(values, r[i].LowerBound.(sql.Below).Key)
	}
	return values, true
}

// OneRow reports whether a lookup finds one row at most: the index is unique, and all of its columns
// have one value.
func (x *Index) OneRow(ctx *sql.Context, l *sql.IndexLookup) bool {
	list, is := l.Ranges.(sql.MySQLRangeCollection)
	if !is || !x.unique || x.prefix != nil || len(list) != 1 {
		return false
	}
	_, one := x.point(ctx, list[0])
	return one
}

// OneValue reports whether a range of a column has one value.
func OneValue(ctx *sql.Context, e sql.MySQLRangeColumnExpr) bool {
	low, isLow := e.LowerBound.(sql.Below)
	high, isHigh := e.UpperBound.(sql.Above)
	if !isLow || !isHigh {
		return false
	}
	n, err := e.Typ.Compare(ctx, low.Key, high.Key)
	return err == nil && n == 0
}

// within reports whether a row's values are in a range.
func (x *Index) within(ctx *sql.Context, r sql.MySQLRange, row sql.Row) (bool, error) {
	columns := x.parts()
	for i, e := range r {
		if i >= len(columns) {
			break
		}
		if ok, err := inside(ctx, e, row[columns[i]]); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// ranges are those of a lookup, each once. Ends that are texts have no spaces at their ends
// where the collation pads texts: inside compares so.
func (x *Index) ranges(ctx *sql.Context, l *sql.IndexLookup) (list []sql.MySQLRange, err error) {
	for _, r := range l.Ranges.(sql.MySQLRangeCollection) {
		r = slices.Clone(r)
		for i := range r {
			r[i].LowerBound, r[i].UpperBound = unpaddedCut(r[i].Typ, r[i].LowerBound), unpaddedCut(r[i].Typ, r[i].UpperBound)
		}
		known := slices.ContainsFunc(list, func(other sql.MySQLRange) bool {
			same, failed := r.Equals(ctx, other)
			err = errors.Join(err, failed)
			return same
		})
		if !known {
			list = append(list, r)
		}
	}
	return list, err
}

// unpaddedCut is an end of a range, whose text has no spaces at its end.
func unpaddedCut(t sql.Type, c sql.MySQLRangeCut) sql.MySQLRangeCut {
	switch c := c.(type) {
	case sql.Below:
		return sql.Below{Key: unpadded(t, c.Key)}
	case sql.Above:
		return sql.Above{Key: unpadded(t, c.Key)}
	}
	return c
}

// inside reports whether a value is in a range of one column.
func inside(ctx *sql.Context, e sql.MySQLRangeColumnExpr, v any) (bool, error) {
	v = unpadded(e.Typ, v)
	if v == nil {
		_, from := e.LowerBound.(sql.BelowNull)
		_, to := e.UpperBound.(sql.BelowNull)
		return from && !to, nil
	}
	switch b := e.LowerBound.(type) {
	case sql.Below:
		if n, err := e.Typ.Compare(ctx, v, b.Key); err != nil || n < 0 {
			return false, err
		}
	case sql.Above:
		if n, err := e.Typ.Compare(ctx, v, b.Key); err != nil || n <= 0 {
			return false, err
		}
	case sql.AboveAll:
		return false, nil
	}
	switch b := e.UpperBound.(type) {
	case sql.Above:
		n, err := e.Typ.Compare(ctx, v, b.Key)
		return err == nil && n <= 0, err
	case sql.Below:
		n, err := e.Typ.Compare(ctx, v, b.Key)
		return err == nil && n < 0, err
	case sql.AboveNull, sql.BelowNull:
		return false, nil
	}
	return true, nil
}

// compare orders rows as the index does, NULL first.
func (d *Def) compare(ctx *sql.Context, columns []int, a, b sql.Row) int {
	for _, c := range columns {
		switch {
		case a[c] == nil && b[c] == nil:
			continue
		case a[c] == nil:
			return -1
		case b[c] == nil:
			return 1
		}
		t := d.schema.Schema[c].Type
		if n, err := t.Compare(ctx, unpadded(t, a[c]), unpadded(t, b[c])); err == nil && n != 0 {
			return n
		}
	}
	return 0
}

// unpadded is a value of a type, without the spaces at its end that do not count.
func unpadded(t sql.Type, v any) any {
	if s, ok := v.(string); ok {
		return model.Unpadded(t, s)
	}
	return v
}
