package engine

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// Subqueries in ON DUPLICATE KEY UPDATE. The engine gives them the row that is there and the new
// one, and takes the first columns of these for those of the subquery's tables. Here a subquery
// gets no row: one that asks for columns of them is refused.

// withPlan makes the engine plan an INSERT of literals where ON DUPLICATE KEY UPDATE has a subquery:
// else it plans none for what has literals alone.
func withPlan(i *sqlparser.Insert) {
	rows, is := i.Rows.(*sqlparser.AliasedValues)
	if !is || len(rows.Values) == 0 || len(rows.Values[0]) == 0 {
		return
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		if _, below := n.(*sqlparser.Subquery); below {
			rows.Values[0][0] = &sqlparser.ParenExpr{Expr: rows.Values[0][0]}
			return false, nil
		}
		return true, nil
	}, i.OnDup)
}

// trigger is what an INSERT that may find a row wants to know of a trigger.
type trigger struct {
	table, event string   // in lower case
	upserts      []string // tables, as upsertsIn has them
}

// triggers are the triggers of the database.
func (e *Engine) triggers(ctx *sql.Context) (list []trigger, err error) {
	defs, err := e.db.GetTriggers(ctx)
	for _, def := range defs {
		known, is := e.known.Load(def.CreateStatement)
		if !is {
			var t trigger
			tree, err := sqlparser.Parse(def.CreateStatement)
			if d, is := tree.(*sqlparser.DDL); is && err == nil && d.TriggerSpec != nil {
				t = trigger{strings.ToLower(d.Table.Name.String()), strings.ToLower(d.TriggerSpec.Event), upsertsIn(d.TriggerSpec.Body)}
			}
			known, _ = e.known.LoadOrStore(def.CreateStatement, t)
		}
		list = append(list, known.(trigger))
	}
	return list, err
}

// upserts are the tables, in lower case, into which a statement inserts with ON DUPLICATE KEY
// UPDATE, or by REPLACE; those of the triggers too. Triggers of such tables that the engine would not
// fire are an error.
func (e *Engine) upserts(ctx *sql.Context, s sqlparser.Statement) (tables []string, err error) {
	tables = upsertsIn(s)
	list, err := e.triggers(ctx)
	if err != nil || len(list) == 0 {
		return tables, err
	}
	if i, is := s.(*sqlparser.Insert); is && len(tables) > 0 {
		into, replaces := strings.ToLower(i.Table.Name.String()), strings.EqualFold(i.Action, sqlparser.ReplaceStr)
		for _, t := range list {
			if t.table == into && replaces && t.event == sqlparser.DeleteStr {
				return nil, mysql.NewSQLError(1235, "42000", refusedHere+"REPLACE into a table with a DELETE trigger is not explored: send DELETE and INSERT")
			}
		}
		tables = append(tables, storage.AllTables) // its triggers' inserts lock as it does
	}
	for _, t := range list {
		tables = append(tables, t.upserts...)
	}
	return tables, nil
}

func upsertsIn(s sqlparser.Statement) (tables []string) {
	eachStatement(reflect.ValueOf(&s), func(n sqlparser.SQLNode) {
		if i, is := n.(*sqlparser.Insert); is && (len(i.OnDup) > 0 || strings.EqualFold(i.Action, sqlparser.ReplaceStr)) {
			tables = append(tables, strings.ToLower(i.Table.Name.String()))
		}
	})
	return tables
}

// apart is a subquery that gets no row.
type apart struct{ expression.UnaryExpressionStub }

// upsertApart puts apart around the subqueries of ON DUPLICATE KEY UPDATE.
func upsertApart(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		i, is := n.(*plan.InsertInto)
		if !is || !i.OnDupExprs.HasUpdates() {
			return n, transform.SameTree, nil
		}
		all := i.Expressions()
		with, same := make([]sql.Expression, len(all)), true
		for at, e := range all {
			one, err := withApart(ctx, e)
			if err != nil {
				return n, transform.SameTree, err
			}
			with[at], same = one, same && one == e
		}
		if same {
			return n, transform.SameTree, nil
		}
		inserts, err := i.WithExpressions(ctx, with...)
		return inserts, transform.NewTree, err
	})
}

// withApart is an expression whose subqueries get no row.
func withApart(ctx *sql.Context, e sql.Expression) (sql.Expression, error) {
	var of *plan.Subquery
	switch e := e.(type) {
	case *apart:
		return e, nil
	case *plan.Subquery:
		of = e
	case *plan.ExistsSubquery:
		of = e.Query
	case *plan.InSubquery, *each:
		return nil, mysql.NewSQLError(1235, "42000", refusedHere+"IN and ANY of a subquery are not explored in ON DUPLICATE KEY UPDATE: send the query before")
	}
	if of != nil {
		if !of.Correlated().Empty() {
			return nil, mysql.NewSQLError(1235, "42000", refusedHere+"a subquery in ON DUPLICATE KEY UPDATE that names columns around it is not explored: send the query before")
		}
		return &apart{expression.UnaryExpressionStub{Child: e}}, nil
	}
	children, same := make([]sql.Expression, len(e.Children())), true
	for i, c := range e.Children() {
		with, err := withApart(ctx, c)
		if err != nil {
			return nil, err
		}
		children[i], same = with, same && with == c
	}
	if same {
		return e, nil
	}
	return e.WithChildren(ctx, children...)
}

// Eval implements sql.Expression.
func (a *apart) Eval(ctx *sql.Context, _ sql.Row) (any, error) { return a.Child.Eval(ctx, nil) }

// Type implements sql.Expression.
func (a *apart) Type(ctx *sql.Context) sql.Type { return a.Child.Type(ctx) }

// String implements sql.Expression.
func (a *apart) String() string { return a.Child.String() }

// CollationCoercibility implements sql.CollationCoercible.
func (a *apart) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, a.Child)
}

// WithChildren implements sql.Expression.
func (a *apart) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &apart{expression.UnaryExpressionStub{Child: children[0]}}, nil
}
