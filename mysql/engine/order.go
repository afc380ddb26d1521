package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/txmc/txmc/mysql/storage"
)

// ORDER BY of rows that a scan returns in this order needs no sorting (MySQL 8.0 Reference
// Manual, 10.2.1.16). So a LIMIT ends the scan early, and rows behind it are neither read
// nor locked.

// inOrder is the child of a sort that returns rows in the order of the conditions, perhaps
// with its scan turned round; nil when a sort is needed.
func inOrder(ctx *sql.Context, conditions sql.SortConditions, child sql.Node, row sql.Row) (sql.Node, error) {
	scan := child
	filter, filtered := child.(*plan.Filter)
	if filtered {
		scan = filter.Child
	}
	t := scannedTable(scan)
	if t == nil {
		return nil, nil
	}
	names, descending, ok := sortedColumns(conditions)
	if !ok {
		return nil, nil
	}
	access, indexed := scan.(*plan.IndexedTableAccess)
	if !indexed {
		if primary := t.Primary(); !descending && len(primary) > 0 && follows(names, primary, 0) {
			return child, nil
		}
		return nil, nil
	}
	lookup, ok, err := access.GetLookup(ctx, row)
	if err != nil || !ok {
		return nil, err
	}
	columns, fixed, ok := scanOrder(ctx, lookup, t.Primary())
	if !ok || !follows(names, columns, fixed) {
		return nil, nil
	}
	x, is := lookup.Index.(*storage.Index)
	switch {
	case is && descending && fixed == len(x.Expressions()) && !follows(names, columns[:fixed], fixed):
		lookup.Index, lookup.IsReverse = x.Down(), false
	case lookup.IsReverse == descending:
		return child, nil
	default:
		lookup.IsReverse = descending
	}
	turned, err := plan.NewStaticIndexedAccessForTableNode(ctx, access.TableNode, lookup)
	if err != nil || !filtered {
		return turned, err
	}
	return filter.WithChildren(ctx, turned)
}

// sortedColumns are the columns of an ORDER BY of columns, all in one direction, in lower
// case.
func sortedColumns(conditions sql.SortConditions) (names []string, descending, ok bool) {
	for i, c := range conditions {
		f, is := c.Expr.(*expression.GetField)
		down := c.Order == sql.Descending
		if !is || i > 0 && down != descending {
			return nil, false, false
		}
		descending = down
		names = append(names, strings.ToLower(f.Name()))
	}
	return names, descending, len(names) > 0
}

// scanOrder are the columns by which a scan of one range is ordered, in lower case; the
// first ones have one value each. Behind those of the index come those of the primary key,
// where the index has whole columns.
func scanOrder(ctx *sql.Context, l sql.IndexLookup, primary []string) (columns []string, fixed int, ok bool) {
	ranges, is := l.Ranges.(sql.MySQLRangeCollection)
	if !is || len(ranges) != 1 {
		return nil, 0, false
	}
	for _, e := range l.Index.Expressions() {
		columns = append(columns, strings.ToLower(e[strings.LastIndexByte(e, '.')+1:]))
	}
	for fixed < min(len(ranges[0]), len(columns)) && (storage.OneValue(ctx, ranges[0][fixed]) || ranges[0][fixed].Type() == sql.RangeType_EqualNull) {
		fixed++
	}
	if l.Index.ID() != "PRIMARY" && l.Index.PrefixLengths() == nil {
		columns = append(columns, primary...)
	}
	return columns, fixed, true
}

// follows reports whether rows ordered by columns, of which the first ones are fixed, are
// ordered by names.
func follows(names, columns []string, fixed int) bool {
	at := fixed
	for _, name := range names {
		if slices.Contains(columns[:fixed], name) {
			continue
		}
		if at >= len(columns) || columns[at] != name {
			return false
		}
		at++
	}
	return true
}
