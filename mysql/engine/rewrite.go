package engine

import (
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine understands some expressions otherwise than a server does. They are written in
// another way, which it understands like a server: the tree of a statement is changed
// before the engine sees it.

// rewrite changes a statement. set reports whether a user variable has a value.
func rewrite(parsed sqlparser.Statement, set func(name string) bool) {
	found, each, assigns := false, false, false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.Select:
			withAliases(n)
			withRollup(n)
		case *sqlparser.UnaryExpr:
			withoutTilde(n)
		case *sqlparser.GroupConcatExpr:
			withOne(n)
		case *sqlparser.IntervalExpr:
			found = true
		case *sqlparser.AliasedExpr:
			n.InputExpression = original(n.InputExpression)
			withLabel(n)
		case *sqlparser.FuncExpr:
			each = each || strings.HasPrefix(n.Name.Lowered(), eachName)
			assigns = assigns || n.Name.Lowered() == assignedName
		}
		return true, nil
	}, parsed)
	if each {
		replaceExprs(reflect.ValueOf(parsed), withEach)
	}
	if assigns {
		withUnset(parsed, set)
	}
	if found {
		replaceExprs(reflect.ValueOf(parsed), added)
	}
	if i, ok := parsed.(*sqlparser.Insert); ok {
		withNames(i)
		withPlan(i)
	}
	withTruths(parsed)
}

// withOne makes several arguments of GROUP_CONCAT one: the engine takes the first of them.
func withOne(g *sqlparser.GroupConcatExpr) {
	if len(g.Exprs) > 1 {
		g.Exprs = sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("concat"), Exprs: g.Exprs}}}
	}
}

// newRow is what the engine calls the row of an INSERT that VALUES(column) asks for.
const newRow = "__new_ins"

// withNames gives the columns of a SELECT other names, where its INSERT has VALUES(column)
// in ON DUPLICATE KEY UPDATE. These are the names of the columns that the INSERT fills: the
// engine looks for them by these names.
func withNames(i *sqlparser.Insert) {
	rows, ok := i.Rows.(sqlparser.SelectStatement)
	if !ok || len(i.Columns) == 0 || !asksForValues(i) {
		return
	}
	i.Rows = &sqlparser.Select{
		SelectExprs: sqlparser.SelectExprs{&sqlparser.StarExpr{}},
		From: sqlparser.TableExprs{&sqlparser.AliasedTableExpr{
			Expr: &sqlparser.Subquery{Select: rows, Columns: i.Columns}, As: sqlparser.NewTableIdent(newRow)}},
	}
}

// asksForValues reports whether an ON DUPLICATE KEY UPDATE has VALUES(column), and no columns
// of tables of the SELECT.
func asksForValues(i *sqlparser.Insert) bool {
	values, others := false, false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.ValuesFuncExpr:
			values = true
			return false, nil
		case *sqlparser.ColName:
			others = others || !n.Qualifier.IsEmpty() && !strings.EqualFold(n.Qualifier.Name.String(), i.Table.Name.String())
		}
		return true, nil
	}, i.OnDup)
	return values && !others
}

// withAliases puts the expression of an alias in its place in HAVING. Where a column has the
// name of an aggregate's alias, the engine takes the column. A server takes the alias,
// unless the groups are made by the column (MySQL 8.0 Reference Manual, 15.2.13).
func withAliases(s *sqlparser.Select) {
	if s.Having == nil {
		return
	}
	aliases := map[string]sqlparser.Expr{}
	for _, e := range s.SelectExprs {
		if a, ok := e.(*sqlparser.AliasedExpr); ok && !a.As.IsEmpty() && aggregates(a.Expr) {
			aliases[a.As.Lowered()] = a.Expr
		}
	}
	for _, g := range s.GroupBy {
		if c, ok := g.(*sqlparser.ColName); ok {
			delete(aliases, c.Name.Lowered())
		}
	}
	if len(aliases) == 0 {
		return
	}
	replaceExprs(reflect.ValueOf(s.Having), func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		switch e := e.(type) {
		case *sqlparser.FuncExpr:
			return e, e.IsAggregate() // whose arguments are columns
		case *sqlparser.Subquery:
			return e, true
		case *sqlparser.ColName:
			if of, ok := aliases[e.Name.Lowered()]; ok && e.Qualifier.IsEmpty() {
				return of, true
			}
		}
		return e, false
	})
}

// aggregates reports whether an expression has an aggregate function, of the groups.
func aggregates(e sqlparser.Expr) (found bool) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.FuncExpr:
			found = found || n.IsAggregate() && n.Over == nil
		case *sqlparser.Subquery:
			return false, nil
		}
		return true, nil
	}, e)
	return found
}

// withoutTilde makes ~x an operator that the engine knows: x with all bits turned.
func withoutTilde(u *sqlparser.UnaryExpr) {
	if u.Operator == sqlparser.TildaStr {
		ones := sqlparser.NewIntVal([]byte("18446744073709551615"))
		u.Operator, u.Expr = sqlparser.UPlusStr, &sqlparser.ParenExpr{Expr: &sqlparser.BinaryExpr{Left: ones, Operator: sqlparser.BitXorStr, Right: u.Expr}}
	}
}

// added makes x + INTERVAL … a call of DATE_ADD, whose result has the type of a server's.
func added(e sqlparser.Expr) (sqlparser.Expr, bool) {
	b, ok := e.(*sqlparser.BinaryExpr)
	if !ok || b.Operator != sqlparser.PlusStr && b.Operator != sqlparser.MinusStr {
		return e, false
	}
	to, by := b.Left, b.Right
	if _, first := to.(*sqlparser.IntervalExpr); first && b.Operator == sqlparser.PlusStr {
		to, by = by, to
	}
	if _, ok := by.(*sqlparser.IntervalExpr); !ok {
		return e, false
	}
	name := "date_add"
	if b.Operator == sqlparser.MinusStr {
		name = "date_sub"
	}
	return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name), Exprs: sqlparser.SelectExprs{
		&sqlparser.AliasedExpr{Expr: to}, &sqlparser.AliasedExpr{Expr: by}}}, false
}

var exprType = reflect.TypeFor[sqlparser.Expr]()

// replaceExprs puts what a function returns in the place of each expression in a tree. The
// function reports whether what it returns is done with; else its parts follow.
func replaceExprs(v reflect.Value, replaced func(sqlparser.Expr) (sqlparser.Expr, bool)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Type() == exprType && v.CanSet() {
			e, done := replaced(v.Interface().(sqlparser.Expr))
			if v.Set(reflect.ValueOf(e)); done {
				return
			}
		}
		replaceExprs(v.Elem(), replaced)
	case reflect.Struct:
		if !strings.HasSuffix(v.Type().PkgPath(), "sqlparser") {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replaceExprs(v.Field(i), replaced)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			replaceExprs(v.Index(i), replaced)
		}
	}
}
