package engine

import (
	"fmt"
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// checked is arithmetic of whole numbers of 64 bits. It fails where the result does not
// fit, as on a server. The engine would wrap around there. The result is UNSIGNED when
// an operand is, else signed (MySQL 8.0 Reference Manual, 11.1.7).
type checked struct{ *expression.Arithmetic }

// checkedArithmetic puts checked in the place of arithmetic of whole numbers.
func checkedArithmetic(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	a, ok := e.(*expression.Arithmetic)
	if !ok || !types.IsInteger(a.LeftChild.Type(ctx)) || !types.IsInteger(a.RightChild.Type(ctx)) {
		return e, transform.SameTree, nil
	}
	switch a.Op {
	case "+", "-", "*":
		return &checked{a}, transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

// WithChildren implements sql.Expression.
func (c *checked) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.Arithmetic.WithChildren(ctx, children...)
	if a, ok := e.(*expression.Arithmetic); ok && err == nil {
		return &checked{a}, nil
	}
	return e, err
}

// Type implements sql.Expression.
func (c *checked) Type(ctx *sql.Context) sql.Type {
	if c.unsigned(ctx) {
		return types.Uint64
	}
	return types.Int64
}

func (c *checked) unsigned(ctx *sql.Context) bool {
	return types.IsUnsigned(c.LeftChild.Type(ctx)) || types.IsUnsigned(c.RightChild.Type(ctx))
}

// Eval implements sql.Expression.
func (c *checked) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := c.LeftChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	right, err := c.RightChild.Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	a, b := wholeNumber(left), wholeNumber(right)
	if a == nil || b == nil {
		return c.Arithmetic.Eval(ctx, row)
	}
	n := new(big.Int)
	switch c.Op {
	case "+":
		n.Add(a, b)
	case "-":
		n.Sub(a, b)
	case "*":
		n.Mul(a, b)
	}
	switch unsigned := c.unsigned(ctx); {
	case unsigned && n.IsUint64():
		return n.Uint64(), nil
	case unsigned:
		return nil, mysql.NewSQLError(1690, "22003", "BIGINT UNSIGNED value is out of range in '%s'", c.String())
	case n.IsInt64():
		return n.Int64(), nil
	}
	return nil, mysql.NewSQLError(1690, "22003", "BIGINT value is out of range in '%s'", c.String())
}

// wholeNumber is a value as a number; nil when it is none.
func wholeNumber(v any) *big.Int {
	switch v.(type) {
	case int8, int16, int32, int64, int, uint8, uint16, uint32, uint64, uint:
		n, _ := new(big.Int).SetString(fmt.Sprint(v), 10)
		return n
	}
	return nil
}
