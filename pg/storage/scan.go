package storage

import (
	"github.com/txmc/txmc/pg/engine"
)

// Scan reads what the scan can come upon.
func (s *Session) Scan(c *engine.Call, scan engine.Scan) {
	t := s.store.table(c, scan.Table)
	switch {
	case scan.View.Kind == engine.Dirty:
		s.conflicts(c, t, scan)
	case scan.View.Referential && scan.View.Kind == engine.MVCC && !scan.ByTID:
		s.referential(c, t, scan)
	case scan.View.Kind == engine.MVCC && !scan.ByTID:
		s.begin(c)
		v := s.view(scan.View)
		s.scanned[announcement{scan.View.Number, t.OID}] = true
		for _, r := range s.matching(c, t, scan) {
			s.see(c, t, v, r, scan.View)
		}
	}
}

// view is what a snapshot sees.
func (s *Session) view(w engine.View) view {
	v := s.views[w.Number]
	if v == nil {
		v = view{}
		s.views[w.Number] = v
	}
	return v
}

// see reads a row for a view that has not read it yet. Where the running command has
// changed the row, as a trigger or a WITH does, a view sees what there was before.
func (s *Session) see(c *engine.Call, t *table, v view, r rowVar, w engine.View) {
	if _, ok := v[r]; ok {
		s.again(c, t, r, w.Number)
		return
	}
	content, l := "", s.locked[r]
	switch {
	case s.changed(r, w.Command) != nil, s.changed(r, anyCommand) != nil && l == nil:
		return
	case l != nil:
		content = l.content
	default:
		content = s.read(c, t, r, s.log.Read)
	}
	v[r] = content
	if content != "" {
		s.put(c, t, held{r, content})
	}
}

// matching lists the rows that a scan can come upon, ordered by their names.
func (s *Session) matching(c *engine.Call, t *table, scan engine.Scan) []rowVar {
	i := t.usable(scan.Index)
	if len(scan.Keys) == 0 {
		i = nil
	}
	if i != nil {
		if value, ok := s.point(c, t, i, scan); ok {
			list := s.holder(c, t, i, value)
			if len(list) == 1 {
				s.looked(t, list[0], scan)
			}
			return list
		}
	}
	l := s.scanner()
	if l != nil {
		l.Scanned(t.name)
	}
	var list []rowVar
	values := map[string]any{}
	for _, r := range t.rows.All() {
		id := rowVar{t.OID, r.ID}
		if l != nil && l.Gone(t.contentVar(r.ID)) && s.changed(id, anyCommand) == nil {
			continue
		}
		if i == nil || i != t.primary && l != nil || s.changed(id, anyCommand) != nil || s.mayMatch(c, t, i, scan, r, values) {
			list = append(list, id)
		}
	}
	return list
}

// holder is the row that has a value of the primary key or a unique index. It is as if
// this transaction had changed no rows: rows that it has changed are in the heap.
func (s *Session) holder(c *engine.Call, t *table, i *engine.Index, value string) []rowVar {
	id, ok := value, true
	if i != t.primary {
		v, err := s.log.Read(t.uniqueVar(i, value))
		s.check(c, err)
		id, ok = v.(string)
	}
	if !ok || t.rows.Named(id) == nil && s.scanner() == nil {
		return nil
	}
	return []rowVar{{t.OID, id}}
}

// usable is the index of that number, if it is the primary key or a unique index
// that variables stand for.
func (t *table) usable(oid engine.OID) *engine.Index {
	if t.primary != nil && t.primary.OID == oid {
		return t.primary
	}
	for _, i := range t.unique {
		if i.OID == oid {
			return i
		}
	}
	return nil
}

// mayMatch reports whether a scan by the primary key or a unique index can come upon a
// row. For a unique index it reads those of the values that the scan looks for which
// the row has had, each once.
func (s *Session) mayMatch(c *engine.Call, t *table, i *engine.Index, scan engine.Scan, r *row, values map[string]any) bool {
	for _, shape := range r.Shapes() {
		ok, err := c.Satisfies(scan, shape)
		if err != nil {
			c.Raise("XX000", "txmc: "+err.Error())
		}
		switch {
		case !ok:
		case i == t.primary:
			return true
		default:
			value, null := s.store.text(c, t, i, shape)
			if null {
				return true
			}
			v, ok := values[value]
			if !ok {
				var err error
				v, err = s.log.Read(t.uniqueVar(i, value))
				s.check(c, err)
				values[value] = v
			}
			if v == r.ID {
				return true
			}
		}
	}
	return false
}

// Visible answers by what has been read.
func (s *Session) Visible(c *engine.Call, at engine.Version, w engine.View) bool {
	v := s.version(address{at.Table, at.TID})
	if v == nil {
		return false
	}
	t := s.store.table(c, at.Table)
	switch w.Kind {
	case engine.Dirty:
		return s.lives(c, t, v, at)
	case engine.Self:
		return s.newest(v, at)
	}
	if own := s.changed(v.held.row, w.Command); own != nil {
		return own.tid == at.TID
	}
	view := s.view(w)
	content, ok := view[v.held.row]
	if !ok && s.scanned[announcement{w.Number, at.Table}] { // its scans do not look for the row
		return false
	}
	if !ok {
		return s.changed(v.held.row, anyCommand) == nil && s.late(c, t, w, v, at)
	}
	return content != "" && content == v.content && s.holding(v.held) == at.TID
}

// late reads a row that no scan has announced.
func (s *Session) late(c *engine.Call, t *table, w engine.View, v *version, at engine.Version) bool {
	content := ""
	s.begin(c)
	switch l := s.locked[v.held.row]; {
	case l != nil:
		content = l.content
	case w.Referential:
		content = s.lockRow(c, t, v.held.row).content
	default:
		content = s.read(c, t, v.held.row, s.log.Read)
	}
	s.view(w)[v.held.row] = content
	return content == v.content && s.holding(v.held) == at.TID
}

// newest reports whether a version is the row's newest that this transaction
// knows of.
func (s *Session) newest(v *version, at engine.Version) bool {
	if own := s.changed(v.held.row, anyCommand); own != nil {
		return own.tid == at.TID
	}
	l := s.locked[v.held.row]
	return l != nil && l.content == v.content && s.holding(v.held) == at.TID
}
