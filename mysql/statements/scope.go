package statements

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/explore/find/parsed"
)

// scope is the tables that the names of a query speak of.
type scope struct {
	outer   *scope
	entries []*entry
	with    map[string]bool // tables that WITH has named
	bound   map[place]parsed.Operand
	same    map[place][]place // that are equal in every row
}

// entry is a table in a FROM.
type entry struct {
	name  string // in lower case
	table int    // computed for one that is a query
	reads map[int]bool
	lock  string
	adds  []parsed.Addition // of an UPDATE
}

// computed is in place of a table for a query.
const computed = -1

// place is a column of an entry.
type place struct {
	of     *entry
	column int
}

func newScope(outer *scope) *scope {
	return &scope{outer: outer, with: map[string]bool{}, bound: map[place]parsed.Operand{}, same: map[place][]place{}}
}

// named reports whether WITH has named a table so.
func (s *scope) named(name string) bool {
	return s != nil && (s.with[name] || s.outer.named(name))
}

// enter adds a table of the schema.
func (r *reader) enter(s *scope, t sqlparser.TableName, alias string) *entry {
	name := strings.ToLower(t.Name.String())
	e := &entry{name: name, table: computed, reads: map[int]bool{}}
	if alias != "" {
		e.name = strings.ToLower(alias)
	}
	if i, ok := r.byName[name]; ok && !s.named(name) {
		e.table = i
	} else if !s.named(name) && name != "dual" {
		r.fail("there is no table %s in the schema: views are not looked at", t.Name.String())
	}
	s.entries = append(s.entries, e)
	return e
}

// from reads a FROM. Conditions of an outer join do not hold in every row.
func (r *reader) from(s *scope, list sqlparser.TableExprs, holds bool) {
	for _, t := range list {
		switch t := t.(type) {
		case *sqlparser.AliasedTableExpr:
			switch x := t.Expr.(type) {
			case sqlparser.TableName:
				r.enter(s, x, t.As.String())
			case *sqlparser.Subquery:
				r.query(x.Select, s)
				s.entries = append(s.entries, &entry{name: strings.ToLower(t.As.String()), table: computed, reads: map[int]bool{}})
			default:
				s.entries = append(s.entries, &entry{name: strings.ToLower(t.As.String()), table: computed, reads: map[int]bool{}})
			}
		case *sqlparser.ParenTableExpr:
			r.from(s, t.Exprs, holds)
		case *sqlparser.JoinTableExpr:
			r.join(s, t, holds)
		default:
			r.fail("a table of the statement is not understood: %s", sqlparser.String(t))
		}
	}
}

func (r *reader) join(s *scope, t *sqlparser.JoinTableExpr, holds bool) {
	inner := t.Join == sqlparser.JoinStr || t.Join == sqlparser.StraightJoinStr || t.Join == sqlparser.NaturalJoinStr
	r.from(s, sqlparser.TableExprs{t.LeftExpr}, holds && (inner || strings.Contains(t.Join, "left")))
	before := len(s.entries)
	r.from(s, sqlparser.TableExprs{t.RightExpr}, holds && inner)
	if t.Condition.On != nil {
		r.reads(s, t.Condition.On)
		if holds && inner {
			r.condition(s, t.Condition.On)
		}
	}
	for _, c := range t.Condition.Using {
		left := (&scope{entries: s.entries[:before]}).find(r, "", c.Lowered())
		right := (&scope{entries: s.entries[before:]}).find(r, "", c.Lowered())
		if left != nil && right != nil {
			left.of.reads[left.column], right.of.reads[right.column] = true, true
			if holds && inner {
				s.same[*left], s.same[*right] = append(s.same[*left], *right), append(s.same[*right], *left)
			}
		}
	}
	if strings.Contains(t.Join, "natural") {
		for _, e := range s.entries {
			r.whole(e)
		}
	}
}

// whole notes that all columns are read.
func (r *reader) whole(e *entry) {
	if e.table != computed {
		for i := range r.Tables[e.table].Columns {
			e.reads[i] = true
		}
	}
}

// find is the column that a name means here; nil when there is none.
func (s *scope) find(r *reader, qualifier, name string) *place {
	for _, e := range s.entries {
		if e.table == computed || qualifier != "" && qualifier != e.name {
			continue
		}
		for i, c := range r.Tables[e.table].Columns {
			if strings.EqualFold(c.Name, name) {
				return &place{e, i}
			}
		}
	}
	return nil
}

// column is the column of a table that a name means; nil for one of a query, or an alias.
func (r *reader) column(s *scope, c *sqlparser.ColName) (p *place, outer bool) {
	qualifier := strings.ToLower(c.Qualifier.Name.String())
	for at := s; at != nil; at = at.outer {
		if p := at.find(r, qualifier, c.Name.Lowered()); p != nil {
			return p, at != s
		}
		if slices.ContainsFunc(at.entries, func(e *entry) bool { return e.table == computed && (qualifier == "" || qualifier == e.name) }) {
			return nil, false
		}
	}
	return nil, false
}

// reads notes the columns that an expression reads, and reads the queries in it.
func (r *reader) reads(s *scope, nodes ...sqlparser.SQLNode) {
	sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.ColName:
			if n == nil {
				return false, nil
			}
			if p, _ := r.column(s, n); p != nil {
				p.of.reads[p.column] = true
			}
		case *sqlparser.Subquery:
			if n != nil {
				r.query(n.Select, s)
			}
			return false, nil
		case *sqlparser.FuncExpr: // COUNT(*) reads no column
			if n == nil {
				return false, nil
			}
			for _, e := range n.Exprs {
				if _, star := e.(*sqlparser.StarExpr); !star {
					r.reads(s, e)
				}
			}
			return false, nil
		case *sqlparser.StarExpr:
			for _, e := range s.starred(n) {
				r.whole(e)
			}
		}
		return true, nil
	}, nodes...)
}

// starred are the entries of which a star has all columns.
func (s *scope) starred(n *sqlparser.StarExpr) (list []*entry) {
	name := strings.ToLower(n.TableName.Name.String())
	for _, e := range s.entries {
		if name == "" || name == e.name {
			list = append(list, e)
		}
	}
	return list
}

// condition notes the equalities of a conjunction.
func (r *reader) condition(s *scope, e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.AndExpr:
		r.condition(s, e.Left)
		r.condition(s, e.Right)
	case *sqlparser.ParenExpr:
		r.condition(s, e.Expr)
	case *sqlparser.ComparisonExpr:
		right := e.Right
		switch e.Operator {
		case sqlparser.EqualStr, sqlparser.NullSafeEqualStr:
		case sqlparser.InStr:
			if list, ok := right.(sqlparser.ValTuple); ok && len(list) == 1 {
				right = list[0]
			}
		default:
			return
		}
		r.equal(s, e.Left, right)
	}
}

// equal notes that two expressions are equal in every row.
func (r *reader) equal(s *scope, left, right sqlparser.Expr) {
	a, b := r.own(s, left), r.own(s, right)
	switch {
	case a != nil && b != nil:
		s.same[*a], s.same[*b] = append(s.same[*a], *b), append(s.same[*b], *a)
	case a != nil:
		s.bind(*a, operand(right))
	case b != nil:
		s.bind(*b, operand(left))
	}
}

// own is the column of the query's own tables that an expression is.
func (r *reader) own(s *scope, e sqlparser.Expr) *place {
	if paren, ok := e.(*sqlparser.ParenExpr); ok {
		return r.own(s, paren.Expr)
	}
	c, ok := e.(*sqlparser.ColName)
	if !ok {
		return nil
	}
	if p, outer := r.column(s, c); p != nil && !outer {
		return p
	}
	return nil
}

func (s *scope) bind(p place, o parsed.Operand) {
	if o.Known() {
		s.bound[p] = o
	}
}

// boundOf are the bound columns of an entry: those that are equal to bound ones too.
func (s *scope) boundOf(e *entry) map[int]parsed.Operand {
	queue := slices.Collect(maps.Keys(s.bound))
	for ; len(queue) > 0; queue = queue[1:] {
		for _, p := range s.same[queue[0]] {
			if _, ok := s.bound[p]; !ok {
				s.bound[p] = s.bound[queue[0]]
				queue = append(queue, p)
			}
		}
	}
	all := map[int]parsed.Operand{}
	for p, o := range s.bound {
		if p.of == e {
			all[p.column] = o
		}
	}
	return all
}
