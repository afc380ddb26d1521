package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// The columns that a SELECT names, and its subqueries of the tables around them: an index that has
// them all covers the table.

// columnNames is the columns that a part of a statement names.
type columnNames struct {
	columns []column
	stars   []string // tables whose columns are all named, as the statement calls them; "" for all
	order   []string
}

// column is one that a statement names, in lower case.
type column struct{ table, name string }

// names are those of a SELECT, an UPDATE or a DELETE.
func (r *referrer) names(s sqlparser.SQLNode) (n columnNames) {
	var order sqlparser.OrderBy
	switch s := s.(type) {
	case *sqlparser.Select:
		order = s.OrderBy
		for _, e := range s.SelectExprs {
			if star, is := e.(*sqlparser.StarExpr); is {
				n.stars = append(n.stars, strings.ToLower(star.TableName.Name.String()))
			}
		}
	case *sqlparser.Update:
		order = s.OrderBy
	case *sqlparser.Delete:
		order = s.OrderBy
	}
	for _, o := range order {
		name := ""
		if c, is := o.Expr.(*sqlparser.ColName); is {
			name = c.Name.Lowered()
		}
		n.order = append(n.order, name)
	}
	n.columns = r.columns(s)
	return n
}

// of is what the statement names of a table.
func (n columnNames) of(alias string) (out storage.Naming) {
	out.Order = n.order
	for _, c := range n.columns {
		if (c.table == "" || c.table == alias) && !slices.Contains(out.Columns, c.name) {
			out.Columns = append(out.Columns, c.name)
		}
	}
	out.Star = slices.Contains(n.stars, "") || slices.Contains(n.stars, alias)
	return out
}

// columns are those of a part, and those of its subqueries that belong to tables around them.
func (r *referrer) columns(s sqlparser.SQLNode) (list []column) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.ColName:
			list = append(list, column{strings.ToLower(n.Qualifier.Name.String()), n.Name.Lowered()})
		case *sqlparser.AliasedTableExpr, *sqlparser.With:
			return false, nil
		case *sqlparser.Subquery:
			list = append(list, r.outer(n.Select)...)
			return false, nil
		}
		return true, nil
	}, s)
	return list
}

// outer are the columns of a query that are not of its own tables.
func (r *referrer) outer(s sqlparser.SelectStatement) []column {
	switch s := s.(type) {
	case *sqlparser.ParenSelect:
		return r.outer(s.Select)
	case *sqlparser.SetOp:
		return append(r.outer(s.Left), r.outer(s.Right)...)
	case *sqlparser.Select:
		tables := tablesOf(s.From)
		return slices.DeleteFunc(r.columns(s), func(c column) bool {
			if c.table != "" {
				return tables[c.table] != ""
			}
			for _, table := range tables {
				if r.db.Has(table, c.name) {
					return true
				}
			}
			return false
		})
	}
	return nil
}
