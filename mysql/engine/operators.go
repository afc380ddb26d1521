package engine

import (
	"math"
	"math/big"
	mathbits "math/bits"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// Operators whose results are not whole numbers, or not of whole numbers: the remainder of
// decimals and doubles, operators of bits, casts to a decimal, and divisions by 0 in statements
// that write.

// ownOperator puts this file's operators in the place of the engine's.
func ownOperator(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Mod:
		left, right := e.LeftChild.Type(ctx), e.RightChild.Type(ctx)
		if types.IsNumber(left) && types.IsNumber(right) {
			return &remainder{e}, transform.NewTree, nil
		}
	case *expression.BitOp:
		return &bitwise{e}, transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

// failingDivision puts divided around a division.
func failingDivision(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if !storage.StrictlyWrites(ctx) || !sql.LoadSqlMode(ctx).Strict() || !sql.LoadSqlMode(ctx).ModeEnabled("ERROR_FOR_DIVISION_BY_ZERO") {
		return e, transform.SameTree, nil
	}
	switch e := e.(type) {
	case *expression.Div:
		return &divided{e}, transform.NewTree, nil
	case *remainder:
		return &divided{e}, transform.NewTree, nil
	case *checked:
		if e.operator == sqlparser.IntDivStr || e.operator == sqlparser.ModStr {
			return &divided{e}, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

// divided is a division that fails where its divisor is 0 (MySQL 8.0 Reference Manual, 7.1.11).
type divided struct{ expression.ArithmeticOp }

// Eval implements sql.Expression.
func (d *divided) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := d.ArithmeticOp.Eval(ctx, row)
	if err != nil || v != nil {
		return v, err
	}
	for _, e := range d.Children() {
		if v, err = e.Eval(ctx, row); err != nil || v == nil {
			return nil, err
		}
	}
	return nil, mysql.NewSQLError(1365, "22012", "Division by 0")
}

// WithChildren implements sql.Expression.
func (d *divided) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := d.ArithmeticOp.WithChildren(ctx, children...)
	if a, ok := e.(expression.ArithmeticOp); ok && err == nil {
		return &divided{a}, nil
	}
	return e, err
}

// remainder is % of numbers of which one is a decimal or a double.
type remainder struct{ *expression.Mod }

// Type implements sql.Expression.
func (r *remainder) Type(ctx *sql.Context) sql.Type {
	t, _ := commonNumber(typesOf(ctx, r.Children()))
	return t
}

// Eval implements sql.Expression.
func (r *remainder) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	t, exact := r.Type(ctx).(sql.DecimalType)
	left, err := r.LeftChild.Eval(ctx, row)
	if err != nil || left == nil {
		return nil, err
	}
	right, err := r.RightChild.Eval(ctx, row)
	if err != nil || right == nil {
		return nil, err
	}
	if !exact {
		return doubleRemainder(ctx, left, right)
	}
	a, b := exactNumber(left), exactNumber(right)
	if a == nil || b == nil || b.Sign() == 0 {
		return r.Mod.Eval(ctx, row)
	}
	n := new(big.Rat).SetInt(quotientOf(a, b))
	return decimalOfRational(n.Sub(a, n.Mul(n, b)), t.Scale())
}

func doubleRemainder(ctx *sql.Context, left, right any) (any, error) {
	a, _, err := types.Float64.Convert(ctx, left)
	if err != nil {
		return nil, err
	}
	b, _, err := types.Float64.Convert(ctx, right)
	if err != nil {
		return nil, err
	}
	if b.(float64) == 0 {
		ctx.Warn(1365, "Division by 0")
		return nil, nil
	}
	return math.Mod(a.(float64), b.(float64)), nil
}

// WithChildren implements sql.Expression.
func (r *remainder) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := r.Mod.WithChildren(ctx, children...)
	if m, ok := e.(*expression.Mod); ok && err == nil {
		return &remainder{m}, nil
	}
	return e, err
}

// bitwise is an operator of 64 bits. A shift counts the lower 32 bits of its second operand
// (MariaDB's item_func.cc).
type bitwise struct{ *expression.BitOp }

// Eval implements sql.Expression.
func (b *bitwise) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var n [2]uint64
	for i, e := range b.Children() {
		v, err := e.Eval(ctx, row)
		if err != nil || v == nil {
			return nil, err
		}
		var is bool
		if n[i], is = bits(v); !is {
			return b.BitOp.Eval(ctx, row)
		}
	}
	switch b.Op {
	case sqlparser.BitAndStr:
		return n[0] & n[1], nil
	case sqlparser.BitOrStr:
		return n[0] | n[1], nil
	case sqlparser.BitXorStr:
		return n[0] ^ n[1], nil
	case sqlparser.ShiftLeftStr:
		return n[0] << uint32(n[1]), nil
	}
	return n[0] >> uint32(n[1]), nil
}

// WithChildren implements sql.Expression.
func (b *bitwise) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := b.BitOp.WithChildren(ctx, children...)
	if o, ok := e.(*expression.BitOp); ok && err == nil {
		return &bitwise{o}, nil
	}
	return e, err
}

// bitCount is BIT_COUNT.
func bitCount(_ *sql.Context, args []any) (any, error) {
	n, _ := bits(args[0])
	return int64(mathbits.OnesCount64(n)), nil
}

// newDecimalCast is a cast to a decimal with a number of digits, of which some are places. It is
// the nearest one where the value does not fit, and an error in a strict statement that writes.
// The engine does not round to a whole number.
func newDecimalCast(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 3 {
		return nil, sql.ErrInvalidArgumentNumber.New(castName, 3, len(args))
	}
	var size [2]uint8
	for i, e := range args[1:] {
		v, err := e.Eval(ctx, nil)
		if n := wholeNumber(v); err == nil && n != nil && n.IsUint64() && n.Uint64() <= mostDigits {
			size[i] = uint8(n.Uint64())
		}
	}
	t, err := types.CreateColumnDecimalType(size[0], size[1])
	if err != nil {
		return nil, err
	}
	return &scalarCall{expression.NaryExpression{ChildExpressions: args}, castName, t, func(ctx *sql.Context, values []any) (any, error) {
		n := exactNumber(values[0])
		if n == nil {
			d, _, err := t.Convert(ctx, values[0])
			return d, err
		}
		least, greatest := limits(t)
		low, high := rational(least), rational(greatest)
		if (n.Cmp(low) < 0 || n.Cmp(high) > 0) && storage.StrictlyWrites(ctx) && sql.LoadSqlMode(ctx).Strict() {
			return nil, mysql.NewSQLError(1264, "22003", "Out of range value for column 'CAST' at row 1")
		}
		if n.Cmp(low) < 0 {
			n = low
		} else if n.Cmp(high) > 0 {
			n = high
		}
		return decimalOfRational(n, t.Scale())
	}}, nil
}

// castName is the function that stands for a cast to a decimal.
const castName = "cast_to_decimal"

// withDecimalCast is such a cast as that function.
func withDecimalCast(e sqlparser.Expr) (sqlparser.Expr, bool) {
	c, is := e.(*sqlparser.ConvertExpr)
	if !is || !strings.EqualFold(c.Type.Type, "decimal") {
		return e, false
	}
	length, scale := c.Type.Length, c.Type.Scale
	if length == nil {
		length = sqlparser.NewIntVal([]byte("10"))
	}
	if scale == nil {
		scale = sqlparser.NewIntVal([]byte("0"))
	}
	return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(castName), Exprs: sqlparser.SelectExprs{
		&sqlparser.AliasedExpr{Expr: c.Expr}, &sqlparser.AliasedExpr{Expr: length}, &sqlparser.AliasedExpr{Expr: scale}}}, false
}
