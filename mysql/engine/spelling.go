package engine

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Functions of texts take dates and words of an ENUM or a SET as a server writes them. The
// engine writes a date with a time, a time without its fraction, and takes some words as
// their numbers.

// ofTexts are functions whose arguments are texts.
var ofTexts = []string{"concat", "concat_ws", "upper", "ucase", "lower", "lcase", "substring", "substr", "mid", "left", "right", "replace", "trim", "ltrim",
	"rtrim", "lpad", "rpad", "reverse", "repeat", "substring_index", "length", "char_length", "character_length", "octet_length", "json_object", "json_array",
	"md5", "sha1", "sha2", "hex", "quote"}

// ofValues are functions that return one of their arguments, as a text where one of them is one.
var ofValues = []string{"if", "ifnull", "coalesce"}

// spelled is a value as a text.
type spelled struct{ expression.UnaryExpressionStub }

// spelledArguments puts spelled around the arguments of functions of texts.
func spelledArguments(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if c, ok := e.(*expression.Case); ok {
		return spelledBranches(ctx, c)
	}
	if !takesTexts(ctx, e) {
		return e, transform.SameTree, nil
	}
	children, same := slices.Clone(e.Children()), transform.SameTree
	_, decides := e.(*function.If)
	for i, c := range children {
		if i == 0 && decides {
			continue // the condition
		}
		if isWord(c.Type(ctx)) {
			children[i], same = spell(c), transform.NewTree
		}
	}
	if same {
		return e, same, nil
	}
	with, err := e.WithChildren(ctx, children...)
	if g, ok := e.(*aggregation.GroupConcat); ok && err == nil {
		with = with.(*aggregation.GroupConcat).WithId(g.Id())
	}
	return with, transform.NewTree, err
}

// spelledBranches puts spelled around what a CASE returns as a text.
func spelledBranches(ctx *sql.Context, c *expression.Case) (sql.Expression, transform.TreeIdentity, error) {
	if !types.IsText(c.Type(ctx)) {
		return c, transform.SameTree, nil
	}
	branches, otherwise, same := slices.Clone(c.Branches), c.Else, transform.SameTree
	for i, b := range branches {
		if isWord(b.Value.Type(ctx)) {
			branches[i].Value, same = spell(b.Value), transform.NewTree
		}
	}
	if otherwise != nil && isWord(otherwise.Type(ctx)) {
		otherwise, same = spell(otherwise), transform.NewTree
	}
	if same {
		return c, same, nil
	}
	return expression.NewCase(c.Expr, branches, otherwise), transform.NewTree, nil
}

// isWord reports whether values of a type are texts only when they are spelled.
func isWord(t sql.Type) bool {
	return types.IsTime(t) || types.IsTimespan(t) || types.IsEnum(t) || types.IsSet(t)
}

func spell(e sql.Expression) *spelled { return &spelled{expression.UnaryExpressionStub{Child: e}} }

// takesTexts reports whether an expression takes its arguments for texts.
func takesTexts(ctx *sql.Context, e sql.Expression) bool {
	switch e := e.(type) {
	case *aggregation.GroupConcat:
		return true
	case *expression.Convert:
		return types.IsTextOnly(e.Type(ctx))
	case sql.FunctionExpression:
		name := e.FunctionName()
		return slices.Contains(ofTexts, name) || slices.Contains(ofValues, name) && types.IsText(e.Type(ctx))
	}
	return false
}

// Eval implements sql.Expression.
func (s *spelled) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := s.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return v, err
	}
	if text, ok := v.(string); ok {
		return text, nil
	}
	text, err := s.Child.Type(ctx).SQL(ctx, nil, v)
	if err != nil {
		return nil, err
	}
	return plain(text, s.Child.Type(ctx), v).ToString(), nil
}

// Type implements sql.Expression.
func (s *spelled) Type(*sql.Context) sql.Type { return types.LongText }

// CollationCoercibility implements sql.CollationCoercible.
func (s *spelled) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if t := s.Child.Type(ctx); types.IsEnum(t) || types.IsSet(t) {
		return sql.GetCoercibility(ctx, s.Child)
	}
	return collation, 4
}

// String implements sql.Expression.
func (s *spelled) String() string { return s.Child.String() }

// WithChildren implements sql.Expression.
func (s *spelled) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	return spell(children[0]), nil
}
