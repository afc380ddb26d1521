package engine

import (
	"io"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/hash"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/txmc/txmc/mysql/storage"
)

// builder makes the iterators of some nodes of a plan, because the engine's own iterators do
// something else. These nodes are GROUP BY, which the engine reads on other goroutines;
// DISTINCT; conditions on tables that a statement locks; and UPDATE, where the engine leaves
// out what changes only by case.
type builder struct {
	base    sql.NodeExecBuilder
	sources sync.Map // of UPDATEs of several tables: watched by *plan.UpdateSource
}

// Build implements sql.NodeExecBuilder. It returns nil for all other nodes.
func (b *builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if err := used(ctx, n); err != nil {
		return nil, err
	}
	if err := b.constants(ctx, n); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *plan.GroupBy:
		return b.groupBy(ctx, n, row)
	case *plan.Sort:
		return b.sorted(ctx, n.SortConditions, nil, n.Child, row)
	case *plan.TopN:
		if !n.CalcFoundRows {
			return b.sorted(ctx, n.SortConditions, n.Limit, n.Child, row)
		}
	case *plan.InsertInto:
		with, err := b.upserting(ctx, n)
		if err != nil || with != nil {
			return b.buildOr(ctx, with, row, err)
		}
		return b.inserted(ctx, n, row)
	case *plan.TriggerExecutor:
		with, err := afterInsert(ctx, n)
		if err != nil || with != nil {
			return b.buildOr(ctx, with, row, err)
		}
	case *plan.Limit:
		return b.limited(ctx, n, row)
	case *plan.SubqueryAlias:
		return b.derived(ctx, n, row)
	case *plan.UpdateSource:
		if w, is := b.sources.LoadAndDelete(n); is {
			return b.watched(ctx, n, w.(watched), row)
		}
	case *plan.UpdateJoin:
		return b.unfiring(ctx, n, row)
	case *plan.Update:
		return b.update(ctx, n, row)
	case *plan.Project:
		// The rules of the simplest SELECTs are the analyzer's alone.
		if with, same, err := checkExpressions(ctx, nil, n, nil, nil, nil); err != nil || same == transform.NewTree {
			if err != nil {
				return nil, err
			}
			return b.base.Build(ctx, with, row)
		}
	case *plan.Distinct:
		child, err := b.base.Build(ctx, n.Child, row)
		if err != nil {
			return nil, err
		}
		return &distinct{child: child, schema: byConnection(n.Child.Schema(ctx)), known: map[uint64]bool{}}, nil
	case *plan.SetOp:
		if n.Distinct && n.SetOpType == plan.UnionType {
			return b.base.Build(ctx, distinctUnion(n), row)
		}
	case *plan.Filter:
		return b.filter(ctx, n, row)
	}
	return b.own(ctx, n, row)
}

// own builds the package's own nodes; nil for others.
func (b *builder) own(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *buffered:
		rows, err := b.base.Build(ctx, n.Node, row)
		return &madeRows{source: rows}, err
	case *whenInserted:
		return b.whenInserted(ctx, n, row)
	case *oneRow:
		return sql.RowsToRowIter(n.row), nil
	}
	return nil, nil
}

// buildOr builds another node in the place of one, unless there is an error.
func (b *builder) buildOr(ctx *sql.Context, n sql.Node, row sql.Row, err error) (sql.RowIter, error) {
	if err != nil {
		return nil, err
	}
	return b.base.Build(ctx, n, row)
}

// groupBy reads all rows of a GROUP BY, and without one the first of an index for MIN or MAX.
func (b *builder) groupBy(ctx *sql.Context, n *plan.GroupBy, row sql.Row) (sql.RowIter, error) {
	if len(n.GroupByExprs) == 0 {
		list, err := endsOf(ctx, n, row)
		if len(list) == 0 || err != nil {
			return nil, err
		}
		return &endRow{b: b, list: list, row: row}, nil
	}
	child, err := b.base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	if levels := rollupOf(n); levels > 0 {
		return &rollup{node: n, child: child, levels: levels}, nil
	}
	return &groups{node: n, child: child}, nil
}

// update lets several tables of an UPDATE take turns, and has values that differ by case
// differ.
func (b *builder) update(ctx *sql.Context, n *plan.Update, row sql.Row) (sql.RowIter, error) {
	with, err := b.inTurns(ctx, n)
	if err != nil {
		return nil, err
	}
	if with != nil {
		return b.base.Build(ctx, with, row)
	}
	exactly(n.Child)
	updated, err := plan.GetUpdatable(n.Child)
	if err != nil {
		return nil, err
	}
	if t, is := updated.(*plan.ForeignKeyHandler); is {
		if inner, ok := t.Table.(*storage.Table); ok {
			inner.Exact()
			t.Sch = inner.Schema(ctx)
		}
	}
	return nil, nil
}

// filter puts below a condition the rows of an index that the row around decides, and
// evaluates it where its table is locked.
func (b *builder) filter(ctx *sql.Context, n *plan.Filter, row sql.Row) (sql.RowIter, error) {
	with, err := byOuter(ctx, n)
	if err != nil {
		return nil, err
	}
	if with != n {
		return b.base.Build(ctx, with, row)
	}
	push(n, row)
	t := lockedTable(n.Child)
	if t == nil {
		return nil, nil
	}
	t.Defer()
	child, err := b.base.Build(ctx, n.Child, row)
	if err != nil {
		return nil, err
	}
	return &lockingFilter{child: child, table: t, condition: n.Expression}, nil
}

// sorted is the child of a sort that is not needed, up to the limit, if there is one. It is
// nil when the sort is needed.
func (b *builder) sorted(ctx *sql.Context, conditions sql.SortConditions, limit sql.Expression, child sql.Node, row sql.Row) (sql.RowIter, error) {
	ordered, err := inOrder(ctx, conditions, child, row)
	if ordered == nil || err != nil {
		return nil, err
	}
	if limit != nil {
		ordered = plan.NewLimit(limit, ordered)
	}
	return b.base.Build(ctx, ordered, row)
}

// groups is GROUP BY.
type groups struct {
	node  *plan.GroupBy
	child sql.RowIter
	found [][]sql.AggregationBuffer // in the order in which they appear
	begun bool
	next  int
}

// Next implements sql.RowIter.
func (g *groups) Next(ctx *sql.Context) (sql.Row, error) {
	if !g.begun {
		g.begun = true
		if err := g.collect(ctx); err != nil {
			return nil, err
		}
	}
	if g.next == len(g.found) {
		return nil, io.EOF
	}
	buffers := g.found[g.next]
	g.next++
	return evaluated(ctx, buffers)
}

// collect reads all rows.
func (g *groups) collect(ctx *sql.Context) error {
	schema := schemaOf(ctx, g.node.GroupByExprs)
	byKey := map[uint64][]sql.AggregationBuffer{}
	for {
		row, err := g.child.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		key, _, err := keyOf(ctx, g.node.GroupByExprs, schema, row)
		if err != nil {
			return err
		}
		buffers := byKey[key]
		if buffers == nil {
			if buffers, err = newGroup(ctx, g.node); err != nil {
				return err
			}
			byKey[key] = buffers
			g.found = append(g.found, buffers)
		}
		for _, b := range buffers {
			if err := b.Update(ctx, row); err != nil {
				return err
			}
		}
	}
}

// keyOf is that of the group of a row, and its values.
func keyOf(ctx *sql.Context, by []sql.Expression, schema sql.Schema, row sql.Row) (key uint64, values sql.Row, err error) {
	values, hashed := make(sql.Row, len(by)), make(sql.Row, len(by))
	for i, e := range by {
		if values[i], err = e.Eval(ctx, row); err != nil {
			return 0, nil, err
		}
		hashed[i] = values[i]
		if t, ok := e.Type(ctx).(sql.ExtendedType); ok {
			b, err := t.SerializeValue(ctx, values[i])
			if err != nil {
				return 0, nil, err
			}
			hashed[i] = string(b)
		}
	}
	key, err = hash.HashOf(ctx, schema, unpaddedRow(schema, hashed))
	return key, values, err
}

// newGroup makes the buffers of one.
func newGroup(ctx *sql.Context, n *plan.GroupBy) (buffers []sql.AggregationBuffer, err error) {
	for _, e := range n.SelectDeps {
		a, ok := e.(sql.Aggregation)
		if !ok {
			a = aggregation.NewFirst(e)
		}
		b, err := a.NewBuffer(ctx)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, b)
	}
	return buffers, nil
}

// schemaOf is that of the values by which rows are grouped.
func schemaOf(ctx *sql.Context, by []sql.Expression) sql.Schema {
	schema := make(sql.Schema, len(by))
	for i, e := range by {
		schema[i] = &sql.Column{Type: e.Type(ctx)}
	}
	return schema
}

// evaluated is what buffers have come to.
func evaluated(ctx *sql.Context, buffers []sql.AggregationBuffer) (sql.Row, error) {
	row := make(sql.Row, len(buffers))
	for i, b := range buffers {
		var err error
		if row[i], err = b.Eval(ctx); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// Close implements sql.RowIter.
func (g *groups) Close(ctx *sql.Context) error {
	for _, buffers := range g.found {
		for _, b := range buffers {
			b.Dispose(ctx)
		}
	}
	g.found = nil
	return g.child.Close(ctx)
}
