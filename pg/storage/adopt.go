package storage

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine"
)

// Adopt makes the rows that are in the tables of an instance the initial rows of the
// store, and returns the initial values of their variables. The instance must not
// have had hooks: PostgreSQL has made tables, indexes and rows by itself, with any
// statement that it knows. The session's heap is that of the instance afterwards.
func (s *Session) Adopt(x *engine.Instance) (map[string]any, error) {
	tables, err := x.Tables()
	if err != nil {
		return nil, err
	}
	initial := map[string]any{}
	err = x.Do(func(c *engine.Call) error {
		for _, oid := range tables {
			if err := s.adoptTable(c, oid, initial); err != nil {
				return err
			}
		}
		return nil
	})
	return initial, err
}

func (s *Session) adoptTable(c *engine.Call, oid engine.OID, initial map[string]any) error {
	t := s.store.table(c, oid)
	n := 0
	return c.EachRow(oid, func(v engine.Version, content engine.Row) error {
		n++
		s.adopt(c, t, s.initialRow(c, t, content, n), content, v.TID, initial)
		return nil
	})
}

// initialRow names a row by its primary key, or by its position in the table.
func (s *Session) initialRow(c *engine.Call, t *table, content engine.Row, position int) rowVar {
	if t.primary != nil {
		if id, null := s.store.text(c, t, t.primary, content); !null {
			return rowVar{t.OID, id}
		}
	}
	return rowVar{t.OID, fmt.Sprintf("%s.%d", s.owner, position)}
}

// adopt makes a row known and gives its variables their values.
func (s *Session) adopt(c *engine.Call, t *table, r rowVar, content engine.Row, tid engine.TID, initial map[string]any) {
	shown := t.shown(c, content)
	t.rows.Add(r.id, content, t.shape(content), shown)
	h := held{r, shown.Key()}
	s.versions[address{t.OID, tid}] = &version{h, content}
	s.tids[h] = tid
	initial[t.contentVar(r.id)] = shown
	initial[t.keyVar(r.id)] = true
	for _, i := range t.unique {
		if value, null := s.store.text(c, t, i, content); !null {
			initial[t.uniqueVar(i, value)] = r.id
		}
	}
}
