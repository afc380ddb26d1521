package engine

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// LIKE of a pattern that is known. The engine's planner takes `\_` and `\%` for two characters
// each, a pattern without wildcards for an equality, and a beginning for a range without an end.
// With an ESCAPE it leaves LIKE alone. So every LIKE gets one, and the range that it is, as a
// server makes it (my_like_range_generic in MariaDB's ctype-mb.c):
//
//	x LIKE 'ab\_%'         (x >= 'ab_' AND x <= 'ab_…' AND x LIKE 'ab\_%' ESCAPE '\')

// withLikes changes the LIKEs of a statement with these arguments.
func (c *Conn) withLikes(parsed sqlparser.Statement, args map[string]sqlparser.Expr) {
	found := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		e, is := n.(*sqlparser.ComparisonExpr)
		found = found || is && isLike(e)
		return !found, nil
	}, parsed)
	if !found {
		return
	}
	tables := readOrWritten(parsed)
	replaceExprs(reflect.ValueOf(parsed), func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		like, is := e.(*sqlparser.ComparisonExpr)
		if !is || !isLike(like) {
			return e, false
		}
		pattern, known := patternOf(like.Right, args)
		if !known {
			return e, false // the planner knows no range of it
		}
		like.Escape = sqlparser.NewStrVal([]byte(`\`))
		column, is := like.Left.(*sqlparser.ColName)
		if !is || like.Operator != sqlparser.LikeStr {
			return like, false
		}
		low, high, ranges := likeRange(pattern, c.engine.db.Text(tables, column.Name.String()))
		if !ranges {
			return like, false
		}
		return &sqlparser.ParenExpr{Expr: &sqlparser.AndExpr{Left: &sqlparser.AndExpr{
			Left:  &sqlparser.ComparisonExpr{Operator: sqlparser.GreaterEqualStr, Left: like.Left, Right: sqlparser.NewStrVal([]byte(low))},
			Right: &sqlparser.ComparisonExpr{Operator: sqlparser.LessEqualStr, Left: like.Left, Right: sqlparser.NewStrVal([]byte(high))}},
			Right: like}}, true
	})
}

// isLike reports whether a comparison is LIKE without an ESCAPE.
func isLike(e *sqlparser.ComparisonExpr) bool {
	return e.Escape == nil && (e.Operator == sqlparser.LikeStr || e.Operator == sqlparser.NotLikeStr)
}

// patternOf is a pattern that is known before the statement runs.
func patternOf(e sqlparser.Expr, args map[string]sqlparser.Expr) (string, bool) {
	v, is := e.(*sqlparser.SQLVal)
	if is && v.Type == sqlparser.ValArg {
		v, is = args[strings.TrimPrefix(string(v.Val), ":")].(*sqlparser.SQLVal)
	}
	if !is || v.Type != sqlparser.StrVal {
		return "", false
	}
	return string(v.Val), true
}

// likeRange is the least and the greatest text of a type that a pattern can match. ok is false
// where that is every text, or nobody knows.
func likeRange(pattern string, t sql.StringType) (low, high string, ok bool) {
	prefix, wild := literalPrefix(pattern)
	if prefix == "" || t == nil || t.Collation() == sql.Collation_binary {
		return "", "", false
	}
	if !wild {
		return prefix, prefix, true
	}
	const most = 64 // characters of the beginning of a long text
	more := min(t.MaxCharacterLength()-int64(utf8.RuneCountInString(prefix)), most)
	return prefix, prefix + strings.Repeat(string(greatest(t.Collation())), int(max(0, more))), true
}

// literalPrefix is what a pattern has before its first wildcard, and whether it has one.
func literalPrefix(pattern string) (prefix string, wild bool) {
	var b strings.Builder
	escaped := false
	for _, r := range pattern {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case !escaped && (r == '%' || r == '_'):
			return b.String(), true
		}
		escaped = false
		b.WriteRune(r)
	}
	if escaped {
		b.WriteByte('\\')
	}
	return b.String(), false
}

// greatest is the last character of a collation: one of three in all of them.
func greatest(collation sql.CollationID) rune {
	sorter, top := collation.Sorter(), '\uFFFF'
	for _, r := range []rune{'\uFFFD', '\U0010FFFF'} {
		if sorter(r) > sorter(top) {
			top = r
		}
	}
	return top
}
