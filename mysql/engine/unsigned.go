package engine

import (
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// Numbers without a sign: columns of DECIMAL, FLOAT and DOUBLE, of which the engine forgets it, and
// whole numbers of 64 bits that are compared with those that have one.

var definitionType = reflect.TypeFor[*sqlparser.ColumnDefinition]()

// markUnsigned says in the comments of a definition's columns which of them are UNSIGNED.
func markUnsigned(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Type() == definitionType {
			mark(&v.Interface().(*sqlparser.ColumnDefinition).Type)
			return
		}
		markUnsigned(v.Elem())
	case reflect.Struct:
		if !strings.HasSuffix(v.Type().PkgPath(), "sqlparser") {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				markUnsigned(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			markUnsigned(v.Index(i))
		}
	}
}

func mark(t *sqlparser.ColumnType) {
	says := storage.MarkSigned
	if bool(t.Unsigned) || bool(t.Zerofill) {
		says = storage.MarkUnsigned
	}
	switch strings.ToLower(t.Type) {
	case "decimal", "dec", "fixed", "numeric", "float", "double", "double precision", "real":
	default: // the engine knows the others, and a column may become one of them
		says = storage.MarkSigned
	}
	comment := ""
	if t.Comment != nil {
		comment = string(t.Comment.Val)
	}
	t.Comment = sqlparser.NewStrVal([]byte(comment + says))
}

// signsApart compares whole numbers with a sign and without one as decimals: the engine takes
// 9223372036854775807 and 9223372036854775808 for the same.
func signsApart(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	c, is := e.(expression.Comparer)
	if !is {
		return e, transform.SameTree, nil
	}
	l, r := c.Left().Type(ctx), c.Right().Type(ctx)
	if !types.IsInteger(l) || !types.IsInteger(r) || types.IsUnsigned(l) == types.IsUnsigned(r) || l != types.Uint64 && r != types.Uint64 || small(c.Left()) || small(c.Right()) {
		return e, transform.SameTree, nil
	}
	t := types.MustCreateDecimalType(20, 0) // digits of a BIGINT UNSIGNED
	with, err := e.WithChildren(ctx, &asNumber{expression.UnaryExpressionStub{Child: c.Left()}, t}, &asNumber{expression.UnaryExpressionStub{Child: c.Right()}, t})
	return with, transform.NewTree, err
}

// small reports whether an expression is a number that is exact as a double.
func small(e sql.Expression) bool {
	l, is := e.(*expression.Literal)
	if !is {
		return false
	}
	n := wholeNumber(l.Value())
	return n == nil || n.BitLen() <= 53
}
