package engine

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// Views. A view's SELECT takes the place of its name. A server merges one that has no groups,
// no DISTINCT, no LIMIT and no UNION into the statement: its tables are locked as the view is, and
// its own locking clause says nothing. Else the view is a table of its own, made by its SELECT with
// the clauses that this has (MariaDB's mysql_make_view and LEX::can_be_merged).

// view puts a view's SELECT in the place of its name; false for a table.
func (r *referrer) view(e *sqlparser.AliasedTableExpr, name string, ref storage.Reference) bool {
	def, is, err := r.db.GetViewDefinition(nil, name)
	if err != nil || !is {
		return false
	}
	tree, _, err := sql.DefaultMySQLParser.ParseOneWithOptions(context.Background(), def.CreateViewStatement, sql.NewSqlModeFromString(def.SqlMode).ParserOptions())
	d, is := tree.(*sqlparser.DDL)
	if err != nil || !is || d.ViewSpec == nil {
		return false
	}
	query := d.ViewSpec.ViewExpr
	e.Expr, e.Hints = &sqlparser.Subquery{Select: query, Columns: d.ViewSpec.Columns}, nil
	if e.As.IsEmpty() {
		e.As = sqlparser.NewTableIdent(def.Name)
	}
	if s := merged(query); s != nil && !strings.EqualFold(d.ViewSpec.Algorithm, "temptable") {
		r.one(s, clause{Lock: ref.Lock, is: ref.Locks}, ref.Single, nil)
	} else {
		r.selects(query, clause{}, nil)
	}
	return true
}

// merged is the SELECT of a view that a server merges into statements; nil for one that it does not.
func merged(query sqlparser.SelectStatement) *sqlparser.Select {
	if p, is := query.(*sqlparser.ParenSelect); is {
		return merged(p.Select)
	}
	s, is := query.(*sqlparser.Select)
	if !is || s.QueryOpts.Distinct || len(s.GroupBy) > 0 || s.Having != nil || s.Limit != nil || len(s.From) == 0 {
		return nil
	}
	for _, e := range s.SelectExprs {
		if a, is := e.(*sqlparser.AliasedExpr); is && (aggregates(a.Expr) || windows(a.Expr)) {
			return nil
		}
	}
	return s
}

// windows reports whether an expression has a window.
func windows(e sqlparser.Expr) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		f, is := n.(*sqlparser.FuncExpr)
		found = found || is && f.Over != nil
		_, below := n.(*sqlparser.Subquery)
		return !below, nil
	}, e)
	return found
}
