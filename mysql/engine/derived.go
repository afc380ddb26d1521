package engine

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/txmc/txmc/mysql/storage"
)

// Derived tables, CTEs and views that a server makes a table of before it reads from them: those
// with a UNION, a LIMIT, groups, or DISTINCT. So their rows are all read, and locked, whatever the
// statement around them takes. Others are merged into it (MySQL 8.0 Reference Manual, 10.2.2.4).

// derived is a table that is made as a whole; nil for one that is merged.
func (b *builder) derived(ctx *sql.Context, n *plan.SubqueryAlias, row sql.Row) (sql.RowIter, error) {
	if !made(n.Child) {
		return nil, nil
	}
	if !n.OuterScopeVisibility && !n.IsLateral {
		row = nil
	}
	rows, err := b.base.Build(ctx, n.Child, row)
	return &madeRows{source: rows}, err
}

// made reports whether a plan has what makes a server make a table of it.
func made(n sql.Node) (is bool) {
	transform.Inspect(n, func(n sql.Node) bool {
		switch n.(type) {
		case *plan.SetOp, *plan.Limit, *plan.TopN, *plan.GroupBy, *plan.Distinct, *plan.Having, *plan.Window, *plan.RecursiveCte:
			is = true
		case *plan.SubqueryAlias:
			return false
		}
		return !is
	})
	return is
}

// buffered is a node whose rows are all read before the first one is used.
type buffered struct{ sql.Node }

// inserted is an INSERT whose query a server runs to its end before it inserts the first row: it
// has a UNION, or reads the table; nil for others.
func (b *builder) inserted(ctx *sql.Context, n *plan.InsertInto, row sql.Row) (sql.RowIter, error) {
	if !storage.Buffers(ctx) || isBuffered(n.Source) {
		return nil, nil
	}
	source, err := bufferedBelow(ctx, n.Source)
	if err != nil {
		return nil, err
	}
	return b.base.Build(ctx, n.WithSource(source), row)
}

// isBuffered reports whether a source is buffered already.
func isBuffered(n sql.Node) (is bool) {
	transform.Inspect(n, func(n sql.Node) bool {
		_, one := n.(*buffered)
		is = is || one
		return !is
	})
	return is
}

// bufferedBelow is a source of rows whose query is buffered. What makes the values of a row and
// what BEFORE triggers do is done for each row when it is inserted.
func bufferedBelow(ctx *sql.Context, n sql.Node) (sql.Node, error) {
	switch n := n.(type) {
	case *plan.TriggerExecutor:
		left, err := bufferedBelow(ctx, n.Left())
		if err != nil {
			return nil, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		return n.WithChildren(ctx, &buffered{n.Child})
	}
	return &buffered{n}, nil
}

// madeRows are the rows of a table that is made when its first row is asked for.
type madeRows struct {
	source sql.RowIter
	rows   []sql.Row
	made   bool
}

// Next implements sql.RowIter.
func (m *madeRows) Next(ctx *sql.Context) (sql.Row, error) {
	for !m.made {
		row, err := m.source.Next(ctx)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if m.made = err == io.EOF; !m.made {
			m.rows = append(m.rows, row)
		}
	}
	if len(m.rows) == 0 {
		return nil, io.EOF
	}
	row := m.rows[0]
	m.rows = m.rows[1:]
	return row, nil
}

// Close implements sql.RowIter.
func (m *madeRows) Close(ctx *sql.Context) error { return m.source.Close(ctx) }
