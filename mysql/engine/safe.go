package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// sql_safe_updates: an UPDATE or DELETE without LIMIT needs a condition on an index, and a DELETE
// a WHERE (MariaDB's mysql_update and mysql_delete). Whether a condition makes a range of an index
// is a server's decision. It is known where an indexed column is compared with a value, and where
// the condition names no indexed column.

// errUnsafe is the error of a statement that is not safe.
var errUnsafe = mysql.NewSQLError(1175, "HY000", "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column")

// unsafe is the error of a statement that sql_safe_updates forbids; nil for others.
func (c *Conn) unsafe(s *sql.Context, parsed sqlparser.Statement) error {
	var where *sqlparser.Where
	var tables sqlparser.TableExprs
	limited := false
	if !c.safe {
		return nil
	}
	switch p := parsed.(type) {
	case *sqlparser.Update:
		where, tables, limited = p.Where, p.TableExprs, p.Limit != nil
	case *sqlparser.Delete:
		if p.Where == nil {
			return errUnsafe
		}
		where, tables, limited = p.Where, p.TableExprs, p.Limit != nil
	default:
		return nil
	}
	switch {
	case limited:
		return nil
	case joins(tables):
		return mysql.NewSQLError(1235, "42000", refusedHere+"sql_safe_updates with several tables is not explored: leave sql_safe_updates out of the test")
	case where == nil:
		return errUnsafe
	}
	keys := c.indexed(s, tables)
	names := false
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if column, is := n.(*sqlparser.ColName); is {
			names = names || slices.Contains(keys, column.Name.Lowered())
		}
		return true, nil
	}, where)
	switch {
	case !names:
		return errUnsafe
	case fixesOne(where.Expr, keys):
		return nil
	}
	return mysql.NewSQLError(1235, "42000", refusedHere+"whether a server finds a key in this WHERE, as sql_safe_updates wants, is not known: compare an indexed column with a value, or leave sql_safe_updates out of the test")
}

// indexed are the first columns of the indexes of the one table, in lower case.
func (c *Conn) indexed(s *sql.Context, tables sqlparser.TableExprs) (columns []string) {
	for _, name := range tablesOf(tables) {
		t, ok, err := c.engine.db.GetTableInsensitive(s, name)
		indexed, is := t.(sql.IndexAddressable)
		if !ok || err != nil || !is {
			continue
		}
		list, _ := indexed.GetIndexes(s) // which the storage always knows
		for _, x := range list {
			first := x.Expressions()[0]
			columns = append(columns, strings.ToLower(first[strings.LastIndexByte(first, '.')+1:]))
		}
	}
	return columns
}

// fixesOne reports whether a condition, or one of several that all hold, compares one of these
// columns with a value.
func fixesOne(e sqlparser.Expr, columns []string) bool {
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		return fixesOne(e.Expr, columns)
	case *sqlparser.AndExpr:
		return fixesOne(e.Left, columns) || fixesOne(e.Right, columns)
	case *sqlparser.ComparisonExpr:
		column, is := e.Left.(*sqlparser.ColName)
		_, value := e.Right.(*sqlparser.SQLVal)
		return is && value && e.Operator != sqlparser.NotEqualStr && e.Operator != sqlparser.LikeStr && slices.Contains(columns, column.Name.Lowered())
	}
	return false
}
