package table

import (
	"strconv"
	"strings"
)

// Row is a row: its columns as text, separated by semicolons. A string is
// cheaper to store than a slice, as it need not be copied in and out.
type Row string

// NewRow makes a row of its columns.
func NewRow(columns ...string) Row { return Row(strings.Join(columns, ";")) }

// Field returns column i, counted from 0; "" when the row has fewer.
func (r Row) Field(i int) string {
	s := string(r)
	for ; i > 0; i-- {
		_, rest, ok := strings.Cut(s, ";")
		if !ok {
			return ""
		}
		s = rest
	}
	s, _, _ = strings.Cut(s, ";")
	return s
}

// Int returns column i as a number, 0 when it is none.
func (r Row) Int(i int) int {
	n, _ := strconv.Atoi(r.Field(i))
	return n
}

// Float returns column i as a number, 0 when it is none.
func (r Row) Float(i int) float64 {
	f, _ := strconv.ParseFloat(r.Field(i), 64)
	return f
}

// With returns the row with column i changed. A row that is too short gets empty
// columns: at weak levels a row can be listed before its columns are visible.
func (r Row) With(i int, column string) Row {
	columns := strings.Split(string(r), ";")
	for len(columns) <= i {
		columns = append(columns, "")
	}
	columns[i] = column
	return NewRow(columns...)
}

// ID joins the columns that form a row's id.
func (r Row) ID(columns ...int) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = r.Field(c)
	}
	return ID(parts...)
}
