package storage

import (
	"slices"
	"strings"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/rows"
)

// Names of variables. A row and a value of a unique index are named by the text of
// their columns. Types whose equal values can be written in several ways (1.0 and
// 1.00 as numeric) take the text that became known first.

// OIDs of types whose equal values have one text only (pg_type.dat).
var exact = map[engine.OID]bool{
	engine.TypeBool: true, engine.TypeBytea: true, engine.TypeInt8: true, engine.TypeInt2: true, engine.TypeInt4: true, engine.TypeText: true,
	engine.TypeOID: true, engine.TypeVarchar: true, engine.TypeDate: true, engine.TypeTimestamp: true, engine.TypeTimestamptz: true, engine.TypeUUID: true,
}

// exactly reports whether texts tell the values of an index apart.
func (t *table) exactly(i *engine.Index) bool {
	for _, n := range i.Columns[:i.Keys] {
		if !exact[t.Columns[n-1].Type] {
			return false
		}
	}
	return true
}

// spelling is a text for a value of an index, with a row that has it.
type spelling struct {
	text string
	row  engine.Row
}

// text renders the columns of an index, and reports whether one is null.
func (s *Store) text(c *engine.Call, t *table, i *engine.Index, content engine.Row) (text string, null bool) {
	var list []string
	for _, n := range i.Columns[:i.Keys] {
		v := content[n-1]
		if v == nil {
			return "", true
		}
		list = append(list, c.Text(t.Columns[n-1].Type, t.Columns[n-1], v))
	}
	text = joined(list)
	if t.exactly(i) {
		return text, false
	}
	return s.spelled(c, t, i, spelling{text, content}), false
}

// apart keeps the texts of several columns apart.
var apart = strings.NewReplacer(`\`, `\\`, ",", `\,`)

// joined names several columns: no two lists have the same name.
func joined(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	for i, text := range texts {
		texts[i] = apart.Replace(text)
	}
	return strings.Join(texts, ",")
}

// spelled is the text that became known first for an equal value.
func (s *Store) spelled(c *engine.Call, t *table, i *engine.Index, new spelling) string {
	s.mu.Lock()
	known := t.spellings[i.OID]
	s.mu.Unlock()
	for _, old := range known {
		if old.text == new.text {
			return old.text
		}
		same, err := c.SameKey(i.OID, old.row, new.row)
		if err != nil {
			c.Raise("XX000", "txmc: "+err.Error())
		}
		if same {
			return old.text
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.spellings[i.OID] = append(slices.Clip(t.spellings[i.OID]), new)
	return new.text
}

func (t *table) contentVar(id string) string { return rows.ContentVar(t.name, id) }
func (t *table) keyVar(id string) string     { return rows.KeyVar(t.name, id) }

func (t *table) uniqueVar(i *engine.Index, value string) string {
	var names []string
	for _, n := range i.Columns[:i.Keys] {
		names = append(names, t.Columns[n-1].Name)
	}
	return rows.UniqueVar(t.name, names, value)
}

// point is the value of an index that a scan looks for, if it looks for one.
func (s *Session) point(c *engine.Call, t *table, i *engine.Index, scan engine.Scan) (value string, ok bool) {
	const equal = 3 // in a btree
	if len(scan.Keys) != i.Keys || !t.exactly(i) {
		return "", false
	}
	content := make(engine.Row, len(t.Columns))
	for _, k := range scan.Keys {
		if k.Column < 1 || k.Column > i.Keys || k.Strategy != equal || k.Flags != 0 || k.Value == nil {
			return "", false
		}
		content[i.Columns[k.Column-1]-1] = k.Value
	}
	value, null := s.store.text(c, t, i, content)
	return value, !null
}
