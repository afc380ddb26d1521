package engine

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// errLimited is the error of IN, ANY, SOME and ALL of a subquery that has a LIMIT, which servers do not
// answer (MySQL 8.0 Reference Manual, 15.2.15.12). The engine does.
var errLimited = mysql.NewSQLError(1235, "42000", "This version of MariaDB doesn't yet support 'LIMIT & IN/ALL/ANY/SOME subquery'")

// limitsIn reports whether a statement has such a subquery.
func limitsIn(parsed sqlparser.Statement) (found bool) {
	of := func(e sqlparser.Expr) {
		if q, is := e.(*sqlparser.Subquery); is {
			found = found || limitsSelect(q.Select)
		}
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.ComparisonExpr:
			if n.Operator == sqlparser.InStr || n.Operator == sqlparser.NotInStr {
				of(n.Right)
			}
		case *sqlparser.FuncExpr:
			if a, is := lastArgument(n); is && strings.HasPrefix(n.Name.Lowered(), eachName) {
				of(a)
			}
		}
		return true, nil
	}, parsed)
	return found
}

func lastArgument(f *sqlparser.FuncExpr) (sqlparser.Expr, bool) {
	if len(f.Exprs) == 0 {
		return nil, false
	}
	a, is := f.Exprs[len(f.Exprs)-1].(*sqlparser.AliasedExpr)
	if !is {
		return nil, false
	}
	return a.Expr, true
}

func limitsSelect(s sqlparser.SelectStatement) bool {
	switch s := s.(type) {
	case *sqlparser.Select:
		return s.Limit != nil
	case *sqlparser.SetOp:
		return s.Limit != nil || limitsSelect(s.Left) || limitsSelect(s.Right)
	case *sqlparser.ParenSelect:
		return limitsSelect(s.Select)
	}
	return false
}
