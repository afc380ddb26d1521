package engine

import (
	"context"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Writes through a view. UPDATE, DELETE and INSERT of a view on one table, whose columns are columns of the
// table, write the table: the view's condition is one more of an UPDATE and a DELETE, and says nothing of an
// INSERT (MySQL 8.0 Reference Manual, 27.5.3). The engine does not write views. Others stay as they are:
// it says so.

// writtenView is such a view.
type writtenView struct {
	table   sqlparser.TableName
	columns map[string]string // of the view, in lower case, and of the table; nil for all, by their own names
	order   sqlparser.Columns // those of the table in the order of the view's; nil for all
	where   sqlparser.Expr    // nil for none
}

// throughViews puts the tables of views in their places.
func (c *Conn) throughViews(parsed sqlparser.Statement) {
	for range 8 { // views of views
		if !c.throughView(parsed) {
			return
		}
	}
}

// throughView does so once, and reports whether it has done it.
func (c *Conn) throughView(parsed sqlparser.Statement) bool {
	switch s := parsed.(type) {
	case *sqlparser.Update:
		return c.changeThrough(s.TableExprs, &s.Where, []sqlparser.SQLNode{s.Exprs, s.OrderBy})
	case *sqlparser.Delete:
		if len(s.Targets) == 0 {
			return c.changeThrough(s.TableExprs, &s.Where, []sqlparser.SQLNode{s.OrderBy})
		}
	case *sqlparser.Insert:
		return c.insertThrough(s)
	}
	return false
}

// changeThrough is throughView of UPDATE and DELETE.
func (c *Conn) changeThrough(from sqlparser.TableExprs, where **sqlparser.Where, parts []sqlparser.SQLNode) bool {
	if len(from) != 1 {
		return false
	}
	e, is := from[0].(*sqlparser.AliasedTableExpr)
	if !is {
		return false
	}
	name, is := e.Expr.(sqlparser.TableName)
	if !is {
		return false
	}
	v := c.writtenView(name.Name.String())
	if v == nil || *where != nil && hasQuery(*where) || hasQuery(parts...) {
		return false
	}
	called := e.As.String()
	old := called
	if old == "" {
		old, called = name.Name.String(), v.table.Name.String()
	}
	if *where != nil {
		parts = append(parts, *where)
	}
	if !v.renames(old, called, parts) {
		return false
	}
	e.Expr = v.table
	if v.where != nil {
		cond := v.condition(called)
		if *where != nil {
			cond = &sqlparser.AndExpr{Left: cond, Right: &sqlparser.ParenExpr{Expr: (*where).Expr}}
		}
		*where = sqlparser.NewWhere(sqlparser.WhereStr, cond)
	}
	return true
}

// insertThrough is throughView of INSERT and REPLACE.
func (c *Conn) insertThrough(i *sqlparser.Insert) bool {
	v := c.insertedView(i.Table.Name.String())
	if v == nil || len(i.OnDup) > 0 && v.columns != nil || !c.engine.db.Fills(v.table.Name.String(), v.columns) {
		return false
	}
	columns := v.order
	if len(i.Columns) > 0 {
		columns = nil
		for _, name := range i.Columns {
			of, is := v.columns[name.Lowered()]
			if v.columns == nil {
				of, is = name.String(), true
			}
			if !is {
				return false
			}
			columns = append(columns, sqlparser.NewColIdent(of))
		}
	}
	i.Table, i.Columns = v.table, columns
	return true
}

// insertedView is a view into which rows can be inserted, on a table: views between them have the columns
// of the innermost one by other names. It is nil for a table, and for other views.
func (c *Conn) insertedView(name string) *writtenView {
	v := c.writtenView(name)
	if v == nil {
		return nil
	}
	if _, is, err := c.engine.db.GetViewDefinition(nil, v.table.Name.String()); err != nil || !is {
		return v
	}
	inner := c.insertedView(v.table.Name.String())
	switch {
	case inner == nil:
		return nil
	case v.columns == nil:
		return inner
	}
	v.table = inner.table
	for name, of := range v.columns {
		if inner.columns != nil {
			v.columns[name] = inner.columns[strings.ToLower(of)]
		}
	}
	for i, of := range v.order {
		if inner.columns != nil {
			v.order[i] = sqlparser.NewColIdent(inner.columns[of.Lowered()])
		}
	}
	return v
}

// writtenView is a view that can be written; nil for a table, and for other views.
func (c *Conn) writtenView(name string) *writtenView {
	def, is, err := c.engine.db.GetViewDefinition(nil, name)
	if err != nil || !is {
		return nil
	}
	tree, _, err := sql.DefaultMySQLParser.ParseOneWithOptions(context.Background(), def.CreateViewStatement, sql.NewSqlModeFromString(def.SqlMode).ParserOptions())
	d, is := tree.(*sqlparser.DDL)
	if err != nil || !is || d.ViewSpec == nil || string(d.ViewSpec.CheckOption) != "" || strings.EqualFold(d.ViewSpec.Algorithm, "temptable") {
		return nil
	}
	s := merged(d.ViewSpec.ViewExpr)
	if s == nil || len(s.From) != 1 || s.With != nil || s.Where != nil && hasQuery(s.Where) {
		return nil
	}
	from, is := s.From[0].(*sqlparser.AliasedTableExpr)
	if !is {
		return nil
	}
	v := &writtenView{}
	if v.table, is = from.Expr.(sqlparser.TableName); !is {
		return nil
	}
	if s.Where != nil {
		v.where = s.Where.Expr
	}
	if _, star := s.SelectExprs[0].(*sqlparser.StarExpr); star && len(s.SelectExprs) == 1 && len(d.ViewSpec.Columns) == 0 {
		return v
	}
	v.columns = map[string]string{}
	for i, e := range s.SelectExprs {
		a, is := e.(*sqlparser.AliasedExpr)
		if !is {
			return nil
		}
		column, is := a.Expr.(*sqlparser.ColName)
		if !is {
			return nil
		}
		called := column.Name
		if !a.As.IsEmpty() {
			called = a.As
		}
		if len(d.ViewSpec.Columns) > 0 {
			called = d.ViewSpec.Columns[i]
		}
		v.columns[called.Lowered()] = column.Name.String()
		v.order = append(v.order, column.Name)
	}
	return v
}

// hasQuery reports whether a subquery is in parts of a statement.
func hasQuery(parts ...sqlparser.SQLNode) (has bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		_, is := n.(*sqlparser.Subquery)
		has = has || is
		return !has, nil
	}, parts...)
	return has
}

// renames gives the columns of parts of a statement their names in the table, which is called otherwise. It
// reports whether the view has all of them; else nothing is renamed.
func (v *writtenView) renames(old, called string, parts []sqlparser.SQLNode) bool {
	var columns []*sqlparser.ColName
	all := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if c, is := n.(*sqlparser.ColName); is {
			_, has := v.columns[c.Name.Lowered()]
			all = all && (has || v.columns == nil) && (c.Qualifier.IsEmpty() || strings.EqualFold(c.Qualifier.Name.String(), old))
			columns = append(columns, c)
		}
		return true, nil
	}, parts...)
	if !all {
		return false
	}
	for _, c := range columns {
		if !c.Qualifier.IsEmpty() {
			c.Qualifier = sqlparser.TableName{Name: sqlparser.NewTableIdent(called)}
		}
		if of := v.columns[c.Name.Lowered()]; of != "" {
			c.Name = sqlparser.NewColIdent(of)
		}
	}
	return true
}

// condition is the view's condition on the table, which is called so.
func (v *writtenView) condition(called string) sqlparser.Expr {
	e := &sqlparser.ParenExpr{Expr: v.where}
	replaceExprs(reflect.ValueOf(e), func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		if c, is := e.(*sqlparser.ColName); is && !c.Qualifier.IsEmpty() {
			c.Qualifier = sqlparser.TableName{Name: sqlparser.NewTableIdent(called)}
		}
		return e, false
	})
	return e
}
