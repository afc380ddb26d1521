package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// What the engine's planner leaves out: BETWEEN as a range in UPDATE and DELETE, and hints.

// withRanges puts two comparisons in the place of BETWEEN in the condition of an UPDATE or
// DELETE: the planner knows these as a range of an index.
func withRanges(parsed sqlparser.Statement) {
	var where *sqlparser.Where
	switch p := parsed.(type) {
	case *sqlparser.Update:
		where = p.Where
	case *sqlparser.Delete:
		where = p.Where
	}
	if where != nil {
		where.Expr = compared(where.Expr)
	}
}

func compared(e sqlparser.Expr) sqlparser.Expr {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		return &sqlparser.AndExpr{Left: compared(e.Left), Right: compared(e.Right)}
	case *sqlparser.OrExpr:
		return &sqlparser.OrExpr{Left: compared(e.Left), Right: compared(e.Right)}
	case *sqlparser.ParenExpr:
		return &sqlparser.ParenExpr{Expr: compared(e.Expr)}
	case *sqlparser.RangeCond:
		if _, ok := e.Left.(*sqlparser.ColName); ok && e.Operator == sqlparser.BetweenStr {
			return &sqlparser.ParenExpr{Expr: &sqlparser.AndExpr{
				Left:  &sqlparser.ComparisonExpr{Operator: sqlparser.GreaterEqualStr, Left: e.Left, Right: e.From},
				Right: &sqlparser.ComparisonExpr{Operator: sqlparser.LessEqualStr, Left: e.Left, Right: e.To},
			}}
		}
	}
	return e
}

// hintsOf are the hints of a statement on indexes, by tables in lower case.
func hintsOf(parsed sqlparser.Statement) (hints map[string]*storage.Hint) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		t, ok := n.(*sqlparser.AliasedTableExpr)
		if !ok || t.Hints == nil {
			return true, nil
		}
		name, ok := t.Expr.(sqlparser.TableName)
		if !ok {
			return true, nil
		}
		if hints == nil {
			hints = map[string]*storage.Hint{}
		}
		hints[strings.ToLower(name.Name.String())] = hintOf(t)
		return true, nil
	}, parsed)
	return hints
}

// noIndex is the error of a hint that names an index which its table does not have. A server takes
// the beginning of a name too.
func (c *Conn) noIndex(s *sql.Context, hints map[string]*storage.Hint) error {
	for table, h := range hints {
		t, ok, err := c.engine.db.GetTableInsensitive(s, table)
		indexed, is := t.(interface{ IndexNames() []string })
		if !ok || err != nil || !is {
			continue
		}
		list := indexed.IndexNames()
		for _, name := range h.Indexes {
			begins := func(x string) bool { return strings.HasPrefix(strings.ToLower(x), name) }
			switch {
			case slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, name) }):
			case slices.ContainsFunc(list, begins):
				return mysql.NewSQLError(1235, "42000", refusedHere+"the beginning of an index's name in a hint is not explored: write the whole name")
			default:
				return mysql.NewSQLError(1176, "42000", "Key '%s' doesn't exist in table '%s'", name, table)
			}
		}
	}
	return nil
}
