package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/txmc/txmc/mysql/storage"
)

// A text may be used as a number and be none. That causes a warning in a SELECT. In a
// strict SQL mode it causes an error in an UPDATE or an INSERT … SELECT (MySQL 8.0
// Reference Manual, 7.1.11; MariaDB has none for DELETE): `UPDATE t SET a = 1 WHERE name =
// 0` changes no row.

// aNumber is a text that is taken for a number.
type aNumber struct{ expression.UnaryExpressionStub }

// numbersOnly puts aNumber around texts beside numbers.
func numbersOnly(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if !storage.StrictlyWrites(ctx) || !sql.LoadSqlMode(ctx).Strict() {
		return e, transform.SameTree, nil
	}
	switch e := e.(type) {
	case *expression.Like:
		return e, transform.SameTree, nil
	case *expression.Arithmetic:
		return withNumbers(ctx, e, e.LeftChild, e.RightChild, isText(ctx, e.LeftChild), isText(ctx, e.RightChild))
	case *expression.Div, *expression.Mod, *expression.IntDiv:
		operands := e.Children()
		return withNumbers(ctx, e, operands[0], operands[1], isText(ctx, operands[0]), isText(ctx, operands[1]))
	case *expression.UnaryMinus:
		if isText(ctx, e.Child) {
			return expression.NewUnaryMinus(&aNumber{expression.UnaryExpressionStub{Child: e.Child}}), transform.NewTree, nil
		}
	case *expression.Convert:
		if types.IsNumber(e.Type(ctx)) && isText(ctx, e.Child) {
			with, err := e.WithChildren(ctx, &aNumber{expression.UnaryExpressionStub{Child: e.Child}})
			return with, transform.NewTree, err
		}
	case expression.Comparer:
		left, right := e.Left(), e.Right()
		if _, tuple := right.(expression.Tuple); tuple {
			return e, transform.SameTree, nil
		}
		return withNumbers(ctx, e, left, right, isText(ctx, left) && types.IsNumber(right.Type(ctx)), isText(ctx, right) && types.IsNumber(left.Type(ctx)))
	}
	return e, transform.SameTree, nil
}

func withNumbers(ctx *sql.Context, e, left, right sql.Expression, first, second bool) (sql.Expression, transform.TreeIdentity, error) {
	if !first && !second {
		return e, transform.SameTree, nil
	}
	if first {
		left = &aNumber{expression.UnaryExpressionStub{Child: left}}
	}
	if second {
		right = &aNumber{expression.UnaryExpressionStub{Child: right}}
	}
	with, err := e.WithChildren(ctx, left, right)
	return with, transform.NewTree, err
}

// isText reports whether an expression is a text.
func isText(ctx *sql.Context, e sql.Expression) bool {
	_, done := e.(*aNumber)
	return !done && types.IsTextOnly(e.Type(ctx))
}

// Eval implements sql.Expression.
func (n *aNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.Child.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil || v == nil {
		return nil, err
	}
	s, is := v.(string)
	if text := strings.TrimSpace(s); is && (text == "" || numeral.FindString(text) != text) {
		return nil, mysql.NewSQLError(1292, "22007", "Truncated incorrect DECIMAL value: '%s'", s)
	}
	return v, nil
}

// Type implements sql.Expression.
func (n *aNumber) Type(ctx *sql.Context) sql.Type { return n.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (n *aNumber) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, n.Child)
}

// String implements sql.Expression.
func (n *aNumber) String() string { return n.Child.String() }

// WithChildren implements sql.Expression.
func (n *aNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &aNumber{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
