package engine

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Functions that return one of several numbers return it in a type that has room for all of
// them: a double where one is a double, else a decimal with the digits before and behind the
// point that one of them has, else a BIGINT (MariaDB's sql_type.cc, aggregate_for_result). The
// engine takes a smaller type, and fails or cuts the number where it does not fit.

// commonNumber is that type; false where one of the values is no number.
func commonNumber(list []sql.Type) (sql.Type, bool) {
	double, decimal, signed, unsigned := false, false, false, false
	places, digits := uint8(0), uint8(0)
	for _, t := range list {
		d, isDecimal := t.(sql.DecimalType)
		switch {
		case t == types.Null:
		case types.IsFloat(t):
			double = true
		case isDecimal:
			decimal = true
			places, digits = max(places, d.Scale()), max(digits, d.Precision()-d.Scale())
		case !types.IsInteger(t):
			return nil, false
		default:
			unsigned, signed = unsigned || types.IsUnsigned(t), signed || types.IsSigned(t)
			const most = 20 // digits of a BIGINT UNSIGNED
			digits = max(digits, most)
		}
	}
	switch {
	case double:
		return types.Float64, true
	case decimal || signed && unsigned:
		return types.MustCreateDecimalType(min(mostDigits, digits+places), places), true
	case unsigned:
		return types.Uint64, true
	}
	return types.Int64, signed
}

func typesOf(ctx *sql.Context, list []sql.Expression) (types []sql.Type) {
	for _, e := range list {
		types = append(types, e.Type(ctx))
	}
	return types
}

// oneOf is a function that returns one of its arguments, or of those behind the first ones.
func oneOf(name string, behind int, of func(*sql.Context, ...sql.Expression) (sql.Expression, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) > behind {
			args = slices.Clone(args)
			toOneType(ctx, args[behind:])
		}
		return of(ctx, args...)
	}}
}

func newIf(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 3 {
		return nil, sql.ErrInvalidArgumentNumber.New("IF", 3, len(args))
	}
	return function.NewIf(ctx, args[0], args[1], args[2]), nil
}

func newIfNull(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrInvalidArgumentNumber.New("IFNULL", 2, len(args))
	}
	return function.NewIfNull(ctx, args[0], args[1]), nil
}

// inOneType gives what a CASE returns one type.
func inOneType(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	c, ok := e.(*expression.Case)
	if !ok {
		return e, transform.SameTree, nil
	}
	var values []sql.Expression
	for _, b := range c.Branches {
		values = append(values, b.Value)
	}
	if c.Else != nil {
		values = append(values, c.Else)
	}
	if same := toOneType(ctx, values); same {
		return c, transform.SameTree, nil
	}
	branches, otherwise := slices.Clone(c.Branches), c.Else
	for i := range branches {
		branches[i].Value = values[i]
	}
	if otherwise != nil {
		otherwise = values[len(branches)]
	}
	return expression.NewCase(c.Expr, branches, otherwise), transform.NewTree, nil
}

// toOneType changes values of a list to the type that all of them have room in. It reports
// whether they stay the same.
func toOneType(ctx *sql.Context, values []sql.Expression) (same bool) {
	t, numbers := commonNumber(typesOf(ctx, values))
	if !numbers || len(values) == 0 {
		return true
	}
	first := values[0].Type(ctx)
	if !slices.ContainsFunc(values, func(e sql.Expression) bool { return !e.Type(ctx).Equals(first) }) {
		return true
	}
	same = true
	for i, e := range values {
		if of := e.Type(ctx); of != types.Null && !of.Equals(t) {
			values[i], same = &asNumber{expression.UnaryExpressionStub{Child: e}, t}, false
		}
	}
	return same
}

// asNumber is a number in another type, which has room for it.
type asNumber struct {
	expression.UnaryExpressionStub
	typ sql.Type
}

// Eval implements sql.Expression.
func (n *asNumber) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	return numberIn(ctx, n.typ, v)
}

// numberIn is a number in a type that has room for it.
func numberIn(ctx *sql.Context, t sql.Type, v any) (any, error) {
	if d, decimal := t.(sql.DecimalType); decimal {
		return decimalOfRational(exactNumber(v), d.Scale())
	}
	v, _, err := t.Convert(ctx, v)
	return v, err
}

// decimalOfRational is a number with this many places, rounded away from 0 in the middle.
func decimalOfRational(n *big.Rat, places uint8) (*apd.Decimal, error) {
	if n == nil {
		return nil, fmt.Errorf("no number")
	}
	d, _, err := apd.NewFromString(n.FloatString(int(places)))
	if d != nil && d.IsZero() {
		d.Negative = false
	}
	return d, err
}

// Type implements sql.Expression.
func (n *asNumber) Type(*sql.Context) sql.Type { return n.typ }

// String implements sql.Expression.
func (n *asNumber) String() string { return n.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (n *asNumber) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (n *asNumber) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 1)
	}
	return &asNumber{expression.UnaryExpressionStub{Child: children[0]}, n.typ}, nil
}

// extremeNumber is GREATEST or LEAST of numbers; false where one of the values is no number.
func extremeNumber(ctx *sql.Context, name string, sign int, args []sql.Expression) (sql.Expression, bool) {
	t, numbers := commonNumber(typesOf(ctx, args))
	if !numbers || len(args) < 2 {
		return nil, false
	}
	return &scalarCall{expression.NaryExpression{ChildExpressions: args}, name, t, func(ctx *sql.Context, values []any) (any, error) {
		var best any
		for _, v := range values {
			v, err := numberIn(ctx, t, v)
			if err != nil {
				return nil, err
			}
			if best != nil {
				n, err := t.Compare(ctx, v, best)
				if err != nil {
					return nil, err
				}
				if n*sign <= 0 {
					continue
				}
			}
			best = v
		}
		return best, nil
	}}, true
}

// newAbs is ABS. That of a whole number is a BIGINT, and fails where it does not fit.
func newAbs(ctx *sql.Context, e sql.Expression) sql.Expression {
	if !isWhole(ctx, e) {
		return function.NewAbsVal(ctx, e)
	}
	t := types.Int64
	if types.IsUnsigned(e.Type(ctx)) {
		t = types.Uint64
	}
	call := &scalarCall{expression.NaryExpression{ChildExpressions: []sql.Expression{e}}, "abs", t, nil}
	call.eval = func(_ *sql.Context, args []any) (any, error) {
		n := wholeNumber(args[0])
		if n == nil {
			return nil, nil
		}
		return fitted(n.Abs(n), t == types.Uint64, call)
	}
	return call
}

// bits is a number as 64 bits: an end of their range where it is beyond it.
func bits(v any) (uint64, bool) {
	r := exactNumber(v)
	if r == nil {
		return 0, false
	}
	n, _ := new(big.Int).SetString(r.FloatString(0), 10)
	switch {
	case n.IsUint64():
		return n.Uint64(), true
	case n.IsInt64():
		return uint64(n.Int64()), true
	case n.Sign() < 0:
		return 1 << 63, true
	}
	return math.MaxUint64, true
}
