package engine

import (
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/mysql/storage"
)

// MIN and MAX of a column that is next in the order of an index: of that which the condition has
// chosen, or where there is no condition of one that begins with the column. A server reads one
// row for each of them, and locks no other. MIN begins behind the NULLs, and reads the first of
// these where there is nothing else (MySQL 8.0 Reference Manual, 10.3.1; MariaDB's opt_sum.cc).

// endScan is a MIN or a MAX whose scan ends at its first row.
type endScan struct {
	of   sql.Expression
	scan sql.Node
	null sql.Node // is read too where the result is NULL; or nil
}

// endsOf are the aggregates of a query whose scans all end at their first rows; nil when all rows
// count.
func endsOf(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (list []endScan, err error) {
	for _, e := range n.SelectDeps {
		x, ok, err := endOf(ctx, n.Child, e, row)
		if err != nil || !ok {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// endOf is an aggregate of the rows of a node; false when all rows count.
func endOf(ctx *sql.Context, child sql.Node, e sql.Expression, row sql.Row) (x endScan, ok bool, err error) {
	order := sql.Descending
	var of []sql.Expression
	switch a := e.(type) {
	case *aggregation.Max:
		of = a.Children()
	case *aggregation.Min:
		of, order = a.Children(), sql.Ascending
	}
	scan := bareScan(child)
	t := scannedTable(scan)
	if len(of) != 1 || t == nil {
		return x, false, nil
	}
	if d, is := of[0].(*expression.DistinctExpression); is {
		of = d.Children()
	}
	field, is := of[0].(*expression.GetField)
	if !is {
		return x, false, nil
	}
	access, indexed := scan.(*plan.IndexedTableAccess)
	if !indexed && t.Modelled(ctx) {
		return atEnd(ctx, t, child, e, field, order)
	}
	nulls := field.IsNullable(ctx) // which are first
	if indexed {
		lookup, ok, err := access.GetLookup(ctx, row)
		at, ours := lookup.Index.(*storage.Index)
		if err != nil || !ok || !ours {
			return x, false, err
		}
		ends, excludes := at.EndsWith(ctx, &lookup, field.Name())
		if !ends {
			return x, false, nil
		}
		nulls = nulls && !excludes
	}
	if nulls && order == sql.Ascending {
		return x, false, nil
	}
	ordered, err := inOrder(ctx, sql.SortConditions{{Expr: field, Order: order}}, scan, row)
	if ordered == nil || err != nil {
		return x, false, err
	}
	x.of = e
	x.scan, err = instead(ctx, child, func(sql.TableNode) (sql.Node, error) { return first(ctx, ordered, row) })
	return x, true, err
}

// bareScan is a scan without what gives it a name, or puts the row around a query before its rows.
func bareScan(n sql.Node) sql.Node {
	switch n := n.(type) {
	case *plan.TableAlias:
		return bareScan(n.Child)
	case *plan.PrependNode:
		return bareScan(n.Child)
	}
	return n
}

// first is a scan by an index that ends at its first row.
func first(ctx *sql.Context, n sql.Node, row sql.Row) (sql.Node, error) {
	access, is := n.(*plan.IndexedTableAccess)
	if !is {
		return n, nil
	}
	l, ok, err := access.GetLookup(ctx, row)
	x, ours := l.Index.(*storage.Index)
	if err != nil || !ok || !ours {
		return n, err
	}
	l.Index = x.One()
	return plan.NewStaticIndexedAccessForTableNode(ctx, access.TableNode, l)
}

// atEnd is an aggregate of all rows of a table.
func atEnd(ctx *sql.Context, t *storage.Table, child sql.Node, e sql.Expression, field *expression.GetField, order sql.SortOrder) (x endScan, ok bool, err error) {
	index, err := t.First(ctx, field.Name())
	if err != nil || index == nil {
		return x, false, err
	}
	x.of = e
	if order == sql.Descending {
		x.scan, err = scanOf(ctx, child, index.All(true))
		return x, true, err
	}
	if x.scan, err = scanOf(ctx, child, index.WithNull(false)); err == nil && field.IsNullable(ctx) {
		x.null, err = scanOf(ctx, child, index.WithNull(true))
	}
	return x, true, err
}

// scanOf is a scan of a table by an index in the place of a scan of all of it. It ends at its first
// row.
func scanOf(ctx *sql.Context, n sql.Node, l sql.IndexLookup) (sql.Node, error) {
	l.Index = l.Index.(*storage.Index).One()
	return instead(ctx, n, func(t sql.TableNode) (sql.Node, error) { return plan.NewStaticIndexedAccessForTableNode(ctx, t, l) })
}

// instead puts another scan in the place of the bare one of a node.
func instead(ctx *sql.Context, n sql.Node, scan func(sql.TableNode) (sql.Node, error)) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.TableAlias:
		below, err := instead(ctx, n.Child, scan)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, below)
	case *plan.PrependNode:
		below, err := instead(ctx, n.Child, scan)
		return plan.NewPrependNode(below, n.Row), err
	case sql.TableNode:
		return scan(n)
	}
	return nil, fmt.Errorf("txmc: %T is no scan of a table", n)
}

// endRow is the row of a query of such aggregates.
type endRow struct {
	b    *builder
	list []endScan
	row  sql.Row
	done bool
}

// Next implements sql.RowIter.
func (x *endRow) Next(ctx *sql.Context) (sql.Row, error) {
	if x.done {
		return nil, io.EOF
	}
	x.done = true
	var out sql.Row
	for _, e := range x.list {
		v, err := x.first(ctx, e.of, e.scan)
		if err == nil && v == nil && e.null != nil {
			v, err = x.first(ctx, e.of, e.null)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// first is an aggregate of the first row of a scan.
func (x *endRow) first(ctx *sql.Context, of sql.Expression, scan sql.Node) (any, error) {
	one := plan.NewLimit(expression.NewLiteral(int64(1), types.Int64), scan)
	rows, err := x.b.base.Build(ctx, plan.NewGroupBy([]sql.Expression{of}, nil, one), x.row)
	if err != nil {
		return nil, err
	}
	row, err := rows.Next(ctx)
	if err != nil {
		return nil, err
	}
	return row[len(row)-1], rows.Close(ctx)
}

// Close implements sql.RowIter.
func (x *endRow) Close(*sql.Context) error { return nil }
