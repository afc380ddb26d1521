package statements

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/explore/find/parsed"
	"github.com/txmc/txmc/mysql/engine"
)

// query reads a SELECT, and tells where its columns come from.
func (r *reader) query(n sqlparser.SelectStatement, outer *scope) (results []*parsed.Source) {
	switch n := n.(type) {
	case *sqlparser.ParenSelect:
		return r.query(n.Select, outer)
	case *sqlparser.SetOp:
		s := newScope(outer)
		r.with(s, n.With)
		results = r.query(n.Left, s)
		r.query(n.Right, s)
	case *sqlparser.Select:
		s := newScope(outer)
		r.with(s, n.With)
		r.from(s, n.From, true)
		if n.Where != nil {
			r.reads(s, n.Where.Expr)
			r.condition(s, n.Where.Expr)
		}
		r.reads(s, n.SelectExprs, n.GroupBy, n.Having, n.OrderBy)
		s.locks(n.Lock)
		r.look(s, s.entries)
		results = r.results(s, n.SelectExprs)
	default:
		r.fail("the query is not understood: %s", sqlparser.String(n))
	}
	return results
}

// with reads the queries that WITH names.
func (r *reader) with(s *scope, w *sqlparser.With) {
	if w == nil {
		return
	}
	for _, c := range w.Ctes {
		name := strings.ToLower(c.As.String())
		if w.Recursive {
			s.with[name] = true
		}
		if q, ok := c.Expr.(*sqlparser.Subquery); ok {
			r.query(q.Select, s)
		}
		s.with[name] = true
	}
}

// locks notes the locks that a SELECT asks for.
func (s *scope) locks(l *sqlparser.Lock) {
	if l == nil {
		return
	}
	tables := engine.NamedIn(l)
	kind := ""
	switch {
	case engine.SharesRows(l):
		kind = parsed.Share
	case strings.Contains(l.Type, "for update"):
		kind = parsed.Exclusive
	}
	for _, e := range s.entries {
		of := func(t sqlparser.TableName) bool { return strings.EqualFold(t.Name.String(), e.name) }
		if len(tables) == 0 || slices.ContainsFunc(tables, of) {
			e.lock = kind
		}
	}
}

// look notes the reads of entries.
func (r *reader) look(s *scope, entries []*entry) {
	for _, e := range entries {
		if e.table != computed {
			r.add(parsed.Access{Table: e.table, Kind: parsed.Read, Columns: slices.Collect(maps.Keys(e.reads)), Bound: s.boundOf(e), Lock: e.lock, Adds: e.adds})
		}
	}
}

// results are the columns that a query returns.
func (r *reader) results(s *scope, list sqlparser.SelectExprs) (results []*parsed.Source) {
	for _, x := range list {
		switch x := x.(type) {
		case *sqlparser.StarExpr:
			for _, e := range s.starred(x) {
				if e.table == computed {
					return nil // how many columns it has is not known
				}
				for i := range r.Tables[e.table].Columns {
					results = append(results, &parsed.Source{Table: e.table, Column: i})
				}
			}
		case *sqlparser.AliasedExpr:
			var source *parsed.Source
			if p := r.own(s, x.Expr); p != nil {
				source = &parsed.Source{Table: p.of.table, Column: p.column}
			}
			results = append(results, source)
		default:
			results = append(results, nil)
		}
	}
	return results
}

// operand is a parameter or a constant.
func operand(e sqlparser.Expr) parsed.Operand {
	switch e := e.(type) {
	case *sqlparser.ParenExpr:
		return operand(e.Expr)
	case sqlparser.BoolVal:
		if e {
			return parsed.Operand{Const: "1"}
		}
		return parsed.Operand{Const: "0"}
	case *sqlparser.SQLVal:
		switch e.Type {
		case sqlparser.ValArg: // :v1, the first question mark
			n, _ := strconv.Atoi(strings.TrimPrefix(string(e.Val), ":v"))
			return parsed.Operand{Param: n}
		case sqlparser.IntVal:
			return parsed.Operand{Const: string(e.Val)}
		case sqlparser.StrVal:
			return parsed.Operand{Const: "'" + strings.ReplaceAll(string(e.Val), "'", "''") + "'"}
		}
	}
	return parsed.Operand{}
}
