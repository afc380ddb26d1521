package engine

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// What the engine's planner leaves out: BETWEEN as a range in UPDATE and DELETE, and hints.

// withRanges puts two comparisons in the place of BETWEEN in the condition of an UPDATE or
// DELETE: the planner knows these as a range of an index.
func withRanges(parsed sqlparser.Statement) {
	var where *sqlparser.Where
	switch p := parsed.(type) {
	case *sqlparser.Update:
		where = p.Where
	case *sqlparser.Delete:
		where = p.Where
	}
	if where != nil {
		where.Expr = compared(where.Expr)
	}
}

func compared(e sqlparser.Expr) sqlparser.Expr {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		return &sqlparser.AndExpr{Left: compared(e.Left), Right: compared(e.Right)}
	case *sqlparser.OrExpr:
		return &sqlparser.OrExpr{Left: compared(e.Left), Right: compared(e.Right)}
	case *sqlparser.ParenExpr:
		return &sqlparser.ParenExpr{Expr: compared(e.Expr)}
	case *sqlparser.RangeCond:
		if _, ok := e.Left.(*sqlparser.ColName); ok && e.Operator == sqlparser.BetweenStr {
			return &sqlparser.ParenExpr{Expr: &sqlparser.AndExpr{
				Left:  &sqlparser.ComparisonExpr{Operator: sqlparser.GreaterEqualStr, Left: e.Left, Right: e.From},
				Right: &sqlparser.ComparisonExpr{Operator: sqlparser.LessEqualStr, Left: e.Left, Right: e.To},
			}}
		}
	}
	return e
}

// hintsOf are the hints of a statement on indexes, by tables in lower case.
func hintsOf(parsed sqlparser.Statement) (hints map[string]storage.Hint) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		t, ok := n.(*sqlparser.AliasedTableExpr)
		if !ok || t.Hints == nil {
			return true, nil
		}
		name, ok := t.Expr.(sqlparser.TableName)
		if !ok {
			return true, nil
		}
		h := storage.Hint{Ignore: t.Hints.Type == sqlparser.IgnoreStr}
		for _, x := range t.Hints.Indexes {
			h.Indexes = append(h.Indexes, x.Lowered())
		}
		if hints == nil {
			hints = map[string]storage.Hint{}
		}
		hints[strings.ToLower(name.Name.String())] = h
		return true, nil
	}, parsed)
	return hints
}
