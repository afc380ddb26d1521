package engine

import (
	"bytes"
	"encoding/hex"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/mysql/model"
)

// Texts are equal by their collation also in IN, in <=>, in COUNT(DISTINCT …) and GROUP_CONCAT(
// DISTINCT …), and in UNION (MySQL 8.0 Reference Manual, 12.8.1). The engine compares their bytes
// there. Equal texts have one weight.

// weighed is the weight of a text in a collation.
type weighed struct {
	expression.UnaryExpressionStub
	by sql.CollationID
}

// weigh is unpad for expressions that ask for equality alone.
func weigh(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, same bool) {
	l, rs, same := inList(ctx, left, expression.Tuple{right})
	if same {
		return left, right, true
	}
	return l, rs.(expression.Tuple)[0], false
}

// inList is weigh for a text and a list of texts and NULLs: all of them decide by which collation
// they are compared.
func inList(ctx *sql.Context, left sql.Expression, rights expression.Tuple) (l, r sql.Expression, same bool) {
	by, strength := sql.GetCoercibility(ctx, left)
	if _, done := left.(*weighed); done || !types.IsTextOnly(left.Type(ctx)) {
		return left, rights, true
	}
	for _, e := range rights {
		t := e.Type(ctx)
		if t == types.Null {
			continue
		}
		if !types.IsTextOnly(t) {
			return left, rights, true
		}
		with, also := sql.GetCoercibility(ctx, e)
		by, strength = sql.ResolveCoercibility(by, strength, with, also)
	}
	if by == sql.Collation_Unspecified || by == sql.Collation_binary {
		return left, rights, true
	}
	list := make(expression.Tuple, len(rights))
	for i, e := range rights {
		list[i] = &weighed{expression.UnaryExpressionStub{Child: e}, by}
	}
	return &weighed{expression.UnaryExpressionStub{Child: left}, by}, list, false
}

// weightOf is the weight of a value; other values than texts are their own.
func weightOf(by sql.CollationID, v any) (any, error) {
	s, is := v.(string)
	if !is {
		return v, nil
	}
	if model.Pads(by) {
		s = model.WithoutSpaces(s)
	}
	var b bytes.Buffer
	if err := by.WriteWeightString(&b, s); err != nil {
		return nil, err
	}
	return hex.EncodeToString(b.Bytes()), nil
}

// Eval implements sql.Expression.
func (w *weighed) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := w.Child.Eval(ctx, row)
	if err == nil {
		v, err = sql.UnwrapAny(ctx, v)
	}
	if err != nil || v == nil {
		return nil, err
	}
	return weightOf(w.by, v)
}

// Type implements sql.Expression.
func (w *weighed) Type(*sql.Context) sql.Type { return types.LongText }

// CollationCoercibility implements sql.CollationCoercible.
func (w *weighed) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return types.LongText.CollationCoercibility(ctx)
}

// String implements sql.Expression.
func (w *weighed) String() string { return w.Child.String() }

// WithChildren implements sql.Expression.
func (w *weighed) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(w, len(children), 1)
	}
	return &weighed{expression.UnaryExpressionStub{Child: children[0]}, w.by}, nil
}

// weighedKeys has the rows of a join found by the weights of texts.
func weighedKeys(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	l, is := n.(*plan.HashLookup)
	if !is {
		return n, transform.SameTree, nil
	}
	left, right, same := pairs(ctx, l.LeftProbeKey, l.RightEntryKey, weigh)
	if same {
		return n, transform.SameTree, nil
	}
	return plan.NewHashLookup(ctx, l.Child, right, left, l.JoinType), transform.NewTree, nil
}

// concatenated is GROUP_CONCAT(DISTINCT …), which has one argument: see withOne.
type concatenated struct{ *aggregation.GroupConcat }

// isDistinct reports whether a GROUP_CONCAT is one of DISTINCT.
func isDistinct(g *aggregation.GroupConcat) bool {
	return strings.HasPrefix(g.String(), "group_concat(distinct ")
}

// NewBuffer implements sql.Aggregation.
func (c *concatenated) NewBuffer(ctx *sql.Context) (sql.AggregationBuffer, error) {
	b, err := c.GroupConcat.NewBuffer(ctx)
	children := c.Children()
	of := children[len(children)-1]
	by, _ := sql.GetCoercibility(ctx, of)
	if !types.IsTextOnly(of.Type(ctx)) || by == sql.Collation_Unspecified {
		by = sql.Collation_binary
	}
	return &distinctBuffer{b, of, by, map[any]bool{}}, err
}

// WithChildren implements sql.Expression.
func (c *concatenated) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	e, err := c.GroupConcat.WithChildren(ctx, children...)
	if g, is := e.(*aggregation.GroupConcat); is && err == nil {
		return &concatenated{g.WithId(c.Id()).(*aggregation.GroupConcat)}, nil
	}
	return e, err
}

// WithId implements sql.IdExpression.
func (c *concatenated) WithId(id sql.ColumnId) sql.IdExpression {
	return &concatenated{c.GroupConcat.WithId(id).(*aggregation.GroupConcat)}
}

// distinctBuffer leaves out values that are equal to one before.
type distinctBuffer struct {
	sql.AggregationBuffer
	of    sql.Expression
	by    sql.CollationID
	known map[any]bool
}

// Update implements sql.AggregationBuffer.
func (b *distinctBuffer) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.of.Eval(ctx, row)
	if err == nil {
		v, err = sql.UnwrapAny(ctx, v)
	}
	if err != nil {
		return err
	}
	if text, is := v.(string); is {
		if v, err = weightOf(b.by, text); err != nil {
			return err
		}
		if b.known[v] {
			return nil
		}
		b.known[v] = true
	}
	return b.AggregationBuffer.Update(ctx, row)
}

// distinctUnion is UNION DISTINCT as DISTINCT of UNION ALL.
func distinctUnion(s *plan.SetOp) sql.Node {
	all := *s
	all.Distinct, all.SortConditions, all.Limit, all.Offset = false, nil, nil, nil
	var n sql.Node = plan.NewDistinct(&all)
	if len(s.SortConditions) > 0 {
		n = plan.NewSort(s.SortConditions, n)
	}
	if s.Offset != nil {
		n = plan.NewOffset(s.Offset, n)
	}
	if s.Limit != nil {
		n = plan.NewLimit(s.Limit, n)
	}
	return n
}

// byConnection is a schema in whose texts of no column the collation is that of connections.
func byConnection(schema sql.Schema) sql.Schema {
	out := make(sql.Schema, len(schema))
	for i, c := range schema {
		out[i] = c
		if t, is := c.Type.(sql.StringType); is && types.IsTextOnly(t) && t.Collation() == types.LongText.(sql.StringType).Collation() {
			with := *c
			with.Type = types.CreateLongText(collation)
			out[i] = &with
		}
	}
	return out
}
