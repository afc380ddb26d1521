package engine

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/storage"
)

// A date is compared with a whole number as with the date that the number writes: `at >= 20260102`
// (MySQL 8.0 Reference Manual, 11.2.2 and 12.3). The engine finds no row.

// withDates spells the numbers of such comparisons as texts. A text with a zone is error 1292 in a statement that writes
// in a strict SQL mode.
func (c *Conn) withDates(s *sql.Context, parsed sqlparser.Statement, args map[string]sqlparser.Expr) (err error) {
	tables := readOrWritten(parsed)
	if !c.engine.db.HasColumn(tables, types.IsTime) {
		return nil
	}
	strict := storage.StrictlyWrites(s) && sql.LoadSqlMode(s).Strict()
	temporal := func(e sqlparser.Expr) bool {
		column, is := e.(*sqlparser.ColName)
		if !is {
			return false
		}
		t := c.engine.db.TypeOf(tables, column.Name.String())
		return t != nil && types.IsTime(t)
	}
	spelled := func(e sqlparser.Expr) sqlparser.Expr {
		if text := textIn(e, args); strict && zoned.MatchString(text) {
			err = mysql.NewSQLError(1292, "22007", "Incorrect datetime value: '%s'", text)
		}
		text, is := dateOf(e, args)
		if !is {
			return e
		}
		with := sqlparser.NewStrVal([]byte(text))
		if v, is := e.(*sqlparser.SQLVal); is && v.Type == sqlparser.ValArg {
			args[strings.TrimPrefix(string(v.Val), ":")] = with
			return e
		}
		return with
	}
	replaceExprs(reflect.ValueOf(parsed), func(e sqlparser.Expr) (sqlparser.Expr, bool) {
		switch e := e.(type) {
		case *sqlparser.ComparisonExpr:
			if list, is := e.Right.(sqlparser.ValTuple); is && temporal(e.Left) {
				for i := range list {
					list[i] = spelled(list[i])
				}
			} else if temporal(e.Left) {
				e.Right = spelled(e.Right)
			} else if temporal(e.Right) {
				e.Left = spelled(e.Left)
			}
		case *sqlparser.RangeCond:
			if temporal(e.Left) {
				e.From, e.To = spelled(e.From), spelled(e.To)
			}
		}
		return e, false
	})
	return err
}

// textIn is the text of a literal or an argument; "" for others.
func textIn(e sqlparser.Expr, args map[string]sqlparser.Expr) string {
	if v, is := e.(*sqlparser.SQLVal); is && v.Type == sqlparser.ValArg {
		e = args[strings.TrimPrefix(string(v.Val), ":")]
	}
	switch v := e.(type) {
	case *sqlparser.SQLVal:
		if v.Type == sqlparser.StrVal {
			return string(v.Val)
		}
	case sqlparser.InjectedExpr:
		if l, is := v.Expression.(*expression.Literal); is {
			text, _ := l.Value().(string)
			return text
		}
	}
	return ""
}

// dateOf is the date that a whole number writes, YYYYMMDD or YYYYMMDDhhmmss, years with two digits
// or four, or 0.
func dateOf(e sqlparser.Expr, args map[string]sqlparser.Expr) (string, bool) {
	if v, is := e.(*sqlparser.SQLVal); is && v.Type == sqlparser.ValArg {
		e = args[strings.TrimPrefix(string(v.Val), ":")]
	}
	var text string
	switch v := e.(type) {
	case *sqlparser.SQLVal:
		if v.Type != sqlparser.IntVal {
			return "", false
		}
		text = string(v.Val)
	case sqlparser.InjectedExpr:
		l, is := v.Expression.(*expression.Literal)
		if !is || !types.IsInteger(l.Typ) {
			return "", false
		}
		text = l.String()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return "", false
	}
	if n == 0 {
		return "0000-00-00 00:00:00", true
	}
	const second, day, century, half = 1_000_000, 1_000_000, 1_000_000, 700_000
	date, time := n, int64(0)
	if n > 99_999_999 { // there is a time
		date, time = n/second, n%second
	}
	switch { // two digits of a year
	case date < half:
		date += 20 * century
	case date < day:
		date += 19 * century
	}
	text = fmt.Sprintf("%04d-%02d-%02d %02d:%02d:%02d", date/10000, date/100%100, date%100, time/10000, time/100%100, time%100)
	if _, _, err := types.DatetimeMaxPrecision.Convert(sql.NewEmptyContext(), text); err != nil {
		return "", false
	}
	return text, true
}

// zoned finds texts of dates with a zone, which a column does not take in a strict SQL mode.
var zoned = regexp.MustCompile(`^\s*\d+-\d+-\d+[T ][\d:.]+\s*(?:[zZ]|[+-]\d\d?:\d\d|UTC)\s*$`)

// withTruths makes documents of JSON truth values where they are conditions: in WHERE, behind AND,
// OR and NOT, and before IS TRUE.
func withTruths(parsed sqlparser.Statement) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) { // whose function never fails
		switch n := n.(type) {
		case *sqlparser.Where:
			if n != nil {
				n.Expr = truth(n.Expr)
			}
		case *sqlparser.AndExpr:
			n.Left, n.Right = truth(n.Left), truth(n.Right)
		case *sqlparser.OrExpr:
			n.Left, n.Right = truth(n.Left), truth(n.Right)
		case *sqlparser.NotExpr:
			n.Expr = truth(n.Expr)
		case *sqlparser.IsExpr:
			if n.Operator != sqlparser.IsNullStr && n.Operator != sqlparser.IsNotNullStr {
				n.Expr = truth(n.Expr)
			}
		}
		return true, nil
	}, parsed)
}

// truthName is the function that stands for the truth value of a document.
const truthName = "truth_of_json"

func truth(e sqlparser.Expr) sqlparser.Expr {
	switch v := e.(type) {
	case *sqlparser.ParenExpr:
		v.Expr = truth(v.Expr)
		return v
	case *sqlparser.FuncExpr:
		if v.Name.Lowered() != "json_extract" {
			return e
		}
	case *sqlparser.BinaryExpr:
		if v.Operator != sqlparser.JSONExtractOp {
			return e
		}
	default:
		return e
	}
	return &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(truthName), Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: e}}}
}

// truthOf is 1 of true and of numbers that are not 0, also of those that a text begins with.
func truthOf(ctx *sql.Context, args []any) (any, error) {
	v := args[0]
	if doc, is := v.(sql.JSONWrapper); is {
		var err error
		if v, err = doc.ToInterface(ctx); err != nil || v == nil {
			return int64(0), err
		}
	}
	if n := exactNumber(v); n != nil && n.Sign() != 0 {
		return int64(1), nil
	}
	return int64(0), nil
}
