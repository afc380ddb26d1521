package engine

import (
	"context"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// A trigger's statements lock as others do. SELECT … INTO reads from the view, as a SELECT. What
// other statements read, and the subqueries of IF and SET, is locked as what the statement that
// fires the trigger reads.

// firing is the parser of an engine, which reads a trigger each time that one fires.
type firing struct {
	parser
	db *storage.Database
}

// ParseWithOptions implements sql.Parser.
func (p firing) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, options sqlparser.ParserOptions) (s sqlparser.Statement, parsed, rest string, err error) {
	s, parsed, rest, err = p.parser.ParseWithOptions(ctx, query, delimiter, multi, options)
	if d, is := s.(*sqlparser.DDL); is && err == nil && d.TriggerSpec != nil {
		fires(p.db, d.TriggerSpec.Body)
	}
	return s, parsed, rest, err
}

// fires writes into the body of a trigger what it does to its tables.
func fires(db *storage.Database, body sqlparser.Statement) {
	r := &referrer{db: db, written: map[string]bool{}}
	eachStatement(reflect.ValueOf(body), func(n sqlparser.SQLNode) { r.opens(n) })
	eachStatement(reflect.ValueOf(body), func(n sqlparser.SQLNode) {
		_, r.query = n.(sqlparser.SelectStatement)
		if q, is := n.(*sqlparser.Subquery); is {
			n = q.Select
		}
		r.statement(n)
	})
}

// insertsSubquery reports whether a trigger's INSERT has a subquery among its values: the engine does
// not find the columns of such a one.
func insertsSubquery(body sqlparser.Statement) (is bool) {
	below := func(parts ...sqlparser.SQLNode) {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
			_, one := n.(*sqlparser.Subquery)
			is = is || one
			return !is, nil
		}, parts...)
	}
	eachStatement(reflect.ValueOf(&body), func(n sqlparser.SQLNode) {
		i, inserts := n.(*sqlparser.Insert)
		if !inserts {
			return
		}
		switch rows := i.Rows.(type) {
		case *sqlparser.Select:
			below(rows.SelectExprs)
		case *sqlparser.AliasedValues:
			below(rows)
		}
	})
	return is
}

// opens notes which tables a statement of a trigger writes.
func (r *referrer) opens(n sqlparser.SQLNode) {
	tables := map[string]string{}
	switch n := n.(type) {
	case *sqlparser.Insert:
		name := strings.ToLower(n.Table.Name.String())
		tables[name] = name
	case *sqlparser.Update:
		tables = tablesOf(n.TableExprs)
	case *sqlparser.Delete:
		for alias, table := range tablesOf(n.TableExprs) {
			if deletes(n, alias) {
				tables[alias] = table
			}
		}
	case *sqlparser.Select:
		if c := clauseOf(n.Lock); c.is && !c.Shared {
			tables = tablesOf(n.From)
		}
	}
	for alias, table := range tables {
		r.written[nameIn(alias, table)] = true
	}
}

// eachStatement calls a function for the statements in a part of a trigger that read or write
// tables, and for the subqueries of the others.
func eachStatement(v reflect.Value, do func(sqlparser.SQLNode)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		switch n := v.Interface().(type) {
		case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.Subquery, sqlparser.SelectStatement:
			do(n.(sqlparser.SQLNode))
			return
		}
		eachStatement(v.Elem(), do)
	case reflect.Struct:
		if !strings.HasSuffix(v.Type().PkgPath(), "sqlparser") {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachStatement(v.Field(i), do)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachStatement(v.Index(i), do)
		}
	}
}

// used is the error of a statement of a trigger that opens a table for writing which the statement
// around it uses, whatever rows there are.
func used(ctx *sql.Context, n sql.Node) (err error) {
	switch n := n.(type) {
	case *plan.InsertInto:
		if t := insertedTable(n); t != nil {
			err = t.Used(ctx, true)
		}
	case *plan.Update, *plan.DeleteFrom, *plan.Into:
	default:
		return nil
	}
	var below func(n sql.Node)
	below = func(n sql.Node) {
		if t := scannedTable(n); t != nil && err == nil {
			err = t.Used(ctx, false)
		}
		children := n.Children()
		if fires, is := n.(*plan.TriggerExecutor); is { // whose statements ask for themselves
			children = []sql.Node{fires.Left()}
		}
		for _, c := range children {
			below(c)
		}
	}
	below(n)
	return err
}

// insertedTable is the table into which rows are inserted.
func insertedTable(n *plan.InsertInto) *storage.Table {
	into, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil
	}
	t, is := into.(*storage.Table)
	if f, checked := into.(*plan.ForeignKeyHandler); checked && !is {
		t, _ = f.Table.(*storage.Table)
	}
	return t
}
