package engine

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Arithmetic of whole numbers of 64 bits. It fails where the result does not fit, as on a server.
// The engine would wrap around there. The result is UNSIGNED when an operand is, else signed
// (MySQL 8.0 Reference Manual, 11.1.7). The remainder has the sign, and the type, of the
// dividend, and DIV cuts what it divides to a whole number, also of decimals and texts (MariaDB's
// item_func.cc, Item_func_int_div and Item_func_mod).

// checked is an operation on whole numbers.
type checked struct {
	expression.ArithmeticOp
	operator string
}

// checkedArithmetic puts checked in the place of arithmetic of whole numbers.
func checkedArithmetic(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Arithmetic:
		if isWhole(ctx, e.LeftChild) && isWhole(ctx, e.RightChild) {
			return &checked{e, e.Op}, transform.NewTree, nil
		}
	case *expression.IntDiv:
		return &checked{e, sqlparser.IntDivStr}, transform.NewTree, nil
	case *expression.Mod:
		if isWhole(ctx, e.LeftChild) && isWhole(ctx, e.RightChild) {
			return &checked{e, sqlparser.ModStr}, transform.NewTree, nil
		}
	case *expression.UnaryMinus:
		if _, literal := e.Child.(*expression.Literal); !literal && isWhole(ctx, e.Child) {
			return &negative{e}, transform.NewTree, nil
		}
	}
	return e, transform.SameTree, nil
}

func isWhole(ctx *sql.Context, e sql.Expression) bool { return types.IsInteger(e.Type(ctx)) }

// WithChildren implements sql.Expression.
func (c *checked) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.ArithmeticOp.WithChildren(ctx, children...)
	if a, ok := e.(expression.ArithmeticOp); ok && err == nil {
		return &checked{a, c.operator}, nil
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
	return types.IsUnsigned(c.Left().Type(ctx)) || c.operator != sqlparser.ModStr && types.IsUnsigned(c.Right().Type(ctx))
}

// Eval implements sql.Expression.
func (c *checked) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	left, err := c.Left().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	right, err := c.Right().Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	var n *big.Int
	if c.operator == sqlparser.IntDivStr {
		n = quotient(left, right)
	} else if a, b := wholeNumber(left), wholeNumber(right); a != nil && b != nil {
		n = c.operation(a, b)
	}
	if n == nil { // there is a NULL, a division by 0, or what is no number
		return c.ArithmeticOp.Eval(ctx, row)
	}
	return fitted(n, c.unsigned(ctx), c)
}

// operation is the result for two numbers; nil for a division by 0.
func (c *checked) operation(a, b *big.Int) *big.Int {
	n := new(big.Int)
	switch c.operator {
	case sqlparser.PlusStr:
		return n.Add(a, b)
	case sqlparser.MinusStr:
		return n.Sub(a, b)
	case sqlparser.MultStr:
		return n.Mul(a, b)
	}
	if b.Sign() == 0 {
		return nil
	}
	return n.Rem(a, b)
}

// quotient is a quotient without its fraction; nil where there is none.
func quotient(left, right any) *big.Int {
	a, b := exactNumber(left), exactNumber(right)
	if a == nil || b == nil || b.Sign() == 0 {
		return nil
	}
	return quotientOf(a, b)
}

func quotientOf(a, b *big.Rat) *big.Int {
	q := new(big.Rat).Quo(a, b)
	return new(big.Int).Quo(q.Num(), q.Denom())
}

// fitted is a number of 64 bits.
func fitted(n *big.Int, unsigned bool, of sql.Expression) (any, error) {
	switch {
	case unsigned && n.IsUint64():
		return n.Uint64(), nil
	case unsigned:
		return nil, mysql.NewSQLError(1690, "22003", "BIGINT UNSIGNED value is out of range in '%s'", of.String())
	case n.IsInt64():
		return n.Int64(), nil
	}
	return nil, mysql.NewSQLError(1690, "22003", "BIGINT value is out of range in '%s'", of.String())
}

// wholeNumber is a value as a number; nil when it is none.
func wholeNumber(v any) *big.Int {
	switch v := v.(type) {
	case int8, int16, int32, int64, int, uint8, uint16, uint32, uint64, uint:
		n, _ := new(big.Int).SetString(fmt.Sprint(v), 10)
		return n
	case bool:
		if v {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	return nil
}

// exactNumber is a value as a number: a text is the number with which it begins. It is nil of a
// NULL, and of what is no number.
func exactNumber(v any) *big.Rat {
	switch v := v.(type) {
	case *apd.Decimal:
		return rational(v.Text('f'))
	case float64, float32:
		n, _ := new(big.Rat).SetString(fmt.Sprint(v))
		return n
	case string:
		text := numeral.FindString(strings.TrimSpace(v))
		if text == "" {
			return new(big.Rat)
		}
		return rational(text)
	}
	if n := wholeNumber(v); n != nil {
		return new(big.Rat).SetInt(n)
	}
	return nil
}

// negative is the unary minus of a whole number: signed, and a failure where it does not fit.
type negative struct{ *expression.UnaryMinus }

// Eval implements sql.Expression.
func (m *negative) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := m.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	n := wholeNumber(v)
	if n == nil {
		return m.UnaryMinus.Eval(ctx, row)
	}
	return fitted(n.Neg(n), false, m)
}

// Type implements sql.Expression.
func (m *negative) Type(*sql.Context) sql.Type { return types.Int64 }

// WithChildren implements sql.Expression.
func (m *negative) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(m, len(children), 1)
	}
	return &negative{expression.NewUnaryMinus(children[0])}, nil
}
