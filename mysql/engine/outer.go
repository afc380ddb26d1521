package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/mysql/storage"
)

// Indexes by values of the row around. A trigger may have
// `UPDATE total SET n = n + 1 WHERE id = NEW.id`. A server knows NEW when it plans: so the
// statement scans a range of an index. The engine's planner does not know NEW: here the range is
// made when the statement begins.

// bounding is a condition that compares a column with a value.
type bounding struct {
	column string // in lower case
	op     string
	typ    sql.Type
	value  any
}

// byOuter is a condition on all of a table, and below it the rows of a range of an index. The
// row around decides the range. It is the condition itself when there is no such range.
func byOuter(ctx *sql.Context, n *plan.Filter) (*plan.Filter, error) {
	p, is := n.Child.(*plan.PrependNode)
	if !is {
		return n, nil
	}
	resolved, is := p.Child.(*plan.ResolvedTable)
	t := scannedTable(p.Child)
	if !is || t == nil {
		return n, nil
	}
	var list []bounding
	for _, e := range conjuncts(n.Expression, nil) {
		b, ok, err := boundingOf(ctx, e, p.Row)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, b)
		}
	}
	x, err := bestIndex(ctx, t, list)
	if x == nil || err != nil {
		return n, err
	}
	lookup, err := lookupOf(ctx, x, list)
	if err != nil {
		return nil, err
	}
	scan, err := plan.NewStaticIndexedAccessForTableNode(ctx, resolved, lookup)
	if err != nil {
		return nil, err
	}
	return plan.NewFilter(ctx, n.Expression, plan.NewPrependNode(scan, p.Row)), nil
}

// mirrored are comparisons with their sides exchanged.
var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// boundingOf is a comparison of a column with a value that the row around has; false for others,
// and for one with NULL, which nothing fulfils.
func boundingOf(ctx *sql.Context, e sql.Expression, outer sql.Row) (b bounding, ok bool, err error) {
	c, is := e.(expression.Comparer)
	if !is {
		return b, false, nil
	}
	switch e.(type) {
	case *expression.Equals:
		b.op = "="
	case *expression.LessThan:
		b.op = "<"
	case *expression.LessThanOrEqual:
		b.op = "<="
	case *expression.GreaterThan:
		b.op = ">"
	case *expression.GreaterThanOrEqual:
		b.op = ">="
	default:
		return b, false, nil
	}
	left, right := bare(c.Left()), bare(c.Right())
	column, is := left.(*expression.GetField)
	if !is || column.Index() < len(outer) {
		left, right, b.op = right, left, mirrored[b.op]
		column, is = left.(*expression.GetField)
	}
	if !is || column.Index() < len(outer) || !isOuter(right, outer) {
		return b, false, nil
	}
	b.column, b.typ = strings.ToLower(column.Name()), right.Type(ctx)
	if types.IsText(b.typ) != types.IsText(column.Type(ctx)) {
		return b, false, nil // the index has another order
	}
	b.value, err = right.Eval(ctx, outer)
	return b, err == nil && b.value != nil, err
}

// bare is an expression without what the package has put around it for a comparison.
func bare(e sql.Expression) sql.Expression {
	switch e := e.(type) {
	case *unpadded:
		return bare(e.Child)
	case *aNumber:
		return bare(e.Child)
	}
	return e
}

// isOuter reports whether an expression has columns of the row around alone.
func isOuter(e sql.Expression, outer sql.Row) bool {
	ok := true
	sql.Inspect(nil, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e := e.(type) {
		case *plan.Subquery:
			ok = false
		case sql.NonDeterministicExpression:
			ok = ok && !e.IsNonDeterministic()
		case *expression.GetField:
			ok = ok && e.Index() < len(outer)
		}
		return ok
	})
	return ok
}

// bestIndex is the index that the planner would take; nil for none. It is a unique index whose
// columns all have a value, if there is one. Else it is the index with most first columns that
// have a value; a range of the next column counts too.
func bestIndex(ctx *sql.Context, t *storage.Table, list []bounding) (best sql.Index, err error) {
	all, err := t.GetIndexes(ctx)
	if err != nil {
		return nil, err
	}
	most := 0
	for _, x := range all {
		columns := columnsOf(x)
		values := 0
		for values < len(columns) && has(list, columns[values], true) {
			values++
		}
		points := 2 * values
		switch {
		case x.IsUnique() && values == len(columns):
			points += 1000
		case values < len(columns) && has(list, columns[values], false):
			points++
		}
		if points > most {
			best, most = x, points
		}
	}
	return best, nil
}

// columnsOf are the columns of an index, in lower case.
func columnsOf(x sql.Index) (list []string) {
	for _, e := range x.Expressions() {
		list = append(list, strings.ToLower(e[strings.LastIndexByte(e, '.')+1:]))
	}
	return list
}

func has(list []bounding, column string, equal bool) bool {
	return slices.ContainsFunc(list, func(b bounding) bool { return b.column == column && (!equal || b.op == "=") })
}

// lookupOf is the range of an index that the conditions leave.
func lookupOf(ctx *sql.Context, x sql.Index, list []bounding) (sql.IndexLookup, error) {
	build := sql.NewMySQLIndexBuilder(ctx, x)
	for i, column := range columnsOf(x) {
		name := x.Expressions()[i]
		for _, b := range list {
			if b.column != column {
				continue
			}
			switch b.op {
			case "=":
				build.Equals(ctx, name, b.typ, b.value)
			case "<":
				build.LessThan(ctx, name, b.typ, b.value)
			case "<=":
				build.LessOrEqual(ctx, name, b.typ, b.value)
			case ">":
				build.GreaterThan(ctx, name, b.typ, b.value)
			case ">=":
				build.GreaterOrEqual(ctx, name, b.typ, b.value)
			}
		}
	}
	return build.Build(ctx)
}
