package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

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
	b.sources.Store(&own, watched{turns: t})
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

// watched is what the rows of the join of an UPDATE need.
type watched struct {
	turns *turns   // or nil
	fires []string // tables with UPDATE triggers, in lower case, as the statement calls them
}

// watched is the rows of the join.
func (b *builder) watched(ctx *sql.Context, n *plan.UpdateSource, w watched, row sql.Row) (sql.RowIter, error) {
	rows, err := b.base.Build(ctx, n, row)
	if err == nil && w.turns != nil {
		rows = &turning{rows, w.turns}
	}
	if err == nil && w.fires != nil {
		rows = &changing{rows, n.Child.Schema(ctx), w.fires}
	}
	return rows, err
}

// unfiring is the rows of an UPDATE of several tables where one has UPDATE triggers; nil for others.
// A server fires them for rows that stay as they are, too. The engine does not.
func (b *builder) unfiring(ctx *sql.Context, n *plan.UpdateJoin, row sql.Row) (sql.RowIter, error) {
	source, is := n.Child.(*plan.UpdateSource)
	if !is {
		return nil, nil
	}
	var w watched
	if known, is := b.sources.Load(source); is {
		w = known.(watched)
	}
	triggers, err := connOf(ctx).engine.triggers(ctx)
	if w.fires != nil || len(triggers) == 0 || err != nil {
		return nil, err
	}
	w.fires = []string{}
	for name, node := range n.UpdateTargets {
		if t, is := node.(*target); is {
			node = t.Node
		}
		table := scannedTable(node)
		if table != nil && slices.ContainsFunc(triggers, func(t trigger) bool {
			return t.event == sqlparser.UpdateStr && strings.EqualFold(t.table, table.Name())
		}) {
			w.fires = append(w.fires, strings.ToLower(name))
		}
	}
	own := *source
	b.sources.Store(&own, w)
	return b.base.Build(ctx, plan.NewUpdateJoin(n.UpdateTargets, &own), row)
}

// changing is the rows of a join, in which some tables must not stay as they are.
type changing struct {
	sql.RowIter
	schema sql.Schema
	tables []string
}

// Next implements sql.RowIter.
func (c *changing) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := c.RowIter.Next(ctx)
	if err != nil {
		return nil, err
	}
	old, changed := plan.SplitRowIntoTableRowMap(row[:len(row)/2], c.schema), plan.SplitRowIntoTableRowMap(row[len(row)/2:], c.schema)
	schemas := plan.RecreateTableSchemaFromJoinSchema(c.schema)
	for _, name := range c.tables {
		same, err := old[name].Equals(ctx, changed[name], schemas[name])
		if err != nil {
			return nil, err
		}
		if same {
			return nil, mysql.NewSQLError(1235, "42000", refusedHere+"an UPDATE of several tables that leaves a row of %s as it is, which has UPDATE triggers, is not explored: send an UPDATE of one table", name)
		}
	}
	return row, nil
}
