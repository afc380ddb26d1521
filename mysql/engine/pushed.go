package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/txmc/txmc/mysql/storage"
)

// Index condition pushdown: a condition may be about columns of the scanned index. A server
// judges such a condition on the entry of the index, before it looks up the row and locks it
// (MySQL 8.0 Reference Manual, 10.2.1.6; make_cond_for_index in MariaDB's
// opt_index_cond_pushdown.cc).

// push gives the scan below a condition the parts of it that an index may decide.
func push(n *plan.Filter, outer sql.Row) {
	child := n.Child
	if p, is := child.(*plan.PrependNode); is {
		child = p.Child
	}
	t, scan := scannedTable(child), child
	if alias, is := scan.(*plan.TableAlias); is {
		scan = alias.Child
	}
	access, is := scan.(*plan.IndexedTableAccess)
	if t == nil || !is {
		return
	}
	name := child.(sql.Nameable).Name()
	var parts []storage.Part
	for _, e := range conjuncts(n.Expression, nil) {
		if p, ok := partOf(e, t, name, outer); ok {
			parts = append(parts, p)
		}
	}
	t.Push(parts, access.IsStatic())
}

// conjuncts are the conditions that AND joins.
func conjuncts(e sql.Expression, list []sql.Expression) []sql.Expression {
	if and, is := e.(*expression.And); is {
		return conjuncts(and.RightChild, conjuncts(and.LeftChild, list))
	}
	return append(list, e)
}

// partOf is a condition with the columns of the table that it names; false if a server would not judge it on
// an entry. Rows have the columns of the outer query before those of the table.
func partOf(e sql.Expression, t *storage.Table, name string, outer sql.Row) (p storage.Part, ok bool) {
	ok = true
	before := 0
	sql.Inspect(nil, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			ok = false
		case sql.NonDeterministicExpression:
			ok = ok && !e.IsNonDeterministic()
		case *expression.GetField:
			if place := t.Place(e.Name()); strings.EqualFold(e.Table(), name) && place >= 0 {
				p.Columns = append(p.Columns, place)
				before = e.Index() - place
			}
		}
		return ok
	})
	if !ok || len(p.Columns) == 0 || before < 0 || before > len(outer) {
		return p, false
	}
	outer = outer[:before:before]
	p.Holds = func(ctx *sql.Context, row sql.Row) (bool, error) {
		v, err := sql.EvaluateCondition(ctx, e, append(outer, row...))
		return sql.IsTrue(v), err
	}
	return p, true
}
