package access

import "slices"

// UPDATEs that add to a column commute: what two of them leave does not depend on their order
// (Weihl, Commutativity-Based Concurrency Control for Abstract Data Types, 1988). So no
// dependency between two of them is by that column. A column counts here when the statement
// sets it to itself plus or minus a value that does not depend on a row, and reads it nowhere
// else. Nothing else may look at the column: no constraint, unique index, trigger or generated
// column. The column's numbers are whole, or numeric without a scale: sums of these are not
// rounded. Sums that are too large for the type are left out of account.
//
// MySQL's parser tells the same (mysql/statements), but for parameters: there these have no type.

// adds are those of the columns that an UPDATE sets.
func (q *query) adds(entry int, t *Table, set []int) (list []int) {
	if len(q.tables) != 1 || q.node.word("hasSubLinks") == "true" || len(t.Triggers) > 0 {
		return nil
	}
	for _, c := range set {
		if summable(t.Columns[c]) && q.addsTo(entry, c) {
			list = append(list, c)
		}
	}
	return list
}

// summable reports whether sums of a column's values are exact, and nothing looks at them.
func summable(c *Column) bool {
	return !c.watched && slices.Contains([]string{"smallint", "integer", "bigint", "numeric"}, c.Type)
}

// addsTo reports whether the statement reads a column in one place alone, where it adds to it.
func (q *query) addsTo(entry, c int) bool {
	reads := func(v any) (yes bool) {
		walk(v, func(n *node) bool {
			number := n.number("varattno")
			yes = yes || n.name == "VAR" && n.number("varno") == entry && (number == 0 || number == c+1)
			return true
		})
		return yes
	}
	sums := false
	for _, e := range q.node.nodes("targetList") {
		if e == nil || e.child("expr") == nil {
			continue
		}
		if own := e.word("resjunk") != "true" && e.number("resno") == c+1; own && q.sum(e.child("expr"), entry, c) {
			sums = true
		} else if e.word("resjunk") != "true" && reads(e) {
			return false
		}
	}
	tree := q.node.child("jointree")
	return sums && (tree == nil || !reads(tree)) && !slices.ContainsFunc(q.node.fields["returningList"], reads)
}

// sum reports whether an expression is the column plus or minus what parameters and constants make.
func (q *query) sum(n *node, entry, c int) bool {
	args := n.nodes("args")
	if n.name != "OPEXPR" || len(args) != 2 || args[0] == nil || args[1] == nil {
		return false
	}
	column := func(n *node) bool {
		return n.name == "VAR" && n.number("varno") == entry && n.number("varattno") == c+1
	}
	sign := q.sums[n.number("opno")]
	return sign != "" && column(args[0]) && fixed(args[1]) || sign == "+" && column(args[1]) && fixed(args[0])
}

// fixed reports whether an expression is made of parameters and constants alone.
func fixed(n *node) bool {
	yes := true
	walk(n, func(n *node) bool {
		function := n.name == "FUNCEXPR" && (n.word("funcformat") == "1" || n.word("funcformat") == "2") // a cast
		param := n.name == "PARAM" && n.word("paramkind") == "0"
		yes = yes && (function || param || n.name == "CONST" || n.name == "OPEXPR")
		return true
	})
	return yes
}

// Given leaves out additions of parameters whose values may be no whole numbers.
func (e *Effect) Given(whole func(param int) bool) {
	for _, a := range e.Accesses {
		a.Adds = slices.DeleteFunc(a.Adds, func(c int) bool {
			return slices.ContainsFunc(a.addends[c], func(param int) bool { return !whole(param) })
		})
	}
}
