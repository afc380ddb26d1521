package storage

import "github.com/txmc/txmc/pg/engine"

// Checks of foreign keys, and their actions, see what has been committed last: they
// read by locking reads. When they find a row by its key, they read only whether it has
// the key: they do not depend on its other columns.

// referential lets such a statement come upon rows.
func (s *Session) referential(c *engine.Call, t *table, scan engine.Scan) {
	s.begin(c)
	v, i := s.view(scan.View), t.usable(scan.Index)
	s.scanned[announcement{scan.View.Number, t.OID}] = true
	if i != nil {
		if value, ok := s.point(c, t, i, scan); ok {
			if id := s.holds(c, t, i, value); id != "" {
				s.seeHolder(c, t, v, i, rowVar{t.OID, id}, value)
			}
			return
		}
	}
	for _, r := range t.rows.All() {
		if id := (rowVar{t.OID, r.ID}); s.changed(id, anyCommand) == nil {
			s.seeNewest(c, t, v, id)
		}
	}
}

// seeHolder lets a view see a row that has a value now, by any content with it.
func (s *Session) seeHolder(c *engine.Call, t *table, v view, i *engine.Index, id rowVar, value string) {
	r := t.rows.Named(id.id)
	switch {
	case r == nil || s.changed(id, anyCommand) != nil:
		return
	case s.locked[id] != nil:
		s.seeNewest(c, t, v, id)
		return
	}
	for _, shape := range r.Shapes() {
		if text, null := s.store.text(c, t, i, shape); !null && text == value {
			v[id] = t.shown(c, shape).Key()
			s.put(c, t, held{id, v[id]})
			return
		}
	}
}

// seeNewest lets a view see the newest content of a row.
func (s *Session) seeNewest(c *engine.Call, t *table, v view, r rowVar) {
	l := s.lockRow(c, t, r)
	v[r] = l.content
	if l.content != "" {
		s.put(c, t, l.held)
	}
}
