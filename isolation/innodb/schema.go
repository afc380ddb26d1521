package innodb

import (
	"fmt"
	"math"
	"slices"
)

// The schema: tables, indexes, and how an index's entries are made of rows.

// Null is the null of a column. It is the smallest value of an index.
const Null = math.MinInt

// Row is a row's columns. It is never changed in place.
type Row []int

// Tuple is a sequence of column values, by which an index is ordered. A shorter
// tuple stands before all that it begins.
type Tuple []int

// Compare orders tuples.
func (k Tuple) Compare(o Tuple) int { return slices.Compare(k, o) }

// begins reports whether the tuple is a prefix of the other.
func (k Tuple) begins(o Tuple) bool { return len(k) <= len(o) && slices.Equal(k, o[:len(k)]) }

func (k Tuple) hasNull() bool { return slices.Contains(k, Null) }

// Index is an index of a table.
type Index struct {
	Columns []int // numbers of columns
	Unique  bool
}

// Table is a table. Its first index is the clustered one, which has the rows;
// it is unique. Rows are written to indexes in their order: on MySQL unique ones
// come before the others.
type Table struct {
	Columns int
	Indexes []Index
}

// Schema is the tables of a database.
type Schema struct {
	Tables  []Table
	Foreign []ForeignKey
}

// index is an index as the engine sees it. Entries of a secondary index end in the
// columns of the clustered one: so no two entries are equal.
type index struct {
	table     int
	columns   []int // all columns of an entry
	unique    int   // the first so many columns are unique; 0: no constraint
	clustered bool
	primary   []int // where an entry has the clustered index's columns
}

// catalog is the schema with all indexes numbered.
type catalog struct {
	indexes []index
	first   []int // of each table: its clustered index
	columns []int // of each table: how many
	foreign []foreign
}

func newCatalog(s Schema) (*catalog, error) {
	c := &catalog{}
	for t, table := range s.Tables {
		if len(table.Indexes) == 0 || !table.Indexes[0].Unique {
			return nil, fmt.Errorf("table %d has no clustered unique index", t)
		}
		c.first = append(c.first, len(c.indexes))
		c.columns = append(c.columns, table.Columns)
		for i, x := range table.Indexes {
			for _, column := range x.Columns {
				if column < 0 || column >= table.Columns {
					return nil, fmt.Errorf("table %d, index %d: the table has no column %d", t, i, column)
				}
			}
			c.indexes = append(c.indexes, newIndex(t, i, x, table.Indexes[0].Columns))
		}
	}
	if len(c.indexes) > maxIndexes {
		return nil, fmt.Errorf("%d indexes, at most %d are possible", len(c.indexes), maxIndexes)
	}
	for i, k := range s.Foreign {
		if !s.has(k.Table, k.Index, k.Columns) || !s.has(k.Parent, k.ParentIndex, k.Columns) {
			return nil, fmt.Errorf("foreign key %d: an index is missing or too short", i)
		}
	}
	c.addForeign(s.Foreign)
	return c, nil
}

// has reports whether a table has an index with so many columns.
func (s *Schema) has(table, index, columns int) bool {
	return table >= 0 && table < len(s.Tables) && index >= 0 && index < len(s.Tables[table].Indexes) &&
		columns > 0 && columns <= len(s.Tables[table].Indexes[index].Columns)
}

func newIndex(table, i int, x Index, primary []int) index {
	n := index{table: table, columns: slices.Clone(x.Columns), clustered: i == 0}
	if x.Unique {
		n.unique = len(x.Columns)
	}
	for _, column := range primary {
		at := slices.Index(n.columns, column)
		if at < 0 {
			at = len(n.columns)
			n.columns = append(n.columns, column)
		}
		n.primary = append(n.primary, at)
	}
	return n
}

// entry is the key of the row's record in the index.
func (x *index) entry(r Row) Tuple {
	k := make(Tuple, len(x.columns))
	for i, column := range x.columns {
		k[i] = r[column]
	}
	return k
}

// row is the clustered key in an entry of the index.
func (x *index) row(entry Tuple) Tuple {
	if x.clustered {
		return entry
	}
	k := make(Tuple, len(x.primary))
	for i, at := range x.primary {
		k[i] = entry[at]
	}
	return k
}

// partial is a row of so many columns with the columns of an entry.
func (x *index) partial(entry Tuple, columns int) Row {
	r := make(Row, columns)
	for i, column := range x.columns {
		r[column] = entry[i]
	}
	return r
}

// IndexOf is the number of a table's index in the operations of State.
func (s *State) IndexOf(table, i int) int { return s.catalog.first[table] + i }
