package storage

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Told is what is known of a table, for who asks about statements.
type Told struct {
	Name    string
	Columns sql.Schema
	Unique  [][]int // columns of unique indexes, the primary key first
	Foreign []sql.ForeignKeyConstraint
}

// Tell tells of all tables, by name, and the statements that have made triggers.
func (d *Database) Tell() (tables []Told, triggers []string) {
	for _, name := range slices.Sorted(maps.Keys(d.tables)) {
		def := d.tables[name]
		t := Told{Name: def.name, Columns: def.schema.Schema}
		if !def.keyless() {
			t.Unique = append(t.Unique, def.schema.PkOrdinals)
		}
		for _, x := range def.indexes {
			if x.unique && x.prefix == nil {
				t.Unique = append(t.Unique, x.columns)
			}
		}
		for _, f := range d.foreign {
			if strings.EqualFold(f.Table, def.name) {
				t.Foreign = append(t.Foreign, f)
			}
		}
		tables = append(tables, t)
	}
	for _, t := range d.triggers {
		triggers = append(triggers, t.CreateStatement)
	}
	return tables, triggers
}
