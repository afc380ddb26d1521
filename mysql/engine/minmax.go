package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/mysql/storage"
)

// MIN and MAX of a column that is next in the order of the chosen index. The condition has
// chosen this index. A server reads one row, and locks no other (MySQL 8.0 Reference Manual,
// 10.3.1; MariaDB's opt_sum.cc).

// minOrMax is a query of MIN or MAX whose scan ends at its first row; nil when all rows count.
func minOrMax(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (sql.Node, error) {
	if len(n.SelectDeps) != 1 {
		return nil, nil
	}
	order := sql.Descending
	var of []sql.Expression
	switch a := n.SelectDeps[0].(type) {
	case *aggregation.Max:
		of = a.Children()
	case *aggregation.Min:
		of, order = a.Children(), sql.Ascending
	}
	t := scannedTable(n.Child)
	if len(of) != 1 || t == nil {
		return nil, nil
	}
	field, is := of[0].(*expression.GetField)
	if !is {
		return nil, nil
	}
	nulls := field.IsNullable(ctx) // which are first
	if access, is := n.Child.(*plan.IndexedTableAccess); is {
		lookup, ok, err := access.GetLookup(ctx, row)
		x, ours := lookup.Index.(*storage.Index)
		if err != nil || !ok || !ours {
			return nil, err
		}
		ends, excludes := x.EndsWith(ctx, &lookup, field.Name())
		if !ends {
			return nil, nil
		}
		nulls = nulls && !excludes
	}
	if nulls && order == sql.Ascending {
		return nil, nil
	}
	ordered, err := inOrder(ctx, sql.SortConditions{{Expr: field, Order: order}}, n.Child, row)
	if ordered == nil || err != nil {
		return nil, err
	}
	return n.WithChildren(ctx, plan.NewLimit(expression.NewLiteral(int64(1), types.Int64), ordered))
}
