package storage

import (
	"slices"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// UNSIGNED columns of the types DECIMAL, FLOAT and DOUBLE. The engine's types of them have a sign: so
// the table knows them by their names, and refuses values below 0, or makes them 0 where the
// statement is not strict (MySQL 8.0 Reference Manual, 13.1.6 and 7.1.11). A statement that defines
// such a column says by the comment whether it is one. A column that is renamed has no such comment.

// The ends of a column's comment that say so.
const (
	MarkUnsigned = "\x00unsigned"
	MarkSigned   = "\x00signed"
)

// define takes the mark from a column's comment. was is the column's old name, "" for a new one.
func (d *Def) define(was string, c *sql.Column) {
	held := was != "" && slices.Contains(d.unsigned, strings.ToLower(was))
	d.undefine(was)
	if comment, is := strings.CutSuffix(c.Comment, MarkUnsigned); is {
		c.Comment, held = comment, true
	} else if comment, is := strings.CutSuffix(c.Comment, MarkSigned); is {
		c.Comment, held = comment, false
	}
	if held {
		d.unsigned = append(d.unsigned, strings.ToLower(c.Name))
	}
}

// undefine forgets a column.
func (d *Def) undefine(name string) {
	d.unsigned = slices.DeleteFunc(d.unsigned, func(u string) bool { return strings.EqualFold(u, name) })
}

// unsign refuses a row with a number below 0 in such a column, or makes it 0.
func (d *Def) unsign(ctx *sql.Context, row sql.Row) error {
	for _, name := range d.unsigned {
		at := d.schema.Schema.IndexOfColName(name)
		if at < 0 || !below(row[at]) {
			continue
		}
		s := &sessionOf(ctx).statement
		if !s.Ignores && !s.Loose && sql.LoadSqlMode(ctx).Strict() {
			return mysql.NewSQLError(1264, "22003", "Out of range value for column '%s' at row 1", d.schema.Schema[at].Name)
		}
		v, _, err := d.schema.Schema[at].Type.Convert(ctx, 0)
		if err != nil {
			return err
		}
		row[at] = v
	}
	for at, v := range row { // rounding left the sign of what was below 0: no column keeps it
		if v, decimal := v.(*apd.Decimal); decimal && v.IsZero() && v.Negative {
			row[at] = new(apd.Decimal).Abs(v)
		}
	}
	return nil
}

// below reports whether a value is a number below 0, or was one before it was rounded.
func below(v any) bool {
	switch v := v.(type) {
	case *apd.Decimal:
		return v.Negative
	case float64:
		return v < 0
	case float32:
		return v < 0
	}
	return false
}
