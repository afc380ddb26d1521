package engine

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Comparisons with the rows of a subquery by ANY, SOME and ALL (MySQL 8.0 Reference Manual,
// 15.2.15.3 to 15.2.15.4). = ANY is IN, and <> ALL is NOT IN.

// withEach makes such a comparison, which has been respelled, one that the engine knows. It
// reports false for another expression.
func withEach(e sqlparser.Expr) (sqlparser.Expr, bool) {
	c, ok := e.(*sqlparser.ComparisonExpr)
	if !ok {
		return e, false
	}
	f, ok := c.Right.(*sqlparser.FuncExpr)
	if !ok || len(f.Exprs) != 1 || !strings.HasPrefix(f.Name.Lowered(), eachName) {
		return e, false
	}
	of := strings.TrimPrefix(f.Name.Lowered(), eachName)
	arg, ok := f.Exprs[0].(*sqlparser.AliasedExpr)
	if !ok {
		return e, false
	}
	switch {
	case of == "any" && c.Operator == sqlparser.EqualStr:
		return &sqlparser.ComparisonExpr{Operator: sqlparser.InStr, Left: c.Left, Right: arg.Expr}, false
	case of == "all" && c.Operator == sqlparser.NotEqualStr:
		return &sqlparser.ComparisonExpr{Operator: sqlparser.NotInStr, Left: c.Left, Right: arg.Expr}, false
	}
	operator := &sqlparser.AliasedExpr{Expr: sqlparser.NewStrVal([]byte(c.Operator))}
	return &sqlparser.FuncExpr{Name: f.Name, Exprs: sqlparser.SelectExprs{operator, &sqlparser.AliasedExpr{Expr: c.Left}, arg}}, false
}

// comparisons are the operators.
var comparisons = map[string]func(l, r sql.Expression) sql.Expression{
	sqlparser.EqualStr:        func(l, r sql.Expression) sql.Expression { return expression.NewEquals(l, r) },
	sqlparser.NotEqualStr:     func(l, r sql.Expression) sql.Expression { return expression.NewNot(expression.NewEquals(l, r)) },
	sqlparser.LessThanStr:     func(l, r sql.Expression) sql.Expression { return expression.NewLessThan(l, r) },
	sqlparser.LessEqualStr:    func(l, r sql.Expression) sql.Expression { return expression.NewLessThanOrEqual(l, r) },
	sqlparser.GreaterThanStr:  func(l, r sql.Expression) sql.Expression { return expression.NewGreaterThan(l, r) },
	sqlparser.GreaterEqualStr: func(l, r sql.Expression) sql.Expression { return expression.NewGreaterThanOrEqual(l, r) },
}

// each is a comparison with the rows of a subquery: with all of them, or with any.
type each struct {
	expression.BinaryExpressionStub // a value, and the subquery
	operator                        string
	all                             bool
}

// comparedWith is the function that stands for such a comparison.
func comparedWith(of string) sql.Function {
	return sql.FunctionN{Name: eachName + of, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != 3 {
			return nil, sql.ErrFunctionNotFound.New(eachName + of)
		}
		operator, err := args[0].Eval(ctx, nil)
		if err != nil {
			return nil, err
		}
		return &each{expression.BinaryExpressionStub{LeftChild: args[1], RightChild: args[2]}, fmt.Sprint(operator), of == "all"}, nil
	}}
}

// Eval implements sql.Expression. The first row decides for which the comparison is not what
// ALL, or ANY without a match, wants; a NULL leaves it open.
func (e *each) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	query, ok := e.RightChild.(*plan.Subquery)
	compare := comparisons[e.operator]
	if !ok || compare == nil {
		return nil, fmt.Errorf("txmc: %s is not explored: compare with (SELECT MIN(…) …) or (SELECT MAX(…) …)", e)
	}
	values, err := query.EvalMultiple(ctx, row)
	if err != nil {
		return nil, err
	}
	var result any = e.all
	for _, v := range values {
		with, _, err := transform.Expr(ctx, compare(e.LeftChild, expression.NewLiteral(v, query.Type(ctx))), ownExpression)
		if err != nil {
			return nil, err
		}
		is, err := with.Eval(ctx, row)
		switch {
		case err != nil:
			return nil, err
		case is == nil:
			result = nil
		case is.(bool) != e.all:
			return is, nil
		}
	}
	return result, nil
}

// Type implements sql.Expression.
func (e *each) Type(*sql.Context) sql.Type { return types.Boolean }

// IsNullable implements sql.Expression.
func (e *each) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (e *each) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// String implements sql.Expression.
func (e *each) String() string {
	of := "ANY"
	if e.all {
		of = "ALL"
	}
	return fmt.Sprintf("%s %s %s %s", e.LeftChild, e.operator, of, e.RightChild)
}

// WithChildren implements sql.Expression.
func (e *each) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(children), 2)
	}
	return &each{expression.BinaryExpressionStub{LeftChild: children[0], RightChild: children[1]}, e.operator, e.all}, nil
}
