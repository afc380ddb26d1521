package engine

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// formatted is DATE_FORMAT. Of 0000-00-00 it has zeros (MySQL 8.0 Reference Manual, 14.7); the engine takes it for a day
// of another year.
type formatted struct{ *function.DateFormat }

// newDateFormat is DATE_FORMAT(date, format).
func newDateFormat(ctx *sql.Context, date, format sql.Expression) sql.Expression {
	e := function.NewDateFormat(ctx, date, format)
	if f, is := e.(*function.DateFormat); is {
		return &formatted{f}
	}
	return e
}

// zeros are what the specifiers of a format have of it.
var zeros = map[byte]string{'Y': "0000", 'y': "00", 'm': "00", 'c': "0", 'd': "00", 'e': "0", 'H': "00", 'k': "0", 'h': "12", 'I': "12", 'l': "12", 'i': "00",
	's': "00", 'S': "00", 'f': "000000", 'p': "AM", 'T': "00:00:00", 'r': "12:00:00 AM", '%': "%"}

// Eval implements sql.Expression.
func (f *formatted) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	date, err := f.LeftChild.Eval(ctx, row)
	if t, is := date.(time.Time); err != nil || !is || !t.Equal(types.ZeroTime) {
		return f.DateFormat.Eval(ctx, row)
	}
	v, err := f.RightChild.Eval(ctx, row)
	format, is := v.(string)
	if err != nil || !is {
		return nil, err
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		text, is := zeros[format[i]]
		if !is {
			return nil, mysql.NewSQLError(1235, "42000", refusedHere+"%%%c of the date 0000-00-00 is not explored: format dates that are there", format[i])
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// WithChildren implements sql.Expression.
func (f *formatted) WithChildren(ctx *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 2 {
		return nil, sql.ErrInvalidChildrenNumber.New(f, len(children), 2)
	}
	return newDateFormat(ctx, children[0], children[1]), nil
}
