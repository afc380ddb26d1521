package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// What a tester prints of the results of SQL: libpq's PQprint with a header, aligned, and of an error
// its severity and its message.

// Exec runs a text of SQL and returns all its results, and the error that has ended it.
func Exec(ctx context.Context, c *pgconn.PgConn, sql string) (list []*pgconn.Result, err error) {
	m := c.Exec(ctx, sql)
	for m.NextResult() {
		from := m.ResultReader()
		r := &pgconn.Result{FieldDescriptions: slices.Clone(from.FieldDescriptions())}
		for from.NextRow() {
			row := make([][]byte, len(from.Values()))
			for i, v := range from.Values() {
				row[i] = bytes.Clone(v)
			}
			r.Rows = append(r.Rows, row)
		}
		if _, err := from.Close(); err == nil {
			list = append(list, r)
		}
	}
	return list, m.Close()
}

// Text is what is printed of the results of a step.
func Text(results []*pgconn.Result, err error) string {
	var b strings.Builder
	for _, r := range results {
		table(&b, r)
	}
	var failed *pgconn.PgError
	switch {
	case errors.As(err, &failed):
		fmt.Fprintf(&b, "%s:  %s\n", failed.Severity, failed.Message)
	case err != nil:
		fmt.Fprintf(&b, "%v\n", err)
	}
	return b.String()
}

// Last is what is printed of the results of a setup or a teardown: its last one, if that has rows.
func Last(results []*pgconn.Result) string {
	var b strings.Builder
	if n := len(results); n > 0 {
		table(&b, results[n-1])
	}
	return b.String()
}

// table writes a result with rows. Columns of numbers are aligned to the right. Widths are bytes.
func table(b *strings.Builder, r *pgconn.Result) {
	if len(r.FieldDescriptions) == 0 {
		return
	}
	names, widths, words := make([]string, len(r.FieldDescriptions)), make([]int, len(r.FieldDescriptions)), make([]bool, len(r.FieldDescriptions))
	for i, f := range r.FieldDescriptions {
		names[i], widths[i] = f.Name, len(f.Name)
		for _, row := range r.Rows {
			widths[i] = max(widths[i], len(row[i]))
			words[i] = words[i] || len(row[i]) > 0 && !numeric(string(row[i]))
		}
	}
	line := func(values []string) {
		for i, v := range values {
			if i > 0 {
				b.WriteByte('|')
			}
			fill := strings.Repeat(" ", widths[i]-len(v))
			if words[i] {
				b.WriteString(v + fill)
			} else {
				b.WriteString(fill + v)
			}
		}
		b.WriteByte('\n')
	}
	line(names)
	for i, w := range widths {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(strings.Repeat("-", w))
	}
	b.WriteByte('\n')
	for _, row := range r.Rows {
		values := make([]string, len(row))
		for i, v := range row {
			values[i] = string(v)
		}
		line(values)
	}
	rows := "rows"
	if len(r.Rows) == 1 {
		rows = "row"
	}
	fmt.Fprintf(b, "(%d %s)\n\n", len(r.Rows), rows)
}

// numeric reports whether PQprint takes a value for a number.
func numeric(v string) bool {
	last := v[len(v)-1]
	return strings.Trim(v, "0123456789.Ee -") == "" && v[0] != 'E' && v[0] != 'e' && last >= '0' && last <= '9'
}
