package engine

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// A word of an ENUM or a SET counts as a text when <, >, <=, >= or BETWEEN compares it with a
// text, and in MIN and MAX (MySQL 8.0 Reference Manual, 11.3.5 and 14.19.1). The engine compares
// the numbers of words.

// withWords spells the columns of such comparisons as texts.
func (c *Conn) withWords(parsed sqlparser.Statement, args map[string]sqlparser.Expr) {
	tables := readOrWritten(parsed)
	if !c.engine.db.HasColumn(tables, func(t sql.Type) bool { return types.IsEnum(t) || types.IsSet(t) }) {
		return
	}
	text := func(e sqlparser.Expr) bool {
		_, is := patternOf(e, args)
		return is
	}
	replaceExprs(reflect.ValueOf(parsed), func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		switch e := e.(type) {
		case *sqlparser.ComparisonExpr:
			if !strings.ContainsAny(e.Operator, "<>") || e.Operator == sqlparser.NotEqualStr || e.Operator == sqlparser.NullSafeEqualStr {
				break
			}
			if text(e.Right) {
				e.Left = c.word(tables, e.Left)
			} else if text(e.Left) {
				e.Right = c.word(tables, e.Right)
			}
		case *sqlparser.RangeCond:
			if text(e.From) && text(e.To) {
				e.Left = c.word(tables, e.Left)
			}
		case *sqlparser.FuncExpr:
			if a, is := soleArgument(e); is && (e.Name.Lowered() == "min" || e.Name.Lowered() == "max") {
				a.Expr = c.word(tables, a.Expr)
			}
		}
		return e, false
	})
}

// word is a column of an ENUM or a SET as a text; other expressions stay as they are.
func (c *Conn) word(tables map[string]bool, e sqlparser.Expr) sqlparser.Expr {
	column, is := e.(*sqlparser.ColName)
	if !is {
		return e
	}
	if t := c.engine.db.TypeOf(tables, column.Name.String()); t == nil || !types.IsEnum(t) && !types.IsSet(t) {
		return e
	}
	return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("concat"), Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: e}}}
}

// soleArgument is the argument of a function that has one.
func soleArgument(f *sqlparser.FuncExpr) (*sqlparser.AliasedExpr, bool) {
	if len(f.Exprs) != 1 {
		return nil, false
	}
	a, is := f.Exprs[0].(*sqlparser.AliasedExpr)
	return a, is
}
