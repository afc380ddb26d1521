package engine

import (
	"cmp"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/mysql/storage"
)

// Rows that a server reads while it plans. A condition may give all columns of a unique key one
// value: then there is one row at most. A server reads this row before it decides anything else,
// whether the statement comes to need it or not, and so it does with what MIN and MAX have at the
// end of an index. It plans derived tables first, then the tables of a FROM in their order, then
// the subqueries (MySQL 8.0 Reference Manual, 10.8.2, "const"; MariaDB's make_join_statistics,
// opt_sum_query and optimize_unflattened_subqueries). Others see it by the locks, and by when the
// transaction's view is made.

// planning is what a server reads while it plans a statement, in its order.
type planning struct {
	b     *builder
	reads []endScan
	locks bool // the statement locks rows of a table
	names int  // how many tables it names
	deep  bool // it has a subquery or a derived table
}

// constants reads what a server reads while it plans.
func (b *builder) constants(ctx *sql.Context, n sql.Node) error {
	if c := connOf(ctx); c == nil || c.model == nil || !c.session.Plans() {
		return nil
	}
	p := &planning{b: b}
	if err := p.level(ctx, n, false); err != nil {
		return err
	}
	if !p.locks || p.names == 1 && !p.deep { // a row that it reads at once
		return nil
	}
	for _, r := range p.reads {
		if found, err := b.exhaust(ctx, r.scan); err != nil {
			return err
		} else if !found && r.null != nil {
			if _, err := b.exhaust(ctx, r.null); err != nil {
				return err
			}
		}
	}
	return nil
}

// exhaust reads all rows of a scan, and reports whether there are any.
func (b *builder) exhaust(ctx *sql.Context, scan sql.Node) (found bool, err error) {
	rows, err := b.base.Build(ctx, scan, nil)
	for err == nil {
		if _, err = rows.Next(ctx); err == nil {
			found = true
		}
	}
	if err != io.EOF {
		return found, err
	}
	return found, rows.Close(ctx)
}

// one is the first row of a scan; nil for none.
func one(scan sql.Node) sql.Node {
	if scan == nil {
		return nil
	}
	return plan.NewLimit(expression.NewLiteral(int64(1), types.Int64), scan)
}

// parts are those of a SELECT, or of another statement: not those of its subqueries.
type parts struct {
	derived []sql.Node
	scans   []*plan.IndexedTableAccess
	ends    []*plan.GroupBy
	below   []sql.Node // the subqueries
	locks   bool
	names   int
}

// level adds what is read for a SELECT, or for another statement. nested: it is in a subquery.
func (p *planning) level(ctx *sql.Context, n sql.Node, nested bool) error {
	var of parts
	of.add(ctx, n)
	p.locks, p.names, p.deep = p.locks || of.locks, p.names+of.names, p.deep || nested
	for _, d := range of.derived {
		if err := p.level(ctx, d, true); err != nil {
			return err
		}
	}
	slices.SortStableFunc(of.scans, func(a, b *plan.IndexedTableAccess) int {
		return cmp.Compare(scannedTable(a).Nth(), scannedTable(b).Nth())
	})
	for _, scan := range of.scans {
		p.reads = append(p.reads, endScan{scan: scan})
	}
	for _, g := range of.ends {
		list, err := endsOf(ctx, g, nil)
		if err != nil {
			return err
		}
		for _, e := range list {
			if nested {
				p.reads = append(p.reads, endScan{scan: one(e.scan), null: one(e.null)})
			}
		}
	}
	for _, q := range of.below {
		if err := p.level(ctx, q, true); err != nil {
			return err
		}
	}
	return nil
}

// add adds the parts of a node.
func (of *parts) add(ctx *sql.Context, n sql.Node) {
	switch n := n.(type) {
	case *plan.SubqueryAlias:
		of.derived = append(of.derived, n.Child)
		return
	case *plan.TriggerExecutor: // whose statements are planned when it is fired
		of.add(ctx, n.Left())
		return
	case *plan.GroupBy:
		if len(n.GroupByExprs) == 0 {
			of.ends = append(of.ends, n)
		}
	}
	if t := scannedTable(n); t != nil {
		of.scan(ctx, n, t)
		return
	}
	if with, is := n.(sql.Expressioner); is {
		for _, e := range with.Expressions() {
			sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
				if q, is := e.(*plan.Subquery); is {
					of.below = append(of.below, q.Query)
				}
				return true
			})
		}
	}
	if i, is := n.(*plan.InsertInto); is {
		of.add(ctx, i.Source)
	}
	for _, child := range n.Children() {
		of.add(ctx, child)
	}
}

// scan adds a scan of a table, if it has one row at most.
func (of *parts) scan(ctx *sql.Context, n sql.Node, t *storage.Table) {
	of.names++
	of.locks = of.locks || t.Locking(ctx)
	if alias, is := n.(*plan.TableAlias); is {
		n = alias.Child
	}
	access, is := n.(*plan.IndexedTableAccess)
	if !is || !t.Early() || slices.ContainsFunc(access.Expressions(), func(e sql.Expression) bool { return !isOuter(e, nil) }) {
		return
	}
	lookup, ok, err := access.GetLookup(ctx, nil)
	if x, ours := lookup.Index.(*storage.Index); ok && err == nil && ours && x.OneRow(ctx, &lookup) {
		of.scans = append(of.scans, access)
	}
}
