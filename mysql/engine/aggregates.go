package engine

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// average is AVG. Of a whole number or a decimal, a server's result is a decimal with four more
// places than the argument (MySQL 8.0 Reference Manual, 14.19.1 and div_precision_increment). The
// engine's result is a double, or has the places that are needed.
type average struct{ *aggregation.Avg }

func newAverage(_ *sql.Context, e sql.Expression) sql.Expression {
	return &average{aggregation.NewAvg(e)}
}

// averageType is that of the mean of whole numbers: the digits of a BIGINT and four places.
var averageType = types.MustCreateDecimalType(19+averagePlaces, averagePlaces)

const (
	averagePlaces = 4
	mostPlaces    = 30 // of a decimal
)

// whole reports whether the argument is a whole number.
func (a *average) whole(ctx *sql.Context) bool { return types.IsInteger(a.Child.Type(ctx)) }

// Type implements sql.Expression.
func (a *average) Type(ctx *sql.Context) sql.Type {
	if a.whole(ctx) {
		return averageType
	}
	if t, decimal := a.Child.Type(ctx).(sql.DecimalType); decimal {
		return types.MustCreateDecimalType(min(mostDigits, t.Precision()+averagePlaces), min(mostPlaces, t.Scale()+averagePlaces))
	}
	return a.Avg.Type(ctx)
}

// exact is the aggregation of the argument as a decimal.
func (a *average) exact(ctx *sql.Context) (*aggregation.Avg, error) {
	if !a.whole(ctx) {
		return a.Avg, nil
	}
	e, err := a.Avg.WithChildren(ctx, decimalOf(a.Child))
	if err != nil {
		return nil, err
	}
	return e.(*aggregation.Avg), nil
}

// decimalOf is a whole number as a decimal.
func decimalOf(e sql.Expression) sql.Expression {
	if distinct, is := e.(*expression.DistinctExpression); is {
		return expression.NewDistinctExpression(decimalOf(distinct.Child))
	}
	return expression.NewConvertWithLengthAndScale(e, expression.ConvertToDecimal, 20, 0)
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

// sum is SUM, which is exact where its argument is (MySQL 8.0 Reference Manual, 14.19.1): the
// engine's is a double.
type sum struct{ *aggregation.Sum }

func newSum(_ *sql.Context, e sql.Expression) sql.Expression { return &sum{aggregation.NewSum(e)} }

const (
	mostDigits = 65 // of a decimal
	sumDigits  = 22 // more than the argument's
)

// Type implements sql.Expression.
func (a *sum) Type(ctx *sql.Context) sql.Type {
	switch t := a.Child.Type(ctx).(type) {
	case sql.DecimalType:
		return types.MustCreateDecimalType(min(mostDigits, t.Precision()+sumDigits), t.Scale())
	default:
		if types.IsInteger(t) {
			return types.MustCreateDecimalType(20+sumDigits, 0)
		}
	}
	return a.Sum.Type(ctx)
}

// NewBuffer implements sql.Aggregation.
func (a *sum) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	if !types.IsInteger(a.Child.Type(ctx)) {
		return a.Sum.NewBuffer(ctx)
	}
	e, err := a.Sum.WithChildren(ctx, decimalOf(a.Child))
	if err != nil {
		return nil, err
	}
	return e.(*aggregation.Sum).NewBuffer(ctx)
}

// WithChildren implements sql.Expression.
func (a *sum) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := a.Sum.WithChildren(ctx, children...)
	if err != nil {
		return nil, err
	}
	return &sum{e.(*aggregation.Sum)}, nil
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a *sum) WithWindow(ctx *sql.Context, w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &sum{a.Sum.WithWindow(ctx, w).(*aggregation.Sum)}
}

// WithId implements sql.IdExpression.
func (a *sum) WithId(id sql.ColumnId) sql.IdExpression {
	return &sum{a.Sum.WithId(id).(*aggregation.Sum)}
}

// deviation is STDDEV, VARIANCE or one of their kin. It returns a double (MySQL 8.0 Reference
// Manual, 14.19.1). The engine's function has the type of its argument, and cuts the result
// where that is a whole number.
func deviation[A sql.Expression](name string, of func(sql.Expression) A) sql.Function {
	return sql.Function1{Name: name, Fn: func(_ *sql.Context, e sql.Expression) sql.Expression {
		return of(expression.NewConvert(e, expression.ConvertToDouble))
	}}
}

// framed is a SUM or AVG of the rows of a window's frame. It is computed like that of a
// group. The engine would compute all of them in doubles, and take NULLs for 0.
type framed struct {
	sql.WindowFunction
	of sql.Aggregation
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *average) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	w, err := a.Avg.NewWindowFunction(ctx)
	return &framed{w, a}, err
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *sum) NewWindowFunction(ctx *sql.Context) (sql.WindowFunction, error) {
	w, err := a.Sum.NewWindowFunction(ctx)
	return &framed{w, a}, err
}

// Compute implements sql.WindowFunction.
func (f *framed) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) (any, error) {
	b, err := f.of.NewBuffer(ctx)
	if err != nil {
		return nil, err
	}
	defer b.Dispose(ctx)
	for _, row := range rows[frame.Start:frame.End] {
		if err := b.Update(ctx, row); err != nil {
			return nil, err
		}
	}
	return b.Eval(ctx)
}
