package engine

import (
	"context"
	"math"
	"reflect"
	"regexp"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A whole number in a statement is a signed BIGINT, an unsigned one where it is greater, and a
// decimal beyond that (MariaDB's sql_lex.cc, int_token). The engine takes the smallest type, with
// a sign or without. So 150 was unsigned, and `n - 150` failed below 0. All statements come from
// the parser here: those of clients, and those that the engine keeps as texts, which are views,
// bodies of triggers and procedures, defaults and checks.

// parser is the engine's parser, whose whole numbers have a server's types.
type parser struct{ *sql.MysqlParser }

func init() { sql.DefaultMySQLParser = parser{sql.NewMysqlParser()} }

// ParseSimple implements sql.Parser.
func (p parser) ParseSimple(text string) (sqlparser.Statement, error) {
	parsed, err := p.MysqlParser.ParseSimple(text)
	return typed(text, parsed), err
}

// Parse implements sql.Parser.
func (p parser) Parse(ctx *sql.Context, text string, multi bool) (sqlparser.Statement, string, string, error) {
	parsed, first, rest, err := p.MysqlParser.Parse(ctx, text, multi)
	return typed(text, parsed), first, rest, err
}

// ParseWithOptions implements sql.Parser.
func (p parser) ParseWithOptions(ctx context.Context, text string, delimiter rune, multi bool, o sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	parsed, first, rest, err := p.MysqlParser.ParseWithOptions(ctx, text, delimiter, multi, o)
	return typed(text, parsed), first, rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (p parser) ParseOneWithOptions(ctx context.Context, text string, o sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	parsed, end, err := p.MysqlParser.ParseOneWithOptions(ctx, text, o)
	return typed(text, parsed), end, err
}

// mistyped finds texts in which there may be a number, or a cast, that the engine takes otherwise.
var mistyped = regexp.MustCompile(`(?i)\d{3}|decimal`)

// typed gives whole numbers of a statement their types, but for those that are defaults by
// themselves.
func typed(text string, parsed sqlparser.Statement) sqlparser.Statement {
	if !mistyped.MatchString(text) {
		return parsed
	}
	var within []any
	switch p := parsed.(type) {
	case nil:
		return nil
	case *sqlparser.DDL:
		within = typedParts(p)
	case *sqlparser.AlterTable:
		for _, d := range p.Statements {
			within = append(within, typedParts(d)...)
		}
	default:
		within = []any{p}
	}
	for _, part := range within {
		replaceExprs(reflect.ValueOf(part), typedLiteral)
	}
	return parsed
}

// typedParts are the parts of a DDL statement with such numbers.
func typedParts(d *sqlparser.DDL) []any {
	parts := []any{d.TriggerSpec, d.ProcedureSpec, d.ViewSpec}
	if d.TableSpec != nil {
		for _, c := range d.TableSpec.Columns {
			for _, e := range []*sqlparser.Expr{&c.Type.Default, &c.Type.GeneratedExpr} {
				if _, literal := (*e).(*sqlparser.SQLVal); !literal {
					parts = append(parts, e)
				}
			}
		}
	}
	return parts
}

// typedLiteral is a literal with the type that a server has for it. One that the engine takes for
// a signed number already stays as it is.
func typedLiteral(e sqlparser.Expr) (sqlparser.Expr, bool) {
	v, is := e.(*sqlparser.SQLVal)
	if !is || v.Type != sqlparser.IntVal {
		return withDecimalCast(e)
	}
	text := string(v.Val)
	switch n, err := strconv.ParseInt(text, 10, 64); {
	case err == nil && takenForUnsigned(n):
		return injected(n, types.Int64), true
	case err == nil:
		return e, true
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return e, true
	}
	digits, scale := expression.GetDecimalPrecisionAndScale(text)
	t := types.CreateLiteralDecimalType(digits, scale)
	d, in, err := t.Convert(sql.NewEmptyContext(), text)
	if err != nil || in != sql.InRange {
		return e, true
	}
	return injected(d, t), true
}

// takenForUnsigned reports whether the engine has an unsigned type for a number.
func takenForUnsigned(n int64) bool {
	return n > math.MaxInt8 && n <= math.MaxUint8 || n > math.MaxInt16 && n <= math.MaxUint16 || n > math.MaxInt32 && n <= math.MaxUint32
}

func injected(v any, t sql.Type) sqlparser.Expr {
	return sqlparser.InjectedExpr{Expression: expression.NewLiteral(v, t)}
}

// typedArgument is an argument of a prepared statement: a client says whether a number has a
// sign.
func typedArgument(a *query.BindVariable) (sqlparser.Expr, error) {
	v, err := sqltypes.BindVariableToValue(a)
	if err != nil {
		return nil, err
	}
	if v.IsUnsigned() {
		n, err := strconv.ParseUint(v.ToString(), 10, 64)
		return injected(n, types.Uint64), err
	}
	e, err := sqlparser.ExprFromValue(v)
	if err != nil {
		return nil, err
	}
	e, _ = typedLiteral(e)
	return e, nil
}
