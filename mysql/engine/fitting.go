package engine

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// fitting is a value for a column of numbers. In a strict SQL mode it fails where the number
// does not fit, and where a text is no number (MySQL 8.0 Reference Manual, 7.1.11): the engine
// cuts the numbers of an UPDATE, and takes an empty text for 0.
type fitting struct {
	expression.UnaryExpressionStub
	column string
	of     sql.Type
}

// checkFitting puts fitting into statements that change rows, except those with IGNORE.
func checkFitting(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	switch p := n.(type) {
	case *plan.Update:
		if p.Ignore {
			return n, transform.SameTree, nil
		}
	case *plan.InsertInto:
		if p.Ignore {
			return n, transform.SameTree, nil
		}
		if err := fitValues(ctx, p); err != nil {
			return nil, transform.SameTree, err
		}
	default:
		return n, transform.SameTree, nil
	}
	if !sql.LoadSqlMode(ctx).Strict() {
		return n, transform.SameTree, nil
	}
	return transform.NodeExprsWithOpaque(ctx, n, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		s, ok := e.(*expression.SetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		f, ok := s.LeftChild.(*expression.GetField)
		if !ok || !types.IsNumber(f.Type(ctx)) {
			return e, transform.SameTree, nil
		}
		if _, done := s.RightChild.(*fitting); done {
			return e, transform.SameTree, nil
		}
		return expression.NewSetField(f, fit(s.RightChild, f.Name(), f.Type(ctx))), transform.NewTree, nil
	})
}

func fit(e sql.Expression, column string, of sql.Type) *fitting {
	return &fitting{expression.UnaryExpressionStub{Child: e}, column, of}
}

// fitValues puts fitting around the texts that an INSERT has for columns of numbers.
func fitValues(ctx *sql.Context, p *plan.InsertInto) error {
	values, ok := p.Source.(*plan.Values)
	if !ok || !sql.LoadSqlMode(ctx).Strict() {
		return nil
	}
	columns := p.Destination.Schema(ctx)
	for _, row := range values.ExpressionTuples {
		for i, e := range row {
			at := i
			if len(p.ColumnNames) > 0 && i < len(p.ColumnNames) {
				at = columns.IndexOfColName(p.ColumnNames[i])
			}
			text, ok := e.(*expression.Literal)
			if !ok || at < 0 || at >= len(columns) || !types.IsNumber(columns[at].Type) || !types.IsText(text.Type(ctx)) {
				continue
			}
			if _, err := fit(e, columns[at].Name, columns[at].Type).Eval(ctx, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// numeral is how a text begins that is a number.
var numeral = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`)

// Eval implements sql.Expression.
func (f *fitting) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := f.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return v, err
	}
	if text, ok := v.(string); ok {
		trimmed := strings.TrimSpace(text)
		switch begins := numeral.FindString(trimmed); {
		case begins == "":
			return nil, mysql.NewSQLError(1366, "22007", "Incorrect %s value: '%s' for column '%s' at row 1", kindOf(f.of), text, f.column)
		case len(begins) < len(trimmed):
			return nil, mysql.NewSQLError(1265, "01000", "Data truncated for column '%s' at row 1", f.column)
		}
	}
	if _, in, err := f.of.Convert(ctx, v); err == nil && in != sql.InRange {
		return nil, mysql.NewSQLError(1264, "22003", "Out of range value for column '%s' at row 1", f.column)
	}
	return v, nil
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
	return fit(children[0], f.column, f.of), nil
}
