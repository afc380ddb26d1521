package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// REPLACE of a row by an equal one. A server deletes the old row and inserts the new one. But
// it updates the row where the table has a single unique key and no foreign key refers to the
// table. Then a row that stays as it is is not written, and counts as one row, not as two
// (write_record of MariaDB 10.11).

// replacing is the row that a REPLACE inserts.
type replacing struct {
	row  []string // whose key is taken
	same bool     // by an equal row, which stays
}

// stays reports whether a row that a REPLACE is to delete stays as it is.
func (s *Session) stays(d *Def, row sql.Row) bool {
	if !s.statement.Replaces || !d.simple() || !slices.Equal(s.replacing.row, texts(row)) {
		return false
	}
	s.same = true
	return true
}

// stayed reports, once, whether the row that a REPLACE inserts is there already.
func (s *Session) stayed(d *Def) bool {
	if !s.same {
		return false
	}
	s.replacing = replacing{}
	s.changed(d)
	return true
}

// simple reports whether the table has one unique key, no foreign key refers to it, and no
// trigger sees its rows go.
func (d *Def) simple() bool {
	keys := 0
	if !d.keyless() {
		keys++
	}
	for _, x := range d.indexes {
		if x.unique {
			keys++
		}
	}
	return keys == 1 && !d.db.refers(d.name) && len(d.db.triggers) == 0
}

// textsOf are the columns of a row that a REPLACE inserts.
func textsOf(s *Session, row sql.Row) []string {
	if !s.statement.Replaces {
		return nil
	}
	return texts(row)
}

// gone reports whether a DELETE has deleted a row already, and notes that it has: a join may
// find a row more than once.
func (s *Session) gone(d *Def, row sql.Row) bool {
	if !s.statement.Deletes || d.keyless() {
		return false
	}
	key := d.name + "\x00" + d.id(row)
	if s.deleted[key] {
		return true
	}
	if s.deleted == nil {
		s.deleted = map[string]bool{}
	}
	s.deleted[key] = true
	return false
}

// refers reports whether a foreign key refers to a table.
func (d *Database) refers(name string) bool {
	return slices.ContainsFunc(d.foreign, func(f sql.ForeignKeyConstraint) bool { return strings.EqualFold(f.ParentTable, name) })
}
