package engine

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Columns of a UNION that are numbers in all its parts have a type with room for all of them, as
// functions that return one of several numbers have: see commonNumber. The engine puts a projection
// around a part, which converts them to a decimal that keeps the digits of each row, to a signed number,
// or to a text.

// numbersOfUnions gives the columns of unions their types.
func numbersOfUnions(ctx *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, sel analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if sel(finalizesSubqueries) && !sel(assignsIndexes) {
		return n, transform.SameTree, nil // a part of a union, which the engine compares with the others
	}
	return transform.NodeWithOpaque(ctx, n, func(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		u, is := n.(*plan.SetOp)
		if !is {
			return n, transform.SameTree, nil
		}
		columns, same := len(u.Left().Schema(ctx)), true
		for i := range columns {
			l, r := partType(ctx, u.Left(), i), partType(ctx, u.Right(), i)
			t, numbers := commonNumber([]sql.Type{l, r})
			if !numbers || l.Equals(r) {
				continue
			}
			with, err := retyped(ctx, u, i, t)
			if err != nil {
				return nil, transform.SameTree, err
			}
			u, same = with.(*plan.SetOp), false
			if err := sortedIn(ctx, u, i, t); err != nil {
				return nil, transform.SameTree, err
			}
		}
		return u, transform.TreeIdentity(same), nil
	})
}

// The rules of the engine that tell whether it analyzes a part of a union.
var finalizesSubqueries, assignsIndexes = ruleNamed("finalizeSubqueries"), ruleNamed("assignExecIndexes")

func ruleNamed(name string) analyzer.RuleId {
	for id := analyzer.RuleId(0); id < ruleID; id++ {
		if id.String() == name {
			return id
		}
	}
	return ruleID
}

// converts reports whether a projection is one that the engine has put around a part of a union.
func converts(p *plan.Project) bool {
	switch p.Child.(type) {
	case *plan.Project, *plan.SetOp, *plan.Limit, *plan.Offset, *plan.Distinct:
	default:
		return false
	}
	for _, e := range p.Projections {
		if a, is := e.(*expression.Alias); is {
			e = a.Child
		}
		if c, is := e.(*expression.Convert); is {
			e = c.Child
		}
		if _, is := e.(*expression.GetField); !is {
			return false
		}
	}
	return true
}

// partType is the type of a column in a part of a union, as its statement has it.
func partType(ctx *sql.Context, n sql.Node, i int) sql.Type {
	if p, is := n.(*plan.Project); is && converts(p) {
		if schema := p.Child.Schema(ctx); len(schema) == len(p.Projections) {
			return schema[i].Type
		}
	}
	return n.Schema(ctx)[i].Type
}

// retyped is a part of a union with a column in another type.
func retyped(ctx *sql.Context, n sql.Node, i int, t sql.Type) (sql.Node, error) {
	p, is := n.(*plan.Project)
	if !is {
		children, err := n.Children(), error(nil)
		children = slices.Clone(children)
		for k := range children {
			if children[k], err = retyped(ctx, children[k], i, t); err != nil {
				return nil, err
			}
		}
		return n.WithChildren(ctx, children...)
	}
	list := slices.Clone(p.Projections)
	of := list[i]
	alias, labelled := of.(*expression.Alias)
	if labelled {
		of = alias.Child
	}
	if c, is := of.(*expression.Convert); is && converts(p) {
		of = c.Child
	}
	if labelled {
		with, err := alias.WithChildren(ctx, &asNumber{expression.UnaryExpressionStub{Child: of}, t})
		if err != nil {
			return nil, err
		}
		list[i] = with
	} else {
		list[i] = &asNumber{expression.UnaryExpressionStub{Child: of}, t}
	}
	return plan.NewProject(ctx, list, p.Child), nil
}

// sortedIn makes a union sort a column by its type.
func sortedIn(ctx *sql.Context, u *plan.SetOp, i int, t sql.Type) error {
	name := u.Left().Schema(ctx)[i].Name
	u.SortConditions = slices.Clone(u.SortConditions)
	for k, s := range u.SortConditions {
		e, _, err := transform.Expr(ctx, s.Expr, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			f, is := e.(*expression.GetField)
			if !is || !strings.EqualFold(f.Name(), name) {
				return e, transform.SameTree, nil
			}
			with := expression.NewGetFieldWithTable(int(f.Id()), int(f.TableId()), t, f.Database(), f.Table(), f.Name(), f.IsNullable(ctx))
			return with.WithIndex(f.Index()), transform.NewTree, nil
		})
		if err != nil {
			return err
		}
		u.SortConditions[k].Expr = e
	}
	return nil
}
