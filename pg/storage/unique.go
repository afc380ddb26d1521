package storage

import (
	"slices"

	"github.com/txmc/txmc/pg/engine"
)

// Uniqueness checks look at all versions with equal values, whoever wrote them
// (_bt_check_unique, check_exclusion_or_unique_constraint). Which of them is alive
// is read before, by the variable of the value, and kept in live.

// conflicts reads what ON CONFLICT and exclusion constraints look for.
func (s *Session) conflicts(c *engine.Call, t *table, scan engine.Scan) {
	s.begin(c)
	clear(s.live)
	i := t.usable(scan.Index)
	if i != nil {
		if value, ok := s.point(c, t, i, scan); ok {
			if other := s.holds(c, t, i, value); other != "" {
				s.alive(c, t, rowVar{t.OID, other})
			}
			return
		}
	}
	if i == nil { // a partial index, or an exclusion constraint: lives decides about the rows that it finds
		s.putAll(c, t)
		return
	}
	for _, r := range t.rows.All() {
		id := rowVar{t.OID, r.ID}
		for _, shape := range r.Shapes() {
			ok, err := c.Satisfies(scan, shape)
			if err != nil {
				c.Raise("XX000", "txmc: "+err.Error())
			}
			if ok && s.taken(c, t, i, shape) == r.ID {
				s.alive(c, t, id)
				break
			}
		}
	}
}

// taken returns the row that has the values of a content in an index; "" when no
// row has.
func (s *Session) taken(c *engine.Call, t *table, i *engine.Index, content engine.Row) string {
	value, null := s.store.text(c, t, i, content)
	if null {
		return ""
	}
	return s.holds(c, t, i, value)
}

// holds returns the row that has a value, by a locking read.
func (s *Session) holds(c *engine.Call, t *table, i *engine.Index, value string) string {
	if i == t.primary {
		if s.lockValue(c, t.keyVar(value)) == nil {
			return ""
		}
		return value
	}
	id, _ := s.lockValue(c, t.uniqueVar(i, value)).(string)
	return id
}

// lockValue reads a key or a unique value by a locking read, once in a transaction,
// unless this transaction has written it.
func (s *Session) lockValue(c *engine.Call, name string) any {
	if v, ok := s.values[name]; ok && !slices.Contains(s.written, name) {
		return v
	}
	v, err := s.log.Lock(name)
	s.check(c, err)
	if !slices.Contains(s.written, name) {
		s.values[name] = v
	}
	return v
}

// write writes a key or a unique value.
func (s *Session) write(c *engine.Call, name string, value any) {
	s.written = append(s.written, name)
	s.check(c, s.log.Write(name, value))
}

// alive lets uniqueness checks come upon a row: by the version that this
// transaction knows to be the newest, else by any, as only its values matter.
func (s *Session) alive(c *engine.Call, t *table, r rowVar) {
	if own := s.changed(r, anyCommand); own != nil {
		if own.tid != engine.NoTID {
			s.live[address{t.OID, own.tid}] = true
		}
		return
	}
	if l := s.locked[r]; l != nil {
		if l.content != "" {
			s.live[address{t.OID, s.put(c, t, l.held)}] = true
		}
		return
	}
	known := t.rows.Named(r.id)
	if known == nil {
		return
	}
	for _, shape := range known.Shapes() {
		h := held{r, t.shown(c, shape).Key()}
		s.live[address{t.OID, s.bring(c, t, h, shape)}] = true
	}
}

// lives reports whether a uniqueness check sees a version.
func (s *Session) lives(c *engine.Call, t *table, v *version, at engine.Version) bool {
	if s.live[address{at.Table, at.TID}] {
		return true
	}
	if !t.odd {
		return false
	}
	if own := s.changed(v.held.row, anyCommand); own != nil {
		return own.tid == at.TID
	}
	s.begin(c)
	l := s.lockRow(c, t, v.held.row)
	return l.content != "" && l.content == v.content && s.holding(v.held) == at.TID
}

// claim reads by locking reads whether the unique values of a new content are free, and
// writes them. The checks that follow find the rows that have such a value already.
func (s *Session) claim(c *engine.Call, t *table, r rowVar, content, before engine.Row) {
	clear(s.live)
	if before == nil {
		if t.primary != nil {
			s.contest(c, t, t.primary, content)
		}
		s.write(c, t.keyVar(r.id), true)
	}
	for _, i := range t.unique {
		value, null := s.store.text(c, t, i, content)
		if before != nil {
			if was, wasNull := s.store.text(c, t, i, before); was == value && wasNull == null {
				continue
			} else if !wasNull {
				s.write(c, t.uniqueVar(i, was), nil)
			}
		}
		if !null {
			s.contest(c, t, i, content)
			s.write(c, t.uniqueVar(i, value), r.id)
		}
	}
	if t.odd {
		if s.scanner() != nil { // one writer at a time, so that the next one knows its rows
			s.lockValue(c, t.name+" rows")
			s.write(c, t.name+" rows", true)
		}
		s.putAll(c, t)
	}
}

// contest lets a check come upon the row that has the value already.
func (s *Session) contest(c *engine.Call, t *table, i *engine.Index, content engine.Row) {
	if other := s.taken(c, t, i, content); other != "" {
		s.alive(c, t, rowVar{t.OID, other})
	}
}

// putAll brings all known contents of a table into the heap, where checks of
// partial indexes and of expressions find them.
func (s *Session) putAll(c *engine.Call, t *table) {
	for _, r := range t.rows.All() {
		for _, shape := range r.Shapes() {
			s.bring(c, t, held{rowVar{t.OID, r.ID}, t.shown(c, shape).Key()}, shape)
		}
	}
}

// release writes that a row and its unique values are gone.
func (s *Session) release(c *engine.Call, t *table, r rowVar, content engine.Row) {
	s.check(c, s.log.Write(t.contentVar(r.id), nil))
	s.write(c, t.keyVar(r.id), nil)
	for _, i := range t.unique {
		if value, null := s.store.text(c, t, i, content); !null {
			s.write(c, t.uniqueVar(i, value), nil)
		}
	}
}
