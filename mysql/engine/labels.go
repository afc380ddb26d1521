package engine

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// withLabel gives a column without an alias the label that a server has for it: a column in
// parentheses has its name alone, and an expression has all of its text. The parser leaves out NOT,
// and the parenthesis behind DISTINCT.
func withLabel(e *sqlparser.AliasedExpr) {
	if !e.As.IsEmpty() || e.InputExpression == "" {
		return
	}
	inner, text := e.Expr, e.InputExpression
	for {
		p, is := inner.(*sqlparser.ParenExpr)
		if !is {
			break
		}
		inner = p.Expr
	}
	if c, is := inner.(*sqlparser.ColName); is && (inner != e.Expr || strings.HasSuffix(text, ")")) {
		e.Expr, e.InputExpression = inner, c.Name.String()
		return
	}
	if strings.Count(text, ")") > strings.Count(text, "(") && strings.HasSuffix(text, ")") {
		text = "(" + text
	}
	if _, is := inner.(*sqlparser.NotExpr); is && inner == e.Expr && !strings.HasPrefix(strings.ToLower(text), "not") && !strings.HasPrefix(text, "!") {
		text = "NOT " + text
	}
	e.InputExpression = text
}
