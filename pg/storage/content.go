package storage

import (
	"strconv"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// What the storage shares with those of other databases.
type (
	// Content is what a variable of a row holds.
	Content = rows.Content
	// Log is the transaction of a session in a history.
	Log = rows.Log
	// Locker is a Log whose transactions keep locks until they end.
	Locker = rows.Locker
)

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

func simple(typ engine.OID, text string) any {
	switch typ {
	case engine.TypeBool:
		return text == "t"
	case engine.TypeInt2, engine.TypeInt4, engine.TypeInt8:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	return text
}
