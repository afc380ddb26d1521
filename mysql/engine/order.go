package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/txmc/txmc/mysql/storage"
)

// ORDER BY of rows that a scan returns in this order needs no sorting (MySQL 8.0 Reference
// Manual, 10.2.1.16). So a LIMIT ends the scan early, and rows behind it are neither read
// nor locked.

// inOrder is the child of a sort that returns rows in the order of the conditions, perhaps
// with its scan turned round; nil when a sort is needed.
func inOrder(ctx *sql.Context, conditions sql.SortConditions, child sql.Node, row sql.Row) (sql.Node, error) {
	if j, is := child.(*plan.JoinNode); is {
		return drivenInOrder(ctx, conditions, j, row)
	}
	if joinsBelow(child) {
		return above(ctx, conditions, child, row)
	}
	scan := child
	filter, filtered := child.(*plan.Filter)
	if filtered {
		scan = filter.Child
	}
	t := scannedTable(scan)
	if t == nil {
		return nil, nil
	}
	names, descending, ok := sortedColumns(conditions)
	if !ok {
		return nil, nil
	}
	access, indexed := scan.(*plan.IndexedTableAccess)
	if !indexed {
		return byPrimary(ctx, t, names, descending, filter, scan)
	}
	lookup, ok, err := access.GetLookup(ctx, row)
	if err != nil || !ok {
		return nil, err
	}
	columns, fixed, null, ok := scanOrder(ctx, lookup, t.Primary())
	if !ok || !follows(names, columns, fixed) || shares(names, null) {
		return nil, nil
	}
	if !directed(&lookup, names, columns, fixed, descending) {
		return child, nil
	}
	return by(ctx, lookup, access.TableNode, filter)
}

// drivenInOrder is inOrder of a join that goes from row to row of its first table, and looks at what
// there is for each: LEFT JOIN, EXISTS, NOT EXISTS and their kin.
func drivenInOrder(ctx *sql.Context, conditions sql.SortConditions, j *plan.JoinNode, row sql.Row) (sql.Node, error) {
	if j.Op.IsMerge() || !j.Op.IsPartial() && !j.Op.IsLeftOuter() {
		return nil, nil
	}
	driving := j.Left().Schema(ctx)
	for _, c := range conditions {
		f, is := c.Expr.(*expression.GetField)
		if !is || !driving.Contains(f.Name(), f.Table()) {
			return nil, nil
		}
	}
	first, err := inOrder(ctx, conditions, j.Left(), row)
	if first == nil || err != nil {
		return nil, err
	}
	return j.WithChildren(ctx, first, j.Right())
}

// above is inOrder of a node above such a join.
func above(ctx *sql.Context, conditions sql.SortConditions, n sql.Node, row sql.Row) (sql.Node, error) {
	switch n.(type) {
	case *plan.Filter, *plan.Project:
	default:
		return nil, nil
	}
	ordered, err := inOrder(ctx, conditions, n.Children()[0], row)
	if ordered == nil || err != nil {
		return nil, err
	}
	return n.WithChildren(ctx, ordered)
}

// joinsBelow reports whether a node is a join, or a condition or columns of one.
func joinsBelow(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.JoinNode:
		return true
	case *plan.Filter:
		return joinsBelow(n.Child)
	case *plan.Project:
		return joinsBelow(n.Child)
	}
	return false
}

// directed makes a lookup one that returns rows in the order of names; false where it does so already.
// Rows of one value of the index go down the primary key where names say more than the index has.
func directed(l *sql.IndexLookup, names, columns []string, fixed int, descending bool) bool {
	x, is := l.Index.(*storage.Index)
	ranges, several := l.Ranges.(sql.MySQLRangeCollection)
	if several && len(ranges) > 1 && follows(names, columns[:fixed], fixed) {
		return false // one value orders nothing
	}
	if several = several && len(ranges) > 1; several && l.IsReverse != descending {
		ranges = slices.Clone(ranges)
		slices.Reverse(ranges)
		l.Ranges = ranges
	}
	switch {
	case is && descending && fixed == x.Declared() && !follows(names, columns[:fixed], fixed):
		l.Index, l.IsReverse = x.Down(), false
	case is && descending && several && !follows(names, columns[:x.Declared()], fixed):
		l.Index, l.IsReverse = x.Down(), true
	case l.IsReverse == descending:
		return false
	default:
		l.IsReverse = descending
	}
	return true
}

// byPrimary is a scan of a table for a sort by its primary key: from its first row, or from its
// last one.
func byPrimary(ctx *sql.Context, t *storage.Table, names []string, descending bool, filter *plan.Filter, scan sql.Node) (sql.Node, error) {
	switch primary := t.Primary(); {
	case len(primary) == 0 || !follows(names, primary, 0):
		return nil, nil
	case descending:
		lookup, ok := t.Backwards(ctx)
		node, is := scan.(sql.TableNode)
		if !ok || !is {
			return nil, nil
		}
		return by(ctx, lookup, node, filter)
	case filter != nil:
		return filter, nil
	}
	return scan, nil
}

// limited is an UPDATE or DELETE with ORDER BY and LIMIT that goes by an index which has the order,
// as far as the limit (MariaDB's get_index_for_order); nil for others.
func (b *builder) limited(ctx *sql.Context, n *plan.Limit, row sql.Row) (sql.RowIter, error) {
	sort, is := n.Child.(*plan.Sort)
	if !is || !storage.Edits(ctx) {
		return nil, nil
	}
	scan := sort.Child
	filter, filtered := scan.(*plan.Filter)
	if filtered {
		scan = filter.Child
	}
	t := scannedTable(scan)
	names, descending, ok := sortedColumns(sort.SortConditions)
	_, indexed := scan.(*plan.IndexedTableAccess)
	node, is := scan.(sql.TableNode)
	if t == nil || !ok || indexed || !is || !t.Modelled(ctx) {
		return nil, nil
	}
	x, err := t.Ordering(ctx, names)
	if x == nil || err != nil {
		return nil, err
	}
	ordered, err := by(ctx, x.All(descending), node, filter)
	if err != nil {
		return nil, err
	}
	return b.base.Build(ctx, plan.NewLimit(n.Limit, ordered), row)
}

// by is a scan by an index, with the condition that was on a scan of the table.
func by(ctx *sql.Context, l sql.IndexLookup, node sql.TableNode, filter *plan.Filter) (sql.Node, error) {
	scan, err := plan.NewStaticIndexedAccessForTableNode(ctx, node, l)
	if err != nil || filter == nil {
		return scan, err
	}
	return filter.WithChildren(ctx, scan)
}

// The analyzer drops a sort when an index has its order. keepSorts leaves that rule out in two
// cases: a column of the sort is NULL in all rows, or the scan is for a value or NULL. Then
// inOrder decides what is sorted.
func keepSorts(rule analyzer.RuleFunc) analyzer.RuleFunc {
	return func(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, scope *plan.Scope, sel analyzer.RuleSelector, flags *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		if !storage.Edits(ctx) {
			if keep, err := sortsByNull(ctx, n); keep || err != nil {
				return n, transform.SameTree, err
			}
		}
		return rule(ctx, a, n, scope, sel, flags)
	}
}

// sortsByNull reports whether a plan sorts rows by a column that its scan finds NULL, or rows
// of a value or NULL.
func sortsByNull(ctx *sql.Context, n sql.Node) (is bool, err error) {
	transform.Inspect(n, func(n sql.Node) bool {
		sort, sorts := n.(*plan.Sort)
		if !sorts {
			return !is && err == nil
		}
		names, _, _ := sortedColumns(sort.SortConditions)
		transform.Inspect(sort.Child, func(n sql.Node) bool {
			access, indexed := n.(*plan.IndexedTableAccess)
			if !indexed || !access.IsStatic() {
				return true
			}
			lookup, ok, e := access.GetLookup(ctx, nil)
			if e != nil || !ok {
				err = e
				return false
			}
			_, _, null, _ := scanOrder(ctx, lookup, nil)
			is = is || shares(names, null) || valueOrNull(ctx, lookup)
			return true
		})
		return true
	})
	return is, err
}

// valueOrNull reports whether a lookup is for a value or NULL, and for nothing else. A server
// reads one and then the other, whatever the order, and sorts the rows (MariaDB 10.11,
// ref_or_null in sql_select.cc, test_if_skip_sort_order).
func valueOrNull(ctx *sql.Context, l sql.IndexLookup) bool {
	ranges, is := l.Ranges.(sql.MySQLRangeCollection)
	if !is || len(ranges) != 2 || len(ranges[0]) != len(ranges[1]) {
		return false
	}
	nulls := 0
	for i := range ranges[0] {
		a, b := ranges[0][i], ranges[1][i]
		if same, err := a.Equals(ctx, b); err == nil && same {
			continue
		}
		aNull, bNull := a.Type() == sql.RangeType_EqualNull, b.Type() == sql.RangeType_EqualNull
		if !(aNull && storage.OneValue(ctx, b)) && !(bNull && storage.OneValue(ctx, a)) {
			return false
		}
		nulls++
	}
	return nulls == 1
}

func shares(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// sortedColumns are the columns of an ORDER BY of columns, all in one direction, in lower
// case.
func sortedColumns(conditions sql.SortConditions) (names []string, descending, ok bool) {
	for i, c := range conditions {
		f, is := c.Expr.(*expression.GetField)
		down := c.Order == sql.Descending
		if !is || i > 0 && down != descending {
			return nil, false, false
		}
		descending = down
		names = append(names, strings.ToLower(f.Name()))
	}
	return names, descending, len(names) > 0
}

// scanOrder are the columns by which a scan is ordered, in lower case; the first ones have one
// value each. A scan of several ranges is ordered where they stand one behind another in the
// index; that of a value or NULL is not, but for an UPDATE or a DELETE. null are those columns
// that are NULL. A server sorts rows by such a column: in an ORDER BY only a column that equals a
// value is a constant (MariaDB 10.11, sql_select.cc, const_expression_in_where). For an UPDATE or
// a DELETE NULL is a range like others (get_index_for_order). Behind those of the index come
// those of the primary key, where the index has whole columns.
func scanOrder(ctx *sql.Context, l sql.IndexLookup, primary []string) (columns []string, fixed int, null []string, ok bool) {
	x, is := l.Index.(*storage.Index)
	if !is {
		return nil, 0, nil, false
	}
	edits := storage.Edits(ctx)
	groups, err := x.Groups(ctx, &l)
	if err != nil || len(groups) == 0 || !edits && valueOrNull(ctx, l) {
		return nil, 0, nil, false
	}
	same, ok := storage.Ascend(ctx, groups, l.IsReverse)
	if !ok {
		return nil, 0, nil, false
	}
	for _, e := range l.Index.Expressions() {
		columns = append(columns, strings.ToLower(e[strings.LastIndexByte(e, '.')+1:]))
	}
	for ; fixed < min(same, len(columns)); fixed++ {
		if groups[0].First()[fixed].Type() == sql.RangeType_EqualNull {
			if edits {
				break
			}
			null = append(null, columns[fixed])
		} else if !storage.OneValue(ctx, groups[0].First()[fixed]) {
			break
		}
	}
	switch {
	case l.Index.PrefixLengths() != nil:
		columns = columns[:max(fixed, x.Whole())]
	case l.Index.ID() != "PRIMARY":
		columns = append(columns, primary...)
	}
	return columns, fixed, null, true
}

// follows reports whether rows ordered by columns, of which the first ones are fixed, are
// ordered by names.
func follows(names, columns []string, fixed int) bool {
	at := fixed
	for _, name := range names {
		if slices.Contains(columns[:fixed], name) {
			continue
		}
		if at >= len(columns) || columns[at] != name {
			return false
		}
		at++
	}
	return true
}
