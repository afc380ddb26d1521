package statements

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/explore/find/parsed"
)

// update reads an UPDATE, of one table or several.
func (r *reader) update(n *sqlparser.Update) {
	s := newScope(nil)
	r.with(s, n.With)
	r.from(s, n.TableExprs, true)
	r.where(s, n.Where)
	sets := map[*entry]map[int]parsed.Operand{}
	for _, x := range n.Exprs {
		r.reads(s, x.Expr)
		p, _ := r.column(s, x.Name)
		if p == nil {
			r.fail("there is no column %s in the tables of the statement", x.Name.Name.String())
			return
		}
		if sets[p.of] == nil {
			sets[p.of] = map[int]parsed.Operand{}
		}
		sets[p.of][p.column] = operand(x.Expr)
	}
	r.reads(s, n.OrderBy)
	adds := r.adds(s, n)
	for _, e := range s.entries {
		if sets[e] == nil {
			r.look(s, []*entry{e})
			continue
		}
		e.lock, e.adds = parsed.Exclusive, adds
		r.look(s, []*entry{e})
		r.add(parsed.Access{Table: e.table, Kind: parsed.Update, Columns: slices.Collect(maps.Keys(sets[e])), Bound: s.boundOf(e), Sets: sets[e], Adds: adds})
	}
}

// delete reads a DELETE, from one table or several.
func (r *reader) delete(n *sqlparser.Delete) {
	s := newScope(nil)
	r.with(s, n.With)
	r.from(s, n.TableExprs, true)
	r.where(s, n.Where)
	r.reads(s, n.OrderBy)
	for _, e := range s.entries {
		target := len(n.Targets) == 0 || slices.ContainsFunc(n.Targets, func(t sqlparser.TableName) bool { return strings.EqualFold(t.Name.String(), e.name) })
		if !target || e.table == computed {
			r.look(s, []*entry{e})
			continue
		}
		e.lock = parsed.Exclusive
		r.look(s, []*entry{e})
		r.add(parsed.Access{Table: e.table, Kind: parsed.Delete, Bound: s.boundOf(e)})
	}
}

// where reads the condition of an UPDATE or DELETE, whose columns are read in any case.
func (r *reader) where(s *scope, w *sqlparser.Where) {
	if w != nil {
		r.reads(s, w.Expr)
		r.condition(s, w.Expr)
	}
}

// insert reads an INSERT or REPLACE.
func (r *reader) insert(n *sqlparser.Insert) {
	s := newScope(nil)
	r.with(s, n.With)
	e := r.enter(s, n.Table, "")
	if e.table == computed {
		r.fail("there is no table %s in the schema: views are not looked at", n.Table.Name.String())
		return
	}
	columns := r.listed(e, n.Columns)
	rows := n.Rows
	if a, ok := rows.(*sqlparser.AliasedValues); ok {
		rows = a.Values
	}
	switch rows := rows.(type) {
	case sqlparser.Values:
		for _, row := range rows {
			r.reads(newScope(nil), sqlparser.Exprs(row))
			r.row(s, e, columns, sqlparser.Exprs(row), n)
		}
	case sqlparser.SelectStatement:
		r.query(rows, &scope{outer: s})
		r.row(s, e, columns, selected(rows), n)
	default:
		r.fail("the rows of the statement are not understood: %s", sqlparser.String(rows))
	}
}

// listed are the columns that an INSERT gives values for.
func (r *reader) listed(e *entry, names sqlparser.Columns) (list []int) {
	if len(names) == 0 {
		for i := range r.Tables[e.table].Columns {
			list = append(list, i)
		}
		return list
	}
	for _, name := range names {
		i := slices.IndexFunc(r.Tables[e.table].Columns, func(c parsed.Column) bool { return strings.EqualFold(c.Name, name.String()) })
		if i < 0 {
			r.fail("there is no column %s in %s", name.String(), r.Tables[e.table].Name)
		}
		list = append(list, i)
	}
	return list
}

// selected are the expressions of the rows that a query makes, as far as they are known.
func selected(n sqlparser.SelectStatement) (list sqlparser.Exprs) {
	if q, ok := n.(*sqlparser.Select); ok {
		for _, x := range q.SelectExprs {
			a, ok := x.(*sqlparser.AliasedExpr)
			if !ok {
				return nil
			}
			list = append(list, a.Expr)
		}
	}
	return list
}

// row reads a row that is inserted, and what is done when it is there.
func (r *reader) row(s *scope, e *entry, columns []int, values sqlparser.Exprs, n *sqlparser.Insert) {
	sets := map[int]parsed.Operand{}
	for i, c := range columns {
		sets[c] = parsed.Operand{}
		if i >= len(values) {
			continue
		}
		if _, ok := values[i].(*sqlparser.Default); ok {
			delete(sets, c)
			continue
		}
		sets[c] = operand(values[i])
	}
	r.add(parsed.Access{Table: e.table, Kind: parsed.Insert, Sets: sets})
	if r.err != nil || len(n.OnDup) == 0 && n.Action != sqlparser.ReplaceStr {
		return
	}
	for _, key := range r.keys(e, sets) {
		r.twice(s, e, key, sets, n)
	}
}

// twice reads what is done to the row that has a key already.
func (r *reader) twice(s *scope, e *entry, key, sets map[int]parsed.Operand, n *sqlparser.Insert) {
	read := parsed.Access{Table: e.table, Kind: parsed.Read, Columns: slices.Collect(maps.Keys(key)), Bound: key, Lock: parsed.Exclusive}
	if n.Action == sqlparser.ReplaceStr {
		r.add(read)
		r.add(parsed.Access{Table: e.table, Kind: parsed.Delete, Bound: key})
		return
	}
	e.reads = map[int]bool{}
	changed := map[int]parsed.Operand{}
	for _, x := range n.OnDup {
		p, _ := r.column(s, x.Name)
		if p == nil {
			r.fail("there is no column %s in %s", x.Name.Name.String(), r.Tables[e.table].Name)
			return
		}
		changed[p.column] = operand(x.Expr)
		if v, ok := x.Expr.(*sqlparser.ValuesFuncExpr); ok { // the value that was to be inserted
			if of, _ := r.column(s, v.Name); of != nil {
				changed[p.column] = sets[of.column]
			}
			continue
		}
		r.reads(s, x.Expr)
	}
	for c := range e.reads {
		if !slices.Contains(read.Columns, c) {
			read.Columns = append(read.Columns, c)
		}
	}
	r.add(read)
	r.add(parsed.Access{Table: e.table, Kind: parsed.Update, Columns: slices.Collect(maps.Keys(changed)), Bound: key, Sets: changed})
}

// keys are the unique keys by which a row may be there already, with its values: one
// without any where none is known.
func (r *reader) keys(e *entry, sets map[int]parsed.Operand) (list []map[int]parsed.Operand) {
	for _, key := range r.Tables[e.table].Unique {
		bound := map[int]parsed.Operand{}
		for _, c := range key {
			if o := sets[c]; o.Known() {
				bound[c] = o
			}
		}
		if _, given := sets[key[0]]; len(bound) == len(key) {
			list = append(list, bound)
		} else if given { // by a value that is not known
			list = append(list, map[int]parsed.Operand{})
		}
	}
	return list
}
