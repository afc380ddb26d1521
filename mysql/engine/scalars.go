package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/json"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/txmc/txmc/mysql/model"
)

// Functions of values that the engine has not, or that answer otherwise than a server's.

// scalarCall is a function of values. It is NULL where one of them is.
type scalarCall struct {
	expression.NaryExpression
	name string
	typ  sql.Type
	eval func(ctx *sql.Context, args []any) (any, error)
}

// scalar is a function of n values by its name.
func scalar(name string, typ sql.Type, n int, eval func(*sql.Context, []any) (any, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) != n {
			return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(name), n, len(args))
		}
		return &scalarCall{expression.NaryExpression{ChildExpressions: args}, name, typ, eval}, nil
	}}
}

// Eval implements sql.Expression.
func (c *scalarCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var args []any
	for _, e := range c.ChildExpressions {
		v, err := e.Eval(ctx, row)
		if err == nil {
			v, err = sql.UnwrapAny(ctx, v)
		}
		if err != nil || v == nil {
			return nil, err
		}
		args = append(args, v)
	}
	return c.eval(ctx, args)
}

// Type implements sql.Expression.
func (c *scalarCall) Type(*sql.Context) sql.Type { return c.typ }

// IsNullable implements sql.Expression.
func (c *scalarCall) IsNullable(*sql.Context) bool { return true }

// String implements sql.Expression.
func (c *scalarCall) String() string {
	var args []string
	for _, e := range c.ChildExpressions {
		args = append(args, e.String())
	}
	return c.name + "(" + strings.Join(args, ",") + ")"
}

// WithChildren implements sql.Expression.
func (c *scalarCall) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.ChildExpressions) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.ChildExpressions))
	}
	with := *c
	with.ChildExpressions = children
	return &with, nil
}

// makeDate is MAKEDATE(year, day of the year).
func makeDate(ctx *sql.Context, args []any) (any, error) {
	var n [2]int64
	for i, v := range args {
		whole, _, err := types.Int64.Convert(ctx, v)
		if err != nil {
			return nil, err
		}
		n[i] = whole.(int64)
	}
	const century, half = 100, 70 // years of two digits are of 1970 to 2069
	switch year := &n[0]; {
	case n[1] < 1:
		return nil, nil
	case *year >= 0 && *year < half:
		*year += 2000
	case *year >= half && *year < century:
		*year += 1900
	}
	return time.Date(int(n[0]), 1, int(n[1]), 0, 0, 0, 0, time.UTC), nil
}

// secToTime is SEC_TO_TIME.
func secToTime(ctx *sql.Context, args []any) (any, error) {
	f, _, err := types.Float64.Convert(ctx, args[0])
	if err != nil {
		return nil, err
	}
	const longest = 838*3600 + 59*60 + 59 // 838:59:59
	return types.Timespan(max(-longest, min(longest, f.(float64))) * 1e6), nil
}

// utcDate is UTC_DATE.
func utcDate(ctx *sql.Context, _ []any) (any, error) {
	return ctx.QueryTime().UTC().Truncate(24 * time.Hour), nil
}

// timeToSec is TIME_TO_SEC, also of a text.
func timeToSec(ctx *sql.Context, args []any) (any, error) {
	if t, ok := args[0].(time.Time); ok {
		return int64(t.Sub(t.Truncate(24*time.Hour)) / time.Second), nil
	}
	if text, ok := args[0].(string); ok && strings.Contains(strings.TrimSpace(text), " ") {
		if t, _, err := types.DatetimeMaxPrecision.Convert(ctx, text); err == nil {
			return timeToSec(ctx, []any{t})
		}
	}
	t, _, err := types.Time.Convert(ctx, args[0])
	if err != nil {
		ctx.Warn(1292, "Truncated incorrect time value: '%v'", args[0])
		return nil, nil
	}
	return int64(t.(types.Timespan)) / 1e6, nil
}

// newNullIf is NULLIF by the comparison of a condition.
func newNullIf(ctx *sql.Context, e, with sql.Expression) sql.Expression {
	return function.NewIf(ctx, expression.NewEquals(e, with), expression.NewLiteral(nil, types.Null), e)
}

func newCeil(ctx *sql.Context, e sql.Expression) sql.Expression {
	return function.NewCeil(ctx, copyOf(e))
}

// newRound is ROUND. A double in the middle goes to the even neighbour, like in the C library
// of a server (MySQL 8.0 Reference Manual, 14.24.4). The engine rounds away from 0.
func newRound(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) == 0 || len(args) > 2 || !types.IsFloat(args[0].Type(ctx)) {
		return function.NewRound(ctx, args...)
	}
	return &scalarCall{expression.NaryExpression{ChildExpressions: args}, "round", types.Float64, roundDouble}, nil
}

func roundDouble(ctx *sql.Context, args []any) (any, error) {
	v, _, err := types.Float64.Convert(ctx, args[0])
	if err != nil || len(args) == 1 {
		return math.RoundToEven(v.(float64)), err
	}
	places, _, err := types.Float64.Convert(ctx, args[1])
	if err != nil {
		return nil, err
	}
	const most = 30 // places
	by := math.Pow(10, math.RoundToEven(max(-most, min(most, places.(float64)))))
	return math.RoundToEven(v.(float64)*by) / by, nil
}

// extreme is GREATEST or LEAST, of texts by their collation. The engine compares their bytes.
func extreme(name string, sign int, of func(*sql.Context, ...sql.Expression) (sql.Expression, error)) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if e, numbers := extremeNumber(ctx, name, sign, args); numbers {
			return e, nil
		}
		by, strength := sql.Collation_Unspecified, byte(7)
		for _, e := range args {
			if !types.IsTextOnly(e.Type(ctx)) {
				return of(ctx, args...)
			}
			with, also := sql.GetCoercibility(ctx, e)
			by, strength = sql.ResolveCoercibility(by, strength, with, also)
		}
		if len(args) < 2 {
			return of(ctx, args...)
		}
		typ, err := types.CreateString(sqltypes.Text, types.LongTextBlobMax, by)
		if err != nil {
			return nil, err
		}
		return &scalarCall{expression.NaryExpression{ChildExpressions: args}, name, typ, func(ctx *sql.Context, texts []any) (any, error) {
			best := texts[0]
			for _, v := range texts[1:] {
				n, err := typ.Compare(ctx, unspaced(typ, v), unspaced(typ, best))
				if err != nil {
					return nil, err
				}
				if n*sign > 0 {
					best = v
				}
			}
			return best, nil
		}}, nil
	}}
}

// unspaced is a value without the spaces at its end that do not count.
func unspaced(t sql.Type, v any) any {
	if s, ok := v.(string); ok {
		return model.Unpadded(t, s)
	}
	return v
}

// copied is a value whose decimal a function may change. The engine's FLOOR and CEIL change it,
// in the row from which it comes.
type copied struct{ expression.UnaryExpressionStub }

func copyOf(e sql.Expression) sql.Expression {
	return &copied{expression.UnaryExpressionStub{Child: e}}
}

// Eval implements sql.Expression.
func (c *copied) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if d, ok := v.(*apd.Decimal); ok {
		return new(apd.Decimal).Set(d), err
	}
	return v, err
}

// Type implements sql.Expression.
func (c *copied) Type(ctx *sql.Context) sql.Type { return c.Child.Type(ctx) }

// String implements sql.Expression.
func (c *copied) String() string { return c.Child.String() }

// WithChildren implements sql.Expression.
func (c *copied) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return copyOf(children[0]), nil
}

// newInstr is INSTR, which minds case only where the collation of the texts does. The engine's
// always does.
func newInstr(ctx *sql.Context, in, text sql.Expression) sql.Expression {
	of, strength := sql.GetCoercibility(ctx, in)
	with, also := sql.GetCoercibility(ctx, text)
	by, _ := sql.ResolveCoercibility(of, strength, with, also)
	if !strings.HasSuffix(by.Name(), "_ci") || types.IsBinaryType(in.Type(ctx)) || types.IsBinaryType(text.Type(ctx)) {
		return function.NewInstr(ctx, in, text)
	}
	e, err := function.NewLocate(ctx, text, in)
	if err != nil { // which two arguments never have
		return function.NewInstr(ctx, in, text)
	}
	return e
}

// numbered is LAST_INSERT_ID of an argument, which the client gets as the number of the
// statement.
type numbered struct{ *function.LastInsertId }

func newLastInsertID(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	e, err := function.NewLastInsertId(ctx, args...)
	if of, ok := e.(*function.LastInsertId); ok && len(args) == 1 && err == nil {
		return &numbered{of}, nil
	}
	return e, err
}

// Eval implements sql.Expression.
func (n *numbered) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := n.LastInsertId.Eval(ctx, row)
	if id, ok := v.(int64); ok && err == nil {
		connOf(ctx).session.Notes(uint64(id))
	}
	return v, err
}

// WithChildren implements sql.Expression.
func (n *numbered) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return newLastInsertID(ctx, children...)
}

// jsonValue is JSON_VALUE as a text. A text of the document stands without quotation marks.
// Where there is no scalar the result is NULL (MySQL 8.0 Reference Manual, 14.17.3).
type jsonValue struct{ *json.JsonValue }

func newJSONValue(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	e, err := json.NewJsonValue(ctx, args...)
	if of, ok := e.(*json.JsonValue); ok && len(args) == 2 && err == nil {
		of.Typ = nil
		return &jsonValue{of}, nil
	}
	return e, err
}

// Eval implements sql.Expression.
func (j *jsonValue) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := j.JsonValue.Eval(ctx, row)
	if err != nil || v == nil {
		return nil, err
	}
	if doc, ok := v.(sql.JSONWrapper); ok {
		if v, err = doc.ToInterface(ctx); err != nil {
			return nil, err
		}
	}
	switch v := v.(type) {
	case nil, map[string]any, []any:
		return nil, nil
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return fmt.Sprint(v), nil
}

// Type implements sql.Expression.
func (j *jsonValue) Type(*sql.Context) sql.Type { return jsonText }

var jsonText = types.MustCreateString(sqltypes.VarChar, 512, collation)

// IsNullable implements sql.Expression.
func (j *jsonValue) IsNullable(*sql.Context) bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (j *jsonValue) CollationCoercibility(*sql.Context) (sql.CollationID, byte) { return collation, 2 }

// WithChildren implements sql.Expression.
func (j *jsonValue) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return newJSONValue(ctx, children...)
}

// jsonType is JSON_TYPE, which is NULL of NULL, and not a text.
type jsonType struct{ *json.JSONType }

func newJSONType(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	e, err := json.NewJSONType(ctx, args...)
	if of, ok := e.(*json.JSONType); ok && err == nil {
		return &jsonType{of}, nil
	}
	return e, err
}

// Eval implements sql.Expression.
func (j *jsonType) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if v, err := j.JSON.Eval(ctx, row); err != nil || v == nil {
		return nil, err
	}
	return j.JSONType.Eval(ctx, row)
}

// WithChildren implements sql.Expression.
func (j *jsonType) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return newJSONType(ctx, children...)
}
