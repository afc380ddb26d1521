package engine

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/mysql/model"
)

// Spaces at the end of a text do not count where a collation pads texts: in comparisons,
// groups and DISTINCT (MySQL 8.0 Reference Manual, 12.8.5). The engine counts them. Ranges of
// indexes are the storage's.

// unpadded is a text without the spaces at its end.
type unpadded struct{ expression.UnaryExpressionStub }

// compareUnpadded puts unpadded into a comparison.
func compareUnpadded(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.HashInTuple:
		left, right, same := pairs(ctx, e.Left(), e.Right(), weigh)
		if same {
			return e, transform.SameTree, nil
		}
		in, err := expression.NewHashInTuple(ctx, left, right)
		return in, transform.NewTree, err
	case *expression.Like:
		return e, transform.SameTree, nil // whose pattern has its spaces
	case *expression.InTuple, *expression.NullSafeEquals:
		c := e.(expression.Comparer)
		left, right, same := pairs(ctx, c.Left(), c.Right(), weigh)
		if same {
			return e, transform.SameTree, nil
		}
		with, err := e.WithChildren(ctx, left, right)
		return with, transform.NewTree, err
	case expression.Comparer:
		left, right, same := unpad(ctx, e.Left(), e.Right())
		if same {
			return e, transform.SameTree, nil
		}
		with, err := e.WithChildren(ctx, left, right)
		return with, transform.NewTree, err
	case *expression.Between:
		val, lower, same := unpad(ctx, e.Val, e.Lower)
		_, upper, also := unpad(ctx, e.Val, e.Upper)
		if same && also {
			return e, transform.SameTree, nil
		}
		return expression.NewBetween(val, lower, upper), transform.NewTree, nil
	case *expression.Case:
		return caseUnpadded(ctx, e)
	case *aggregation.GroupConcat:
		if isDistinct(e) {
			return &concatenated{e}, transform.NewTree, nil
		}
	case *aggregation.CountDistinct:
		return argumentsAs(ctx, e, weigh)
	case *function.StrCmp, *function.Field:
		return argumentsAs(ctx, e, unpadBoth)
	}
	return e, transform.SameTree, nil
}

// argumentsAs is a function that compares its arguments and returns none of them.
func argumentsAs(ctx *sql.Context, e sql.Expression, both pairing) (sql.Expression, transform.TreeIdentity, error) {
	children, all := slices.Clone(e.Children()), true
	first := children[0]
	for i, c := range children {
		var same bool
		_, children[i], same = both(ctx, first, c)
		all = all && same
	}
	if all {
		return e, transform.SameTree, nil
	}
	with, err := e.WithChildren(ctx, children...)
	return with, transform.NewTree, err
}

// caseUnpadded is a CASE that compares a text with others.
func caseUnpadded(ctx *sql.Context, e *expression.Case) (sql.Expression, transform.TreeIdentity, error) {
	if e.Expr == nil {
		return e, transform.SameTree, nil
	}
	of, all := e.Expr, true
	branches := make([]expression.CaseBranch, len(e.Branches))
	for i, b := range e.Branches {
		left, right, same := unpad(ctx, e.Expr, b.Cond)
		if branches[i] = b; !same {
			of, all = left, false
			branches[i].Cond = right
		}
	}
	if all {
		return e, transform.SameTree, nil
	}
	return expression.NewCase(of, branches, e.Else), transform.NewTree, nil
}

// pairing makes two values comparable. It reports whether they stay the same.
type pairing func(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, same bool)

// unpad puts unpadded around both sides of a comparison, and into tuples. It reports whether
// they stay the same.
func unpad(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, same bool) {
	return pairs(ctx, left, right, unpadBoth)
}

// pairs makes both sides of a comparison comparable, and the values of tuples.
func pairs(ctx *sql.Context, left, right sql.Expression, both pairing) (l, r sql.Expression, same bool) {
	lefts, isLeft := left.(expression.Tuple)
	rights, isRight := right.(expression.Tuple)
	switch {
	case isLeft && isRight && len(rights) > 0 && isTuple(rights[0]): // (a, b) IN ((c, d), …)
		return rowsIn(ctx, left, rights, both)
	case isLeft && isRight && len(lefts) == len(rights): // (a, b) = (c, d)
		ls, rs, same := make(expression.Tuple, len(lefts)), make(expression.Tuple, len(lefts)), true
		for i := range lefts {
			var one bool
			ls[i], rs[i], one = pairs(ctx, lefts[i], rights[i], both)
			same = same && one
		}
		return ls, rs, same
	case isRight: // a IN (b, c)
		return rowsIn(ctx, left, rights, both)
	case isLeft:
		return left, right, true
	}
	return both(ctx, left, right)
}

// rowsIn is a value, or a tuple, with the list in which it may be. Either all of the list is
// changed, or nothing.
func rowsIn(ctx *sql.Context, left sql.Expression, rights expression.Tuple, both pairing) (l, r sql.Expression, same bool) {
	if !isTuple(left) {
		return inList(ctx, left, rights)
	}
	l, rs := left, make(expression.Tuple, len(rights))
	for i := range rights {
		with, one, is := pairs(ctx, left, rights[i], both)
		if is {
			return left, rights, true
		}
		l, rs[i] = with, one
	}
	return l, rs, len(rights) == 0
}

// unpadBoth puts unpadded around two texts.
func unpadBoth(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, same bool) {
	if !pads(ctx, left, right) {
		return left, right, true
	}
	return &unpadded{expression.UnaryExpressionStub{Child: left}}, &unpadded{expression.UnaryExpressionStub{Child: right}}, false
}

func isTuple(e sql.Expression) bool {
	_, ok := e.(expression.Tuple)
	return ok
}

// pads reports whether two texts are compared by a collation that pads them.
func pads(ctx *sql.Context, left, right sql.Expression) bool {
	if _, done := left.(*unpadded); done {
		return false
	}
	if !types.IsTextOnly(left.Type(ctx)) || !types.IsTextOnly(right.Type(ctx)) {
		return false
	}
	of, strength := sql.GetCoercibility(ctx, left)
	with, also := sql.GetCoercibility(ctx, right)
	by, _ := sql.ResolveCoercibility(of, strength, with, also)
	return model.Pads(by)
}

// Eval implements sql.Expression.
func (u *unpadded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := u.Child.Eval(ctx, row)
	if err != nil || v == nil {
		return v, err
	}
	if v, err = sql.UnwrapAny(ctx, v); err != nil {
		return v, err
	}
	if s, ok := v.(string); ok {
		return model.WithoutSpaces(s), nil
	}
	return v, nil
}

// Type implements sql.Expression.
func (u *unpadded) Type(ctx *sql.Context) sql.Type { return u.Child.Type(ctx) }

// CollationCoercibility implements sql.CollationCoercible.
func (u *unpadded) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, u.Child)
}

// String implements sql.Expression.
func (u *unpadded) String() string { return u.Child.String() }

// WithChildren implements sql.Expression.
func (u *unpadded) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(u, len(children), 1)
	}
	return &unpadded{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// distinct is DISTINCT.
type distinct struct {
	child  sql.RowIter
	schema sql.Schema
	known  map[uint64]bool
}

// Next implements sql.RowIter.
func (d *distinct) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := d.child.Next(ctx)
		if err != nil {
			return nil, err // io.EOF too
		}
		own := row[max(0, len(row)-len(d.schema)):] // in a subquery, the row around stands before it
		key, err := hash.HashOf(ctx, d.schema, unpaddedRow(d.schema, own))
		if err != nil {
			return nil, err
		}
		if !d.known[key] {
			d.known[key] = true
			return row, nil
		}
	}
}

// Close implements sql.RowIter.
func (d *distinct) Close(ctx *sql.Context) error { return d.child.Close(ctx) }

// unpaddedRow is a row whose texts have no spaces at their ends that do not count.
func unpaddedRow(schema sql.Schema, row sql.Row) sql.Row {
	out := row
	for i, v := range row {
		s, ok := v.(string)
		if !ok {
			continue
		}
		if u := model.Unpadded(schema[i].Type, s); len(u) < len(s) {
			if &out[0] == &row[0] {
				out = row.Copy()
			}
			out[i] = u
		}
	}
	return out
}
