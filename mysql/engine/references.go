package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// What a statement does to each table that it names, in each place: see [storage.Reference]. A
// locking clause is about the tables of its own SELECT. It is not about those of subqueries, derived
// tables and CTEs, and in a UNION it belongs to the last SELECT (MySQL 8.0 Reference Manual,
// 17.7.2.4; MariaDB's SELECT_LEX::set_lock_for_tables).

// referrer writes into a statement what it does to its tables.
type referrer struct {
	db      *storage.Database
	query   bool            // the statement is a SELECT
	written map[string]bool // in a trigger: the names that its statements write, by nameIn
	into    string          // INSERT: the table, in lower case
	named   []string        // all tables
	hasty   bool            // a clause has NOWAIT
	skips   bool            // a clause has SKIP LOCKED
	again   bool            // which it reads too
	buffers bool            // see [storage.Statement.Buffers]
	writes  bool            // a table is written, or its rows are locked exclusively
}

// ctes are the names that WITH gives, in lower case.
type ctes map[string]bool

// clause is a locking clause, of all tables of a SELECT or of some.
type clause struct {
	storage.Lock
	is bool
	of []string // in lower case
}

// clauseOf is a locking clause; of the parser's none it is the one that is not.
func clauseOf(l *sqlparser.Lock) (c clause) {
	if l == nil || l.Type == "" {
		return c
	}
	text := strings.ToLower(l.Type)
	c.is, c.Shared = true, SharesRows(l)
	c.SkipLocked, c.NoWait = strings.Contains(text, "skip locked"), strings.Contains(text, "nowait")
	l.Tables = NamedIn(l) // others the engine does not find
	for _, t := range l.Tables {
		c.of = append(c.of, strings.ToLower(t.Name.String()))
	}
	return c
}

// locks is a reference in a SELECT with the clause.
func (c clause) locks(r storage.Reference, alias string) storage.Reference {
	if c.is && (len(c.of) == 0 || slices.Contains(c.of, alias)) {
		r.Lock, r.Locks = c.Lock, true
	}
	return r
}

// statement is the references of a statement. quiet: see [storage.Statement.Quiet].
func (r *referrer) statement(s sqlparser.SQLNode) (quiet bool) {
	switch s := s.(type) {
	case sqlparser.SelectStatement:
		r.selects(s, clause{}, nil)
	case *sqlparser.Insert:
		return r.insert(s)
	case *sqlparser.Update:
		return r.update(s)
	case *sqlparser.Delete:
		r.remove(s)
	case *sqlparser.Set:
		r.below(nil, s.Exprs)
	}
	return false
}

// selects is a query. A UNION's clause is that of its last SELECT.
func (r *referrer) selects(s sqlparser.SelectStatement, last clause, known ctes) {
	switch s := s.(type) {
	case *sqlparser.Select:
		if c := clauseOf(s.Lock); c.is {
			last = c
		}
		r.hasty, r.skips = r.hasty || last.NoWait, r.skips || last.SkipLocked
		r.one(s, last, true, known)
	case *sqlparser.ParenSelect:
		r.selects(s.Select, last, known)
	case *sqlparser.SetOp:
		if c := clauseOf(s.Lock); c.is {
			last = c
		}
		known = r.with(s.With, known)
		aliased(s.Left)
		aliased(s.Right)
		r.selects(s.Left, clause{}, known)
		r.selects(s.Right, last, known)
		r.below(known, s.OrderBy, s.Limit)
	}
}

// aliased gives the table of a part of a UNION an alias: the engine plans no index for a part that is
// as simple as can be.
func aliased(s sqlparser.SelectStatement) {
	switch s := s.(type) {
	case *sqlparser.ParenSelect:
		aliased(s.Select)
	case *sqlparser.Select:
		if joins(s.From) {
			return
		}
		if e, is := s.From[0].(*sqlparser.AliasedTableExpr); is && e.As.IsEmpty() {
			if t, is := e.Expr.(sqlparser.TableName); is && t.DbQualifier.IsEmpty() {
				e.As = t.Name
			}
		}
	}
}

// one is a SELECT with a clause. single: nothing is joined with it from outside.
func (r *referrer) one(s *sqlparser.Select, c clause, single bool, known ctes) {
	known = r.with(s.With, known)
	names := r.names(s)
	r.from(s.From, known, func(alias, _ string) storage.Reference {
		ref := storage.Reference{Query: r.query, Early: true, Single: single && !joins(s.From), Naming: names.of(alias)}
		return c.locks(ref, alias)
	})
	r.below(known, s.SelectExprs, s.Where, s.GroupBy, s.Having, s.OrderBy, s.Limit)
}

// with is the queries of WITH. It returns the names that are known behind it.
func (r *referrer) with(w *sqlparser.With, known ctes) ctes {
	if w == nil {
		return known
	}
	known = maps.Clone(known)
	if known == nil {
		known = ctes{}
	}
	for _, e := range w.Ctes {
		name := strings.ToLower(e.As.String())
		if w.Recursive {
			known[name] = true
		}
		if q, is := e.Expr.(*sqlparser.Subquery); is {
			r.selects(q.Select, clause{}, known)
		}
		known[name] = true
	}
	return known
}

// below is the subqueries in parts of a statement.
func (r *referrer) below(known ctes, parts ...sqlparser.SQLNode) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if q, is := n.(*sqlparser.Subquery); is {
			r.selects(q.Select, clause{}, known)
			return false, nil
		}
		return true, nil
	}, parts...)
}

// from is the tables of a FROM. of is what the statement does to one of them, in lower case.
func (r *referrer) from(list sqlparser.TableExprs, known ctes, of func(alias, table string) storage.Reference) {
	for _, e := range list {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			r.table(e, known, of)
		case *sqlparser.JoinTableExpr:
			r.from(sqlparser.TableExprs{e.LeftExpr, e.RightExpr}, known, of)
			r.below(known, e.Condition.On)
		case *sqlparser.ParenTableExpr:
			r.from(e.Exprs, known, of)
		default:
			r.below(known, e)
		}
	}
}

// table is a table of a FROM, or a derived one.
func (r *referrer) table(e *sqlparser.AliasedTableExpr, known ctes, of func(alias, table string) storage.Reference) {
	t, is := e.Expr.(sqlparser.TableName)
	if !is {
		r.below(known, e.Expr)
		return
	}
	alias, name := aliasOf(e, t)
	switch in := t.DbQualifier.String(); {
	case in == "" && (known[name] || name == "dual"), in != "" && !strings.EqualFold(in, r.db.Name()), e.AsOf != nil:
		return
	}
	ref := of(alias, name)
	if ref.Hint = hintOf(e); r.written[nameIn(alias, name)] {
		ref.Opened, ref.Shared = true, false
	}
	ref.Fired = r.written != nil
	r.named = append(r.named, name)
	ref.Nth = len(r.named)
	r.again = r.again || name == r.into
	r.writes = r.writes || ref.Locks && !ref.Shared
	if !ref.Target && r.view(e, name, ref) {
		return
	}
	e.AsOf = &sqlparser.AsOf{Time: sqlparser.NewStrVal([]byte(ref.Text()))}
}

// aliasOf is how a statement calls a table, and its name, both in lower case.
func aliasOf(e *sqlparser.AliasedTableExpr, t sqlparser.TableName) (alias, name string) {
	name = strings.ToLower(t.Name.String())
	if alias = strings.ToLower(e.As.String()); alias == "" {
		alias = name
	}
	return alias, name
}

// nameIn is a table by a name, in a trigger.
func nameIn(alias, table string) string { return table + " " + alias }

// insert is INSERT and REPLACE.
func (r *referrer) insert(s *sqlparser.Insert) (quiet bool) {
	r.writes, r.into = true, strings.ToLower(s.Table.Name.String())
	known := r.with(s.With, nil)
	rows, quiet := s.Rows.(sqlparser.SelectStatement)
	if quiet {
		_, union := rows.(*sqlparser.SetOp)
		r.selects(rows, clause{}, known)
		r.buffers = union || r.again
	} else {
		r.below(known, s.Rows)
	}
	r.below(known, s.OnDup)
	return quiet
}

// update is UPDATE. Of several tables it writes those whose columns are set. So it does where it
// reads the table again in a subquery: a server makes it an UPDATE of several then.
func (r *referrer) update(s *sqlparser.Update) (quiet bool) {
	r.writes = true
	known, names, sets := r.with(s.With, nil), r.names(s), r.sets(s)
	several := joins(s.TableExprs)
	quiet = !several && !readsAgain(s)
	r.from(s.TableExprs, known, func(alias, table string) storage.Reference {
		ref := storage.Reference{Naming: names.of(alias), Early: !quiet}
		ref.Sets, ref.Target = sets[alias]
		ref.Target = ref.Target || !several
		ref.Locks = ref.Target || several && r.written != nil // which a trigger opens all for writing
		ref.Semi = quiet
		return ref
	})
	r.below(known, s.Exprs, s.Where, s.OrderBy, s.Limit)
	return quiet
}

// sets is the columns that an UPDATE sets, by the tables' names in the statement.
func (r *referrer) sets(s *sqlparser.Update) map[string][]string {
	tables, sets := tablesOf(s.TableExprs), map[string][]string{}
	for _, e := range s.Exprs {
		column, of := e.Name.Name.Lowered(), strings.ToLower(e.Name.Qualifier.Name.String())
		for alias, table := range tables {
			if of == alias || of == "" && (len(tables) == 1 || r.db.Has(table, column)) {
				sets[alias] = append(sets[alias], column)
			}
		}
	}
	return sets
}

// readsAgain reports whether an UPDATE of a table has a subquery on it, not counting those in
// derived tables, which are read before.
func readsAgain(s *sqlparser.Update) (again bool) {
	for _, table := range tablesOf(s.TableExprs) {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
			e, is := n.(*sqlparser.AliasedTableExpr)
			if !is {
				return true, nil
			}
			t, is := e.Expr.(sqlparser.TableName)
			again = again || is && strings.EqualFold(t.Name.String(), table)
			return false, nil
		}, s.Exprs, s.Where, s.OrderBy, s.Limit)
	}
	return again
}

// remove is DELETE.
func (r *referrer) remove(s *sqlparser.Delete) {
	r.writes = true
	known, names := r.with(s.With, nil), r.names(s)
	r.from(s.TableExprs, known, func(alias, table string) storage.Reference {
		target := deletes(s, alias)
		return storage.Reference{Target: target, Locks: target, Early: len(s.Targets) > 0, Naming: names.of(alias)}
	})
	r.below(known, s.Where, s.OrderBy, s.Limit)
}

// deletes reports whether a DELETE deletes rows of the table that it calls so.
func deletes(s *sqlparser.Delete, alias string) bool {
	return len(s.Targets) == 0 || slices.ContainsFunc(s.Targets, func(t sqlparser.TableName) bool { return strings.EqualFold(t.Name.String(), alias) })
}

// joins reports whether tables are several.
func joins(list sqlparser.TableExprs) bool {
	if len(list) != 1 {
		return true
	}
	if p, is := list[0].(*sqlparser.ParenTableExpr); is {
		return joins(p.Exprs)
	}
	_, one := list[0].(*sqlparser.AliasedTableExpr)
	return !one
}

// hintOf is the hint of a table; nil for none.
func hintOf(e *sqlparser.AliasedTableExpr) *storage.Hint {
	if e.Hints == nil {
		return nil
	}
	h := &storage.Hint{Ignore: e.Hints.Type == sqlparser.IgnoreStr}
	for _, x := range e.Hints.Indexes {
		h.Indexes = append(h.Indexes, x.Lowered())
	}
	return h
}
