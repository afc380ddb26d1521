package storage

import (
	"bytes"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/rows"
)

// Names of variables. A row and a value of a unique index are named by the text of
// their columns. Values that are equal by a collation (Ann and ann) take the text that
// became known first.

func (d *Def) contentVar(id string) string { return rows.ContentVar(d.name, id) }
func (d *Def) keyVar(id string) string     { return rows.KeyVar(d.name, id) }
func (d *Def) uniqueVar(x *Index, value string) string {
	return rows.UniqueVar(d.name, x.names(), value)
}

// value names a row's value of an index, and reports whether a column is NULL.
func (x *Index) value(row sql.Row) (text string, null bool) {
	var texts, weights []string
	for i, c := range x.columns {
		v := row[c]
		if v == nil {
			return "", true
		}
		if i < len(x.prefix) {
			v = cut(v, int(x.prefix[i]))
		}
		text := textOf(v)
		texts, weights = append(texts, text), append(weights, weight(x.def.schema.Schema[c].Type, v, text))
	}
	return x.def.spelled(x.name, strings.Join(weights, "\x00"), strings.Join(texts, ",")), false
}

// cut shortens a text to n characters, if n is not 0.
func cut(v any, n int) any {
	switch s := v.(type) {
	case string:
		if r := []rune(s); n > 0 && len(r) > n {
			return string(r[:n])
		}
	case []byte:
		if n > 0 && len(s) > n {
			return s[:n]
		}
	}
	return v
}

// weight is equal for equal values of a type only.
func weight(t sql.Type, v any, text string) string {
	s, ok := v.(string)
	c, collated := t.(sql.TypeWithCollation)
	if !ok || !collated {
		return text
	}
	var b bytes.Buffer
	if err := c.Collation().WriteWeightString(&b, model.Unpadded(t, s)); err != nil {
		return text
	}
	return b.String()
}

// spelled is the text that became known first for an equal value.
func (d *Def) spelled(index, weight, text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.spellings[index]
	if known == nil {
		known = map[string]string{}
		d.spellings[index] = known
	}
	if first, ok := known[weight]; ok {
		return first
	}
	known[weight] = text
	return text
}

// id names a row of a table with a primary key.
func (d *Def) id(row sql.Row) string {
	text, _ := d.primary().value(row) // a primary key has no NULL
	return text
}
