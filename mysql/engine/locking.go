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
func lockedTable(ctx *sql.Context, n sql.Node) *storage.Table {
	if t := scannedTable(n); t != nil && t.Locks(ctx) {
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

// locksOf are the tables whose rows a statement locks: those of SELECT … FOR UPDATE and
// its likes, and those that UPDATE and DELETE change.
func locksOf(s sqlparser.Statement) storage.Locks {
	locks := storage.Locks{}
	switch s := s.(type) {
	case *sqlparser.Select:
		lockSelect(locks, s, s.Lock)
	case *sqlparser.SetOp:
		for _, side := range []sqlparser.SelectStatement{s.Left, s.Right} {
			if side, ok := side.(*sqlparser.Select); ok {
				lockSelect(locks, side, s.Lock)
			}
		}
	case *sqlparser.Update:
		lockUpdate(locks, s)
	case *sqlparser.Delete:
		lockDelete(locks, s)
	case *sqlparser.Insert:
		if len(s.OnDup) > 0 || strings.EqualFold(s.Action, sqlparser.ReplaceStr) {
			locks.LockExisting()
		}
		if query, is := s.Rows.(*sqlparser.Select); is {
			lockSelect(locks, query, query.Lock)
		}
	}
	return locks
}

func lockSelect(locks storage.Locks, s *sqlparser.Select, l *sqlparser.Lock) {
	if l == nil || l.Type == "" {
		return
	}
	text := strings.ToLower(l.Type)
	lock := storage.Lock{
		Shared:     strings.Contains(text, "share"),
		SkipLocked: strings.Contains(text, "skip locked"),
		NoWait:     strings.Contains(text, "nowait"),
	}
	of := map[string]bool{}
	for _, t := range l.Tables {
		of[strings.ToLower(t.Name.String())] = true
	}
	for alias, table := range tablesOf(s.From) {
		if len(of) == 0 || of[alias] {
			locks[table] = lock
		}
	}
}

// lockUpdate locks the tables whose columns are set: all of them where a column does not
// say whose it is.
func lockUpdate(locks storage.Locks, s *sqlparser.Update) {
	tables := tablesOf(s.TableExprs)
	for _, e := range s.Exprs {
		of, ok := tables[strings.ToLower(e.Name.Qualifier.Name.String())]
		if ok {
			locks[of] = storage.Lock{}
			continue
		}
		for _, t := range tables {
			locks[t] = storage.Lock{}
		}
	}
}

func lockDelete(locks storage.Locks, s *sqlparser.Delete) {
	tables := tablesOf(s.TableExprs)
	if len(s.Targets) == 0 {
		for _, t := range tables {
			locks[t] = storage.Lock{}
		}
	}
	for _, t := range s.Targets {
		name := strings.ToLower(t.Name.String())
		if of, ok := tables[name]; ok {
			name = of
		}
		locks[name] = storage.Lock{}
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
