package storage

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/txmc/txmc/program/rows"
)

// content is what a variable holds of a row.
func (d *Def) content(row sql.Row) rows.Content {
	m := make(rows.Content, len(row))
	for i, col := range d.schema.Schema {
		switch v := row[i].(type) {
		case nil:
			m[col.Name] = nil
		case int8, int16, int32, int64, int, uint8, uint16, uint32, uint64, uint:
			m[col.Name] = whole(col.Type, v)
		default:
			m[col.Name] = textOf(v)
		}
	}
	return m
}

// whole is a whole number as such, unless it is the number of a word.
func whole(t sql.Type, v any) any {
	switch t := t.(type) {
	case sql.EnumType:
		if n, ok := v.(uint16); ok {
			if s, ok := t.At(int(n)); ok {
				return s
			}
		}
	case sql.SetType:
		if n, ok := v.(uint64); ok {
			if s, err := t.BitsToString(n); err == nil {
				return s
			}
		}
	}
	text := fmt.Sprint(v)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

// textOf is a text that is equal for equal values of one type only.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return shown(v)
	case []byte:
		return shown(string(v))
	case time.Time:
		return strings.TrimSuffix(v.UTC().Format("2006-01-02 15:04:05.999999"), " 00:00:00")
	case float64:
		return float(v, 64)
	case float32:
		return float(float64(v), 32)
	case types.Timespan:
		return v.String()
	case sql.JSONWrapper:
		if s, err := types.JsonToMySqlString(context.Background(), v); err == nil {
			return s
		}
	case sql.AnyWrapper:
		if u, err := v.UnwrapAny(context.Background()); err == nil {
			return textOf(u)
		}
	}
	return fmt.Sprint(v)
}

func float(f float64, bits int) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return strconv.FormatFloat(f, 'g', -1, bits)
}

// shown is a text as it is, and other bytes in hexadecimal.
func shown(s string) string {
	if !utf8.ValidString(s) || strings.HasPrefix(s, `\x`) || strings.ContainsRune(s, 0) {
		return `\x` + hex.EncodeToString([]byte(s))
	}
	return s
}

// row is the engine's form of what a variable holds; nil where there is no row.
func (d *Def) row(v any) (sql.Row, error) {
	key := rows.KeyOf(v)
	if key == "" {
		return nil, nil
	}
	row, ok := d.rows.Content(key)
	if !ok {
		return nil, fmt.Errorf("txmc: the content of a row of %s is not known: %v", d.name, v)
	}
	return row, nil
}

// know notes a content of a row, and reports whether a scan could tell the difference.
func (d *Def) know(id string, row sql.Row) (shown rows.Content, news bool) {
	shown = d.content(row)
	return shown, d.rows.Add(id, row, d.shape(row), shown)
}

// shape is equal for contents with equal values of all indexes only.
func (d *Def) shape(row sql.Row) string {
	var b strings.Builder
	for _, x := range d.indexes {
		for _, c := range x.columns {
			if row[c] == nil {
				b.WriteString("n;")
				continue
			}
			text := textOf(row[c])
			fmt.Fprintf(&b, "%d:%s", len(text), text)
		}
	}
	return b.String()
}
