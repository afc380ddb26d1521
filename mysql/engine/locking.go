package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// lockingFilter is a condition on a table whose rows the statement locks: those that
// fulfil it, and still do so when they are locked.
type lockingFilter struct {
	child     sql.RowIter
	table     *storage.Table
	condition sql.Expression
}

// Next implements sql.RowIter.
func (f *lockingFilter) Next(ctx *sql.Context) (sql.Row, error) {
	if f.table.Modelled(ctx) {
		return f.judged(ctx)
	}
	for {
		row, err := f.child.Next(ctx)
		if err != nil {
			return nil, err
		}
		if ok, err := sql.EvaluateCondition(ctx, f.condition, row); err != nil || !sql.IsTrue(ok) {
			if err != nil {
				return nil, err
			}
			continue
		}
		newest, err := f.table.LockLast(ctx)
		if err != nil {
			return nil, err
		}
		if newest == nil {
			continue
		}
		row = append(row[:len(row)-len(newest):len(row)-len(newest)], newest...) // after those of an outer query
		if ok, err := sql.EvaluateCondition(ctx, f.condition, row); err != nil || sql.IsTrue(ok) {
			return row, err
		}
	}
}

// judged is Next under a model of the database: the scan has locked the row, and is told
// whether the statement wants it.
func (f *lockingFilter) judged(ctx *sql.Context) (sql.Row, error) {
	for {
		row, err := f.child.Next(ctx)
		if err != nil {
			return nil, err
		}
		ok, err := sql.EvaluateCondition(ctx, f.condition, row)
		if err != nil {
			return nil, err
		}
		if f.table.Judge(sql.IsTrue(ok)) {
			return row, nil
		}
	}
}

// Close implements sql.RowIter.
func (f *lockingFilter) Close(ctx *sql.Context) error { return f.child.Close(ctx) }

// lockedTable is the table that a node scans, when the statement locks its rows.
func lockedTable(n sql.Node) *storage.Table {
	if t := scannedTable(n); t != nil && t.Locks() {
		return t
	}
	return nil
}

// scannedTable is the table that a node scans, if it does nothing else.
func scannedTable(n sql.Node) *storage.Table {
	var scanned sql.Table
	switch n := n.(type) {
	case *plan.TableAlias:
		return scannedTable(n.Child)
	case *plan.ResolvedTable:
		scanned = n.Table
	case *plan.IndexedTableAccess:
		scanned = n.Table
	}
	for {
		w, ok := scanned.(sql.TableWrapper)
		if !ok {
			t, _ := scanned.(*storage.Table)
			return t
		}
		scanned = w.Underlying()
	}
}

// tablesOf are the tables of a FROM by the names that the statement has for them, both in
// lower case.
func tablesOf(list sqlparser.TableExprs) map[string]string {
	tables := map[string]string{}
	var walk func(sqlparser.TableExpr)
	walk = func(e sqlparser.TableExpr) {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			t, ok := e.Expr.(sqlparser.TableName)
			if !ok {
				return
			}
			name := strings.ToLower(t.Name.String())
			alias := strings.ToLower(e.As.String())
			if alias == "" {
				alias = name
			}
			tables[alias] = name
		case *sqlparser.JoinTableExpr:
			walk(e.LeftExpr)
			walk(e.RightExpr)
		case *sqlparser.ParenTableExpr:
			for _, inner := range e.Exprs {
				walk(inner)
			}
		}
	}
	for _, e := range list {
		walk(e)
	}
	return tables
}

// readOrWritten are the tables that a statement names, in lower case.
func readOrWritten(s sqlparser.Statement) map[string]bool {
	names := map[string]bool{}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if t, ok := n.(sqlparser.TableName); ok {
			names[strings.ToLower(t.Name.String())] = true
		}
		return true, nil
	}, s)
	return names
}
