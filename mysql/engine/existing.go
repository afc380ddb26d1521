package engine

import (
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Triggers of ON DUPLICATE KEY UPDATE. For a row that is there already a server fires BEFORE INSERT,
// and then BEFORE UPDATE and AFTER UPDATE, also where the row stays as it is; AFTER INSERT it fires
// for new rows alone (MySQL 8.0 Reference Manual, 15.1.22). The engine fires those of INSERT for all
// rows. Here the UPDATE triggers come from the plan of an UPDATE of the table.

// upserting is an INSERT with ON DUPLICATE KEY UPDATE into a table with UPDATE triggers; nil for others.
func (b *builder) upserting(ctx *sql.Context, n *plan.InsertInto) (*plan.InsertInto, error) {
	if _, done := n.Destination.(*firingTable); done || !n.OnDupExprs.HasUpdates() {
		return nil, nil
	}
	t := insertedTable(n)
	if t == nil {
		return nil, nil
	}
	c := connOf(ctx)
	triggers, err := c.engine.triggers(ctx)
	if err != nil {
		return nil, err
	}
	fires := false
	for _, one := range triggers {
		fires = fires || one.event == sqlparser.UpdateStr && strings.EqualFold(one.table, t.Name())
	}
	if !fires {
		return nil, nil
	}
	column := sqlparser.String(sqlparser.NewColIdent(t.Schema(ctx)[0].Name))
	update, err := c.engine.sql.AnalyzeQuery(ctx, "UPDATE "+sqlparser.String(sqlparser.NewTableIdent(t.Name()))+" SET "+column+" = "+column)
	if err != nil {
		return nil, err
	}
	into, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil, err
	}
	with := *n
	with.Destination = &firingTable{Node: n.Destination, insertable: into.(insertable), b: b, checks: n.Checks(), triggers: executors(update)}
	return &with, nil
}

// executors are the triggers of an UPDATE.
func executors(n sql.Node) (list updateTriggers) {
	transform.Inspect(n, func(n sql.Node) bool {
		t, is := n.(*plan.TriggerExecutor)
		switch {
		case !is:
		case t.TriggerTime == plan.BeforeTrigger:
			list.before = append([]*plan.TriggerExecutor{t}, list.before...) // the innermost one is the first
		default:
			list.after = append([]*plan.TriggerExecutor{t}, list.after...)
		}
		return true
	})
	return list
}

// updateTriggers are the triggers of an UPDATE, in their order.
type updateTriggers struct{ before, after []*plan.TriggerExecutor }

// insertable is a table into which rows are inserted, or which has them already.
type insertable interface {
	sql.InsertableTable
	sql.UpdatableTable
}

// firingTable is a table whose UPDATE triggers are fired for rows that are there.
type firingTable struct {
	sql.Node
	insertable
	b        *builder
	checks   sql.CheckConstraints
	triggers updateTriggers
}

// String implements sql.Node and sql.Table.
func (t *firingTable) String() string { return t.Node.String() }

// Schema implements sql.Node and sql.Table.
func (t *firingTable) Schema(ctx *sql.Context) sql.Schema { return t.Node.Schema(ctx) }

// Underlying implements sql.TableWrapper.
func (t *firingTable) Underlying() sql.Table { return t.insertable }

// Updater implements sql.UpdatableTable.
func (t *firingTable) Updater(ctx *sql.Context) sql.RowUpdater {
	return &firingUpdater{t.insertable.Updater(ctx), t}
}

// firingUpdater fires the triggers around an update.
type firingUpdater struct {
	sql.RowUpdater
	table *firingTable
}

// Update implements sql.RowUpdater. What BEFORE triggers set is in the row then.
func (u *firingUpdater) Update(ctx *sql.Context, old, row sql.Row) error {
	t := u.table
	set, err := t.fire(ctx, t.triggers.before, old, row)
	if err != nil {
		return err
	}
	copy(row, set)
	for _, c := range t.checks {
		if !c.Enforced {
			continue
		}
		if ok, err := sql.EvaluateCondition(ctx, c.Expr, row); err != nil || sql.IsFalse(ok) {
			if err == nil {
				err = sql.ErrCheckConstraintViolated.New(c.Name)
			}
			return err
		}
	}
	if err := u.RowUpdater.Update(ctx, old, row); err != nil {
		return err
	}
	_, err = t.fire(ctx, t.triggers.after, old, row)
	return err
}

// fire fires triggers for a row, and returns the row that they leave.
func (t *firingTable) fire(ctx *sql.Context, list []*plan.TriggerExecutor, old, row sql.Row) (sql.Row, error) {
	for _, trigger := range list {
		one, err := trigger.WithChildren(ctx, &oneRow{trigger.Left(), old.Append(row)}, trigger.Right())
		if err != nil {
			return nil, err
		}
		rows, err := t.b.base.Build(ctx, one, nil)
		if err != nil {
			return nil, err
		}
		with, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if row = with[len(with)-len(row):]; rows.Close(ctx) != nil {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return row, nil
}

// oneRow is a row in the place of a node.
type oneRow struct {
	sql.Node
	row sql.Row
}

// Children implements sql.Node.
func (*oneRow) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (o *oneRow) WithChildren(*sql.Context, ...sql.Node) (sql.Node, error) { return o, nil }

// whenInserted is what an AFTER INSERT trigger does for a row of REPLACE, or of ON DUPLICATE KEY
// UPDATE. A row that was there comes as it was and as it is, and so does each one of REPLACE.
type whenInserted struct {
	sql.Node
	executor *plan.TriggerExecutor
	width    int
	replaces bool
}

// Children implements sql.Node.
func (*whenInserted) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (w *whenInserted) WithChildren(*sql.Context, ...sql.Node) (sql.Node, error) { return w, nil }

// whenInserted fires the trigger for new rows.
func (b *builder) whenInserted(ctx *sql.Context, w *whenInserted, row sql.Row) (sql.RowIter, error) {
	if len(row) > w.width && !w.replaces {
		return sql.RowsToRowIter(), nil
	}
	one, err := w.executor.WithChildren(ctx, &oneRow{w.executor.Left(), row[len(row)-w.width:]}, w.executor.Right())
	return b.buildOr(ctx, one, nil, err)
}

// afterInsert is an AFTER INSERT trigger of REPLACE, or of ON DUPLICATE KEY UPDATE; nil for others.
func afterInsert(ctx *sql.Context, n *plan.TriggerExecutor) (sql.Node, error) {
	if _, done := n.Right().(*whenInserted); done || n.TriggerTime != plan.AfterTrigger || n.TriggerEvent != plan.InsertTrigger {
		return nil, nil
	}
	left := n.Left()
	for t, is := left.(*plan.TriggerExecutor); is; t, is = left.(*plan.TriggerExecutor) {
		left = t.Left()
	}
	i, is := left.(*plan.InsertInto)
	if !is || !i.IsReplace && !i.OnDupExprs.HasUpdates() {
		return nil, nil
	}
	return n.WithChildren(ctx, n.Left(), &whenInserted{n.Right(), n, len(i.Destination.Schema(ctx)), i.IsReplace})
}
