package engine

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// User variables that an expression sets (MySQL 8.0 Reference Manual, 11.4). The engine has
// those of SET and of SELECT … INTO.

// hasVariable reports whether a user variable has been set, be it to NULL.
func (c *Conn) hasVariable(name string) bool {
	t, _, err := c.session.GetUserVariable(c.plain(), name)
	return err == nil && t != nil
}

// withUnset writes NULL for user variables that have no value when the statement begins. It
// does so where an expression reads one before another expression sets it. A server looks for
// the variable once, from left to right, and in a FROM first (sql/item_func.cc,
// Item_func_get_user_var).
func withUnset(parsed sqlparser.Statement, set func(name string) bool) {
	made := map[string]bool{}
	var replaced func(e sqlparser.Expr) (sqlparser.Expr, bool)
	replaced = func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		switch e := e.(type) {
		case *sqlparser.ColName:
			name, is := strings.CutPrefix(e.Name.Lowered(), "@")
			if is && !strings.HasPrefix(name, "@") && !made[name] && !set(name) {
				return &sqlparser.NullVal{}, true
			}
		case *sqlparser.FuncExpr:
			if e.Name.Lowered() != assignedName || len(e.Exprs) != 2 {
				return e, false
			}
			replaceExprs(reflect.ValueOf(e.Exprs[1]), replaced)
			if to, ok := e.Exprs[0].(*sqlparser.AliasedExpr); ok {
				made[strings.Trim(sqlparser.String(to.Expr), "'")] = true
			}
			return e, true
		}
		return e, false
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.Select:
			replaceExprs(reflect.ValueOf(n.From), replaced)
		case *sqlparser.Update:
			replaceExprs(reflect.ValueOf(n.TableExprs), replaced)
		}
		return true, nil
	}, parsed)
	replaceExprs(reflect.ValueOf(parsed), replaced)
}

// assigned is @name := e.
type assigned struct {
	expression.UnaryExpressionStub
	name string
}

var _ sql.NonDeterministicExpression = (*assigned)(nil)

func newAssigned(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
	if len(args) != 2 {
		return nil, sql.ErrFunctionNotFound.New(assignedName)
	}
	name, err := args[0].Eval(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &assigned{expression.UnaryExpressionStub{Child: args[1]}, fmt.Sprint(name)}, nil
}

// Eval implements sql.Expression.
func (a *assigned) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := a.Child.Eval(ctx, row)
	if err == nil {
		v, err = sql.UnwrapAny(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	t := a.Child.Type(ctx)
	if t == types.Null {
		t = types.ApproximateTypeFromValue(v)
	}
	return v, ctx.SetUserVariable(ctx, a.name, v, t)
}

// Type implements sql.Expression.
func (a *assigned) Type(ctx *sql.Context) sql.Type { return a.Child.Type(ctx) }

// IsNullable implements sql.Expression.
func (a *assigned) IsNullable(*sql.Context) bool { return true }

// IsNonDeterministic implements sql.NonDeterministicExpression: it is evaluated for each row.
func (a *assigned) IsNonDeterministic() bool { return true }

// CollationCoercibility implements sql.CollationCoercible.
func (a *assigned) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	of, _ := sql.GetCoercibility(ctx, a.Child)
	return of, 2
}

// String implements sql.Expression.
func (a *assigned) String() string { return "@" + a.name + " := " + a.Child.String() }

// WithChildren implements sql.Expression.
func (a *assigned) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 1)
	}
	return &assigned{expression.UnaryExpressionStub{Child: children[0]}, a.name}, nil
}
