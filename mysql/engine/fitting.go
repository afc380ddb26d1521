package engine

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// fitting is a value for a column of numbers or dates, or of a text with a length. In a strict SQL mode it
// fails where a number does not fit, and where a text is no number (MySQL 8.0 Reference Manual,
// 7.1.11). The engine by itself cuts the numbers of an UPDATE, and takes an empty text for 0.
// With IGNORE, or in another mode, it is the nearest number that fits. Spaces that a text has
// beyond the length of its column are cut, and those at the end of a CHAR are not kept (13.3.2).
type fitting struct {
	expression.UnaryExpressionStub
	column string
	of     sql.Type
	how    fit
}

// fit is how a value is made to fit.
type fit int

const (
	fails   fit = iota // where it does not
	convert            // fails where it is a text that is no number; the engine looks at numbers
	nearest            // is the nearest one
)

// fits reports whether a column is one of those that fitting knows.
func fits(t sql.Type) bool {
	return types.IsNumber(t) && !types.IsYear(t) && !types.IsBit(t) || types.IsTime(t) || t.Type() == sqltypes.Char || t.Type() == sqltypes.VarChar
}

// fitUpdate puts fitting into what an UPDATE, or an ON DUPLICATE KEY UPDATE, sets.
func fitUpdate(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	ignore := false
	switch p := n.(type) {
	case *plan.Update:
		ignore = p.Ignore
	case *plan.InsertInto:
		ignore = p.Ignore
	default:
		return n, transform.SameTree, nil
	}
	how := fails
	if ignore || !sql.LoadSqlMode(ctx).Strict() {
		how = nearest
	}
	return transform.NodeExprsWithOpaque(ctx, n, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		s, ok := e.(*expression.SetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		f, ok := s.LeftChild.(*expression.GetField)
		if !ok || !fits(f.Type(ctx)) {
			return e, transform.SameTree, nil
		}
		if _, done := s.RightChild.(*fitting); done {
			return e, transform.SameTree, nil
		}
		return expression.NewSetField(f, newFitting(s.RightChild, f.Name(), f.Type(ctx), how)), transform.NewTree, nil
	})
}

func newFitting(e sql.Expression, column string, of sql.Type, how fit) *fitting {
	return &fitting{expression.UnaryExpressionStub{Child: e}, column, of, how}
}

// fitInsert puts fitting around the values that an INSERT has for its columns.
func fitInsert(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		p, ok := n.(*plan.InsertInto)
		if !ok {
			return n, transform.SameTree, nil
		}
		values, ok := p.Source.(*plan.Project)
		columns := p.Destination.Schema(ctx)
		if !ok || len(values.Projections) != len(columns) {
			return n, transform.SameTree, nil
		}
		how := convert
		if p.Ignore || !sql.LoadSqlMode(ctx).Strict() {
			how = nearest
		}
		same, list := transform.SameTree, slices.Clone(values.Projections)
		for i, e := range list {
			if _, given := e.(*expression.GetField); given && fits(columns[i].Type) {
				list[i], same = newFitting(e, columns[i].Name, columns[i].Type, how), transform.NewTree
			}
		}
		if same {
			return n, same, nil
		}
		source, err := values.WithExpressions(ctx, list...)
		if err != nil {
			return nil, transform.SameTree, err
		}
		return p.WithSource(source), transform.NewTree, nil
	})
}

// numeral is how a text begins that is a number.
var numeral = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)

// Eval implements sql.Expression.
func (f *fitting) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := f.Child.Eval(ctx, row)
	if err == nil {
		v, err = sql.UnwrapAny(ctx, v)
	}
	if err != nil || v == nil {
		return v, err
	}
	text, isText := v.(string)
	switch t, ofText := f.of.(sql.StringType); {
	case types.IsTime(f.of):
		if isText && f.how != nearest && zoned.MatchString(text) {
			return nil, mysql.NewSQLError(1292, "22007", "Incorrect %s value: '%s' for column '%s' at row 1", f.of.Type(), text, f.column)
		}
		return v, nil
	case ofText && isText:
		return f.cut(text, int(t.Length())), nil
	case ofText:
		return v, nil
	case isText && f.how != nearest:
		if err := f.numeral(text); err != nil {
			return nil, err
		}
		if _, exact := limits(f.of); exact != "" {
			v = exactOrSame(strings.TrimSpace(text), v)
		}
	}
	if d, double := v.(float64); double && types.IsInteger(f.of) {
		v = math.RoundToEven(d) // like the C library of a server
		if d == 1<<63 && f.of.Type() == sqltypes.Int64 {
			v = int64(math.MaxInt64) // which is the same double
		}
	}
	if f.how == nearest {
		return f.nearest(ctx, v)
	}
	if f.how == convert {
		return v, nil
	}
	if _, in, err := f.of.Convert(ctx, v); err == nil && in != sql.InRange {
		return nil, mysql.NewSQLError(1264, "22003", "Out of range value for column '%s' at row 1", f.column)
	}
	if d, decimal := f.of.(sql.DecimalType); decimal {
		if n := exactNumber(v); n != nil {
			rounded, err := decimalOfRational(n, d.Scale())
			if err == nil {
				rounded.Negative = n.Sign() < 0 // also of 0: an UNSIGNED column refuses it
			}
			return rounded, err
		}
	}
	return v, nil
}

// exactOrSame is the number of a text as a decimal: the engine does not take 1.5 for a whole one.
func exactOrSame(text string, v any) any {
	if d, _, err := apd.NewFromString(text); err == nil {
		d.Negative = d.Sign() < 0 // not of 0
		return d
	}
	return v
}

// numeral is an error where a text is no number.
func (f *fitting) numeral(text string) error {
	trimmed := strings.TrimSpace(text)
	switch begins := numeral.FindString(trimmed); {
	case begins == "":
		return mysql.NewSQLError(1366, "22007", "Incorrect %s value: '%s' for column '%s' at row 1", kindOf(f.of), text, f.column)
	case len(begins) < len(trimmed):
		return mysql.NewSQLError(1265, "01000", "Data truncated for column '%s' at row 1", f.column)
	}
	return nil
}

// cut is a text without the spaces at its end that its column does not keep.
func (f *fitting) cut(text string, length int) string {
	if f.of.Type() == sqltypes.Char {
		return strings.TrimRight(text, " ")
	}
	if r := []rune(text); len(r) > length && strings.TrimRight(string(r[length:]), " ") == "" {
		return string(r[:length])
	}
	return text
}

// nearest is the number of a column's type that is nearest to a value. Of a text it is
// nearest to the number with which the text begins, or to 0.
func (f *fitting) nearest(ctx *sql.Context, v any) (any, error) {
	if text, ok := v.(string); ok {
		if v = numeral.FindString(strings.TrimSpace(text)); v == "" {
			v = "0"
		}
	}
	n, ok := new(big.Rat).SetString(fmt.Sprint(v))
	least, greatest := limits(f.of)
	switch {
	case !ok || greatest == "": // the engine says what it is
		return v, nil
	case n.Cmp(rational(least)) < 0:
		return least, nil
	case n.Cmp(rational(greatest)) > 0:
		return greatest, nil
	}
	return v, nil
}

// limits are the least number and the greatest one of a type, as texts; none of a type that is
// not exact.
func limits(t sql.Type) (least, greatest string) {
	if d, ok := t.(sql.DecimalType); ok {
		greatest = strings.Repeat("9", int(d.Precision()-d.Scale())) + "." + strings.Repeat("9", int(d.Scale()))
		return "-" + greatest, greatest
	}
	bits, ok := widths[t.Type()]
	if !ok {
		return "", ""
	}
	one := big.NewInt(1)
	if types.IsUnsigned(t) {
		return "0", new(big.Int).Sub(new(big.Int).Lsh(one, bits), one).String()
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half).String(), half.Sub(half, one).String()
}

// widths are the bits of whole numbers.
var widths = map[query.Type]uint{
	sqltypes.Int8: 8, sqltypes.Int16: 16, sqltypes.Int24: 24, sqltypes.Int32: 32, sqltypes.Int64: 64,
	sqltypes.Uint8: 8, sqltypes.Uint16: 16, sqltypes.Uint24: 24, sqltypes.Uint32: 32, sqltypes.Uint64: 64,
}

// rational is the number of a text that is one.
func rational(text string) *big.Rat {
	n, _ := new(big.Rat).SetString(strings.TrimSuffix(text, "."))
	return n
}

func kindOf(t sql.Type) string {
	switch {
	case types.IsInteger(t):
		return "integer"
	case types.IsDecimal(t):
		return "decimal"
	}
	return "double"
}

// Type implements sql.Expression.
func (f *fitting) Type(ctx *sql.Context) sql.Type { return f.Child.Type(ctx) }

// String implements sql.Expression.
func (f *fitting) String() string { return f.Child.String() }

// WithChildren implements sql.Expression.
func (f *fitting) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), 1)
	}
	return newFitting(children[0], f.column, f.of, f.how), nil
}
