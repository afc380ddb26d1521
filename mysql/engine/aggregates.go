package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// average is AVG, whose result is a decimal with four more places where its argument is a
// whole number (MySQL 8.0 Reference Manual, 14.19.1): the engine's is a double.
type average struct{ *aggregation.Avg }

func newAverage(_ *sql.Context, e sql.Expression) sql.Expression {
	return &average{aggregation.NewAvg(e)}
}

// averageType is that of the mean of whole numbers: the digits of a BIGINT and four places.
var averageType = types.MustCreateDecimalType(23, 4)

// whole reports whether the argument is a whole number.
func (a *average) whole(ctx *sql.Context) bool { return types.IsInteger(a.Child.Type(ctx)) }

// Type implements sql.Expression.
func (a *average) Type(ctx *sql.Context) sql.Type {
	if a.whole(ctx) {
		return averageType
	}
	return a.Avg.Type(ctx)
}

// exact is the aggregation of the argument as a decimal.
func (a *average) exact(ctx *sql.Context) (*aggregation.Avg, error) {
	if !a.whole(ctx) {
		return a.Avg, nil
	}
	child := a.Child
	distinct, is := child.(*expression.DistinctExpression)
	if is {
		child = distinct.Child
	}
	child = expression.NewConvertWithLengthAndScale(child, expression.ConvertToDecimal, 20, 0)
	if is {
		child = expression.NewDistinctExpression(child)
	}
	e, err := a.Avg.WithChildren(ctx, child)
	if err != nil {
		return nil, err
	}
	return e.(*aggregation.Avg), nil
}

// NewBuffer implements sql.Aggregation.
func (a *average) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	e, err := a.exact(ctx)
	if err != nil {
		return nil, err
	}
	return e.NewBuffer(ctx)
}

// WithChildren implements sql.Expression.
func (a *average) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := a.Avg.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &average{e.(*aggregation.Avg)}, nil
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a *average) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &average{a.Avg.WithWindow(ctx, w).(*aggregation.Avg)}
}

// WithId implements sql.IdExpression.
func (a *average) WithId(id sql.ColumnId) sql.IdExpression {
	return &average{a.Avg.WithId(id).(*aggregation.Avg)}
}
