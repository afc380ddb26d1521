package statements

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/explore/find/parsed"
)

// UPDATEs that add to a column commute (explore/find/access tells why): what two of them leave does not depend on
// their order. A column counts here when the statement sets it once, to itself plus or minus a value that does
// not depend on a row, and reads it nowhere else. The table has no triggers, which might look at it. A parameter
// has no type in MySQL: the caller has to know that its value is a whole number.

// adds are those of the columns that an UPDATE sets.
func (r *reader) adds(s *scope, n *sqlparser.Update) (list []parsed.Addition) {
	if len(s.entries) != 1 || s.entries[0].table == computed || n.With != nil || n.OrderBy != nil || n.Limit != nil || len(n.Returning) > 0 || asks(n) {
		return nil
	}
	table := &r.Tables[s.entries[0].table]
	if len(table.Triggers) > 0 {
		return nil
	}
	for _, x := range n.Exprs {
		p, _ := r.column(s, x.Name)
		if p == nil || !table.Columns[p.column].Sums || r.mentioned(s, n, p.column) != 2 {
			continue
		}
		if params, ok := r.sum(s, x.Expr, p.column); ok {
			list = append(list, parsed.Addition{Column: p.column, Params: params})
		}
	}
	return list
}

// asks reports whether a statement has a query in it.
func asks(n *sqlparser.Update) (yes bool) {
	sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		_, is := n.(*sqlparser.Subquery)
		yes = yes || is
		return true, nil
	}, n)
	return yes
}

// mentioned counts the places in which an UPDATE names a column. A column that it adds to is in two: it is set,
// and it is in the sum.
func (r *reader) mentioned(s *scope, n *sqlparser.Update, column int) (count int) {
	sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok && c != nil {
			if p, _ := r.column(s, c); p != nil && p.column == column {
				count++
			}
		}
		return true, nil
	}, n)
	return count
}

// sum reports whether an expression is the column plus or minus what parameters and whole numbers make, and
// which parameters.
func (r *reader) sum(s *scope, e sqlparser.Expr, column int) (params []int, ok bool) {
	e = bare(e)
	b, ok := e.(*sqlparser.BinaryExpr)
	if !ok || b.Operator != sqlparser.PlusStr && b.Operator != sqlparser.MinusStr {
		return nil, false
	}
	is := func(e sqlparser.Expr) bool {
		p := r.own(s, bare(e))
		return p != nil && p.column == column
	}
	switch {
	case is(b.Left):
		return fixed(b.Right)
	case is(b.Right) && b.Operator == sqlparser.PlusStr:
		return fixed(b.Left)
	}
	return nil, false
}

// fixed reports whether an expression is made of parameters and whole numbers alone, and of which parameters.
func fixed(e sqlparser.Expr) (params []int, ok bool) {
	switch e := bare(e).(type) {
	case *sqlparser.SQLVal:
		switch e.Type {
		case sqlparser.ValArg: // :v1, the first question mark
			n, err := strconv.Atoi(strings.TrimPrefix(string(e.Val), ":v"))
			return []int{n}, err == nil
		case sqlparser.IntVal:
			return nil, true
		}
	case *sqlparser.UnaryExpr:
		if e.Operator == sqlparser.UMinusStr || e.Operator == sqlparser.UPlusStr {
			return fixed(e.Expr)
		}
	case *sqlparser.BinaryExpr:
		if !slices.Contains([]string{sqlparser.PlusStr, sqlparser.MinusStr, sqlparser.MultStr}, e.Operator) {
			return nil, false
		}
		left, one := fixed(e.Left)
		right, other := fixed(e.Right)
		return append(left, right...), one && other
	}
	return nil, false
}

// bare is an expression without parentheses.
func bare(e sqlparser.Expr) sqlparser.Expr {
	if p, ok := e.(*sqlparser.ParenExpr); ok {
		return bare(p.Expr)
	}
	return e
}
