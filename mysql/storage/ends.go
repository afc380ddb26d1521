package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Scans of all of an index.

// First is the first index that begins with a column; nil for none.
func (t *Table) First(ctx *sql.Context, column string) (*Index, error) {
	return t.index(ctx, func(x *Index) bool { return strings.EqualFold(x.names()[0], column) })
}

// Ordering is an index whose order is that of columns, in lower case, and which the statement does
// not change; nil for none.
func (t *Table) Ordering(ctx *sql.Context, columns []string) (*Index, error) {
	return t.index(ctx, func(x *Index) bool {
		names := slices.Concat(x.names(), t.Primary())
		if x.prefix != nil || len(names) < len(columns) {
			return false
		}
		for i, c := range columns {
			if !strings.EqualFold(names[i], c) {
				return false
			}
		}
		return !slices.ContainsFunc(x.names(), func(name string) bool { return slices.Contains(t.place().Sets, strings.ToLower(name)) })
	})
}

// index is the first index that a scan may use and that is wanted; nil for none.
func (t *Table) index(ctx *sql.Context, wanted func(*Index) bool) (*Index, error) {
	list, err := t.GetIndexes(ctx)
	for _, x := range list {
		if x, is := x.(*Index); is && (x.prefix == nil || x.prefix[0] == 0) && wanted(x) {
			return x, err
		}
	}
	return nil, err
}

// All is a scan of all of an index.
func (x *Index) All(reverse bool) sql.IndexLookup {
	return x.from(sql.AllRangeColumnExpr, reverse)
}

// WithNull is a scan of the entries whose first column is NULL, or of those whose first column is not.
func (x *Index) WithNull(null bool) sql.IndexLookup {
	if null {
		return x.from(sql.NullRangeColumnExpr, false)
	}
	if !x.def.schema.Schema[x.parts()[0]].Nullable {
		return x.All(false)
	}
	return x.from(sql.NotNullRangeColumnExpr, false)
}

// from is a scan with a range of the first column.
func (x *Index) from(first func(sql.Type) sql.MySQLRangeColumnExpr, reverse bool) sql.IndexLookup {
	var r sql.MySQLRange
	for i, c := range x.parts() {
		of := sql.AllRangeColumnExpr
		if i == 0 {
			of = first
		}
		r = append(r, of(x.def.schema.Schema[c].Type))
	}
	return sql.IndexLookup{Index: x, Ranges: sql.MySQLRangeCollection{r}, IsReverse: reverse}
}
