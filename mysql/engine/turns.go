package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/txmc/txmc/mysql/storage"
)

// UPDATE of several tables. For each row of the join the engine writes the tables in the order
// of a map, which is another one each time. Here they take turns, in the order of the FROM.

// turns are the writes to several tables for a row of the join, which wait for each other.
type turns struct{ waiting []turn }

// turn is the write of a row of a table.
type turn struct {
	place    int // of the table
	to       sql.RowUpdater
	old, new sql.Row
}

// flush does the writes that wait.
func (t *turns) flush(ctx *sql.Context) error {
	list := slices.SortedStableFunc(slices.Values(t.waiting), func(a, b turn) int { return a.place - b.place })
	t.waiting = nil
	for _, w := range list {
		if err := w.to.Update(ctx, w.old, w.new); err != nil {
			return err
		}
	}
	return nil
}

// target is a table that an UPDATE of several writes.
type target struct {
	sql.UpdatableTable
	sql.Node
	turns *turns
	place int
}

// String implements sql.Node and sql.Table.
func (t *target) String() string { return t.Node.String() }

// Schema implements sql.Node and sql.Table.
func (t *target) Schema(ctx *sql.Context) sql.Schema { return t.UpdatableTable.Schema(ctx) }

// Updater implements sql.UpdatableTable.
func (t *target) Updater(ctx *sql.Context) sql.RowUpdater {
	return &targetUpdater{t.UpdatableTable.Updater(ctx), t}
}

// targetUpdater makes writes wait.
type targetUpdater struct {
	sql.RowUpdater
	target *target
}

// Update implements sql.RowUpdater.
func (u *targetUpdater) Update(_ *sql.Context, old, new sql.Row) error {
	t := u.target.turns
	t.waiting = append(t.waiting, turn{u.target.place, u.RowUpdater, old, new})
	return nil
}

// exactly makes what differs by case only a change, in all tables of an UPDATE.
func exactly(n sql.Node) {
	transform.Inspect(n, func(n sql.Node) bool {
		if node, is := n.(sql.TableNode); is {
			if t, is := node.UnderlyingTable().(*storage.Table); is {
				t.Exact()
			}
		}
		return true
	})
}

// inTurns is an UPDATE of several tables that take turns; nil for others, and for UPDATE IGNORE,
// whose writes the engine must see fail.
func (b *builder) inTurns(ctx *sql.Context, n *plan.Update) (sql.Node, error) {
	join, is := n.Child.(*plan.UpdateJoin)
	if !is || len(join.UpdateTargets) < 2 || n.Ignore {
		return nil, nil
	}
	source, is := join.Child.(*plan.UpdateSource)
	if !is {
		return nil, nil
	}
	exactly(join)
	t, list := &turns{}, map[string]sql.Node{}
	for name, node := range join.UpdateTargets {
		if _, done := node.(*target); done {
			return nil, nil
		}
		table, err := plan.GetUpdatable(node)
		if err != nil {
			return nil, err
		}
		place := slices.IndexFunc(source.Child.Schema(ctx), func(c *sql.Column) bool { return strings.EqualFold(c.Source, name) })
		list[name] = &target{table, node, t, place}
	}
	own := *source
	b.sources.Store(&own, t)
	return n.WithChildren(ctx, plan.NewUpdateJoin(list, &own))
}

// turning are the rows of the join of an UPDATE in turns: the writes for a row are done before
// the next one is looked for.
type turning struct {
	sql.RowIter
	turns *turns
}

// Next implements sql.RowIter.
func (t *turning) Next(ctx *sql.Context) (sql.Row, error) {
	if err := t.turns.flush(ctx); err != nil {
		return nil, err
	}
	return t.RowIter.Next(ctx)
}
