package engine

import (
	"io"
	"reflect"
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// GROUP BY … WITH ROLLUP has a row for the groups of each shorter list of columns too, and
// one for all rows. The columns that are left out are NULL there (MySQL 8.0 Reference Manual,
// 14.19.2). The groups are in the order of their values.

// withRollup turns the expressions of a GROUP BY … WITH ROLLUP into aggregates where the
// results have them. So the groups know the values of expressions, and not only of columns.
func withRollup(s *sqlparser.Select) {
	last := len(s.GroupBy) - 1
	if last < 1 {
		return
	}
	if f, ok := s.GroupBy[last].(*sqlparser.FuncExpr); !ok || f.Name.Lowered() != rollupName {
		return
	}
	by := map[string]bool{}
	for i, g := range s.GroupBy[:last] {
		s.GroupBy[i] = selected(s, g)
		if _, column := s.GroupBy[i].(*sqlparser.ColName); !column {
			by[sqlparser.String(s.GroupBy[i])] = true
		}
	}
	replaced := func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		if f, ok := e.(*sqlparser.FuncExpr); ok && f.IsAggregate() {
			return e, true
		}
		if !by[sqlparser.String(e)] {
			return e, false
		}
		return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("any_value"), Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: e}}}, true
	}
	replaceExprs(reflect.ValueOf(s.SelectExprs), replaced)
	replaceExprs(reflect.ValueOf(s.Having), replaced)
	replaceExprs(reflect.ValueOf(s.OrderBy), replaced)
}

// selected is what a GROUP BY means by the alias or the number of a result.
func selected(s *sqlparser.Select, g sqlparser.Expr) sqlparser.Expr {
	for i, e := range s.SelectExprs {
		a, ok := e.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		switch g := g.(type) {
		case *sqlparser.ColName:
			_, column := a.Expr.(*sqlparser.ColName)
			if !column && g.Qualifier.IsEmpty() && !a.As.IsEmpty() && g.Name.Lowered() == a.As.Lowered() {
				return a.Expr
			}
		case *sqlparser.SQLVal:
			if g.Type == sqlparser.IntVal && string(g.Val) == strconv.Itoa(i+1) {
				return a.Expr
			}
		}
	}
	return g
}

// rolledUp is the value of with_rollup(), which respell puts behind the columns of a GROUP BY.
func rolledUp(*sql.Context, []any) (any, error) { return int64(0), nil }

// rollupOf is by how many expressions a node groups WITH ROLLUP; 0 where it does not.
func rollupOf(n *plan.GroupBy) int {
	last := len(n.GroupByExprs) - 1
	if c, ok := n.GroupByExprs[last].(*scalarCall); ok && c.name == rollupName {
		return last
	}
	return 0
}

// rollup is such a GROUP BY.
type rollup struct {
	node   *plan.GroupBy
	child  sql.RowIter
	levels int // how many expressions it groups by
	found  []rolled
	begun  bool
	next   int
}

// rolled is a group by the first expressions.
type rolled struct {
	values  sql.Row // as many as expressions
	buffers []sql.AggregationBuffer
}

// Next implements sql.RowIter.
func (r *rollup) Next(ctx *sql.Context) (sql.Row, error) {
	if !r.begun {
		r.begun = true
		if err := r.collect(ctx); err != nil {
			return nil, err
		}
	}
	if r.next == len(r.found) {
		return nil, io.EOF
	}
	group := r.found[r.next]
	r.next++
	row, err := evaluated(ctx, group.buffers)
	if err != nil {
		return nil, err
	}
	for i, e := range r.node.SelectDeps {
		if r.leftOut(e, len(group.values)) {
			row[i] = nil
		}
	}
	return row, nil
}

// leftOut reports whether an expression is NULL in the groups by the first expressions.
func (r *rollup) leftOut(e sql.Expression, first int) bool {
	if value, ok := e.(*aggregation.AnyValue); ok {
		e = value.Child
	} else if _, ok := e.(sql.Aggregation); ok {
		return false
	}
	by := r.node.GroupByExprs[:r.levels]
	return mentioned(by[first:], e) && !mentioned(by[:first], e)
}

// mentioned reports whether one of some expressions is another, or is made of it.
func mentioned(by []sql.Expression, e sql.Expression) bool {
	return slices.ContainsFunc(by, func(g sql.Expression) (found bool) {
		sql.Inspect(nil, g, func(_ *sql.Context, part sql.Expression) bool {
			found = found || part != nil && same(part, e)
			return !found
		})
		return found
	})
}

// same reports whether two expressions are the same column, or read the same.
func same(a, b sql.Expression) bool {
	x, isColumn := a.(*expression.GetField)
	y, also := b.(*expression.GetField)
	if isColumn && also {
		return x.Index() == y.Index()
	}
	return isColumn == also && a.String() == b.String()
}

// collect reads all rows.
func (r *rollup) collect(ctx *sql.Context) error {
	by := r.node.GroupByExprs[:r.levels]
	schema := schemaOf(ctx, by)
	byKey := make([]map[uint64]int, r.levels+1) // by how many expressions
	for {
		row, err := r.child.Next(ctx)
		if err == io.EOF {
			return r.sort(ctx, schema)
		}
		if err != nil {
			return err
		}
		for n := range byKey {
			if byKey[n] == nil {
				byKey[n] = map[uint64]int{}
			}
			key, values, err := keyOf(ctx, by[:n], schema[:n], row)
			if err != nil {
				return err
			}
			at, ok := byKey[n][key]
			if !ok {
				buffers, err := newGroup(ctx, r.node)
				if err != nil {
					return err
				}
				at = len(r.found)
				byKey[n][key] = at
				r.found = append(r.found, rolled{values, buffers})
			}
			for _, b := range r.found[at].buffers {
				if err := b.Update(ctx, row); err != nil {
					return err
				}
			}
		}
	}
}

// sort puts groups in the order of their values, a shorter list behind those that begin with
// it.
func (r *rollup) sort(ctx *sql.Context, schema sql.Schema) (failed error) {
	slices.SortStableFunc(r.found, func(a, b rolled) int {
		for i := range min(len(a.values), len(b.values)) {
			order, err := schema[i].Type.Compare(ctx, a.values[i], b.values[i])
			if err != nil && failed == nil {
				failed = err
			}
			switch x, y := a.values[i], b.values[i]; {
			case x == nil && y == nil:
				order = 0
			case x == nil:
				order = -1
			case y == nil:
				order = 1
			}
			if order != 0 {
				return order
			}
		}
		return len(b.values) - len(a.values)
	})
	return failed
}

// Close implements sql.RowIter.
func (r *rollup) Close(ctx *sql.Context) error {
	for _, group := range r.found {
		for _, b := range group.buffers {
			b.Dispose(ctx)
		}
	}
	r.found = nil
	return r.child.Close(ctx)
}
