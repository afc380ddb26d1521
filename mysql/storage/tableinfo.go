package storage

import (
	"maps"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// TableInfo is what is known of a table, for the analysis of statements.
type TableInfo struct {
	Name    string
	Columns sql.Schema
	Unique  [][]int // columns of unique indexes, the primary key first
	Foreign []sql.ForeignKeyConstraint
	Watched []bool // by column: something looks at its value: a key, a unique index, a condition, a generated column
}

// Describe describes all tables, by name, and returns the statements that have made triggers.
func (d *Database) Describe() (tables []TableInfo, triggers []string) {
	for _, name := range slices.Sorted(maps.Keys(d.tables)) {
		def := d.tables[name]
		t := TableInfo{Name: def.name, Columns: def.schema.Schema}
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
		t.Watched = d.watched(def)
		tables = append(tables, t)
	}
	for _, t := range d.triggers {
		triggers = append(triggers, t.CreateStatement)
	}
	return tables, triggers
}

// watched reports, for each column of a table, whether something looks at its value. A generated column, and one that
// each change sets, count as looking at all.
func (d *Database) watched(def *Def) []bool {
	list := make([]bool, len(def.schema.Schema))
	for i, c := range def.schema.Schema {
		if c.Generated != nil || c.OnUpdate != nil {
			return slices.Repeat([]bool{true}, len(list))
		}
		list[i] = c.PrimaryKey || slices.ContainsFunc(def.checks, func(x sql.CheckDefinition) bool { return mentions(x.CheckExpression, c.Name) }) || slices.ContainsFunc(d.foreign, func(f sql.ForeignKeyConstraint) bool {
			return strings.EqualFold(f.Table, def.name) && named(f.Columns, c.Name) || strings.EqualFold(f.ParentTable, def.name) && named(f.ParentColumns, c.Name)
		})
	}
	for _, x := range def.indexes {
		for _, c := range x.columns {
			list[c] = list[c] || x.unique
		}
	}
	return list
}

// mentions reports whether an expression has a name, in letters of either case.
func mentions(text, name string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

func named(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return strings.EqualFold(n, name) })
}
