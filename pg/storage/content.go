package storage

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/txmc/txmc/pg/engine"
)

// Content is what a variable of a row holds: the values of its columns, as SQL
// writes them; whole numbers and booleans as such, nil for NULL.
type Content map[string]any

// key is equal for equal contents only.
func (m Content) key() string {
	b := make([]byte, 0, 16*len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
		switch v := m[name].(type) {
		case nil:
			b = append(b, 'n')
		case bool:
			b = strconv.AppendBool(append(b, 'b'), v)
		case int64:
			b = append(strconv.AppendInt(append(b, 'i'), v, 10), ';')
		case string:
			b = append(binary.AppendUvarint(append(b, 's'), uint64(len(v))), v...)
		default:
			b = fmt.Appendf(append(b, '?'), "%#v;", v)
		}
	}
	return string(b)
}

// shown is a content for people to read.
func (t *table) shown(c *engine.Call, content engine.Row) Content {
	m := make(Content, len(t.Columns))
	for i, col := range t.Columns {
		switch {
		case col.Dropped:
		case content[i] == nil:
			m[col.Name] = nil
		default:
			m[col.Name] = simple(col.Type, c.Text(col.Type, col, content[i]))
		}
	}
	return m
}

// OIDs of types, from PostgreSQL's catalog (pg_type.dat).
const (
	boolOID        = 16
	byteaOID       = 17
	int8OID        = 20
	int2OID        = 21
	int4OID        = 23
	textOID        = 25
	oidOID         = 26
	varcharOID     = 1043
	dateOID        = 1082
	timestampOID   = 1114
	timestamptzOID = 1184
	uuidOID        = 2950
)

func simple(typ engine.OID, text string) any {
	switch typ {
	case boolOID:
		return text == "t"
	case int2OID, int4OID, int8OID:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	return text
}
