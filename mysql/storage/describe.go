package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/rows"
)

// Model makes the tables those of a model of the database, with the rows that the run,
// which has filled them, has left.
func (d *Database) Model(run *Run, as access.Product) (*model.Catalog, *access.Database, error) {
	ctx := sql.NewEmptyContext()
	run.Begins()
	names, err := d.GetTableNames(ctx)
	if err != nil {
		return nil, nil, err
	}
	var defs []*Def
	var list []model.Definition
	contents := make([][]sql.Row, len(names))
	for i, name := range names {
		def := d.tables[strings.ToLower(name)]
		defs, list = append(defs, def), append(list, def.definition())
		if contents[i], err = run.left(def); err != nil {
			return nil, nil, err
		}
	}
	cat, err := model.NewCatalog(list)
	if err != nil {
		return nil, nil, err
	}
	cat.As(as)
	for i, def := range defs {
		def.model = cat.Table(i)
	}
	db, err := cat.Database(ctx, contents, d.references(names), func(i int) sql.Schema { return defs[i].schema.Schema },
		func(i int, row sql.Row) rows.Content { return defs[i].content(row) })
	return cat, db, err
}

// definition is the table as a model has it.
func (d *Def) definition() model.Definition {
	m := model.Definition{Name: d.name, Schema: d.schema.Schema, Auto: d.auto}
	if p := d.primary(); p != nil {
		m.Primary = p.modelled()
	}
	for _, x := range slices.SortedStableFunc(slices.Values(d.indexes), func(a, b *Index) int { return a.rank() - b.rank() }) {
		m.Indexes = append(m.Indexes, x.modelled())
	}
	return m
}

func (x *Index) modelled() *model.Index {
	return &model.Index{Name: x.name, Columns: x.columns, Prefix: x.prefix, Unique: x.unique}
}

// left are the rows of a table that the run has left, in the order in which they came.
func (r *Run) left(d *Def) (list []sql.Row, err error) {
	for _, k := range d.rows.All() {
		row, err := r.see(rowVar{d, k.ID})
		if err != nil {
			return nil, err
		}
		if row != nil {
			list = append(list, row)
		}
	}
	return list, nil
}

// references are the foreign keys between tables of these names.
func (d *Database) references(names []string) (list []model.Reference) {
	number := func(name string) int {
		return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	for _, f := range d.foreign {
		child, parent := number(f.Table), number(f.ParentTable)
		if child < 0 || parent < 0 || !f.IsResolved {
			continue
		}
		list = append(list, model.Reference{Table: child, Parent: parent, Acts: acts(f),
			Columns: d.tables[strings.ToLower(f.Table)].positions(f.Columns), Others: d.tables[strings.ToLower(f.ParentTable)].positions(f.ParentColumns)})
	}
	return list
}

// acts reports whether something is done to references to a row that goes away.
func acts(f sql.ForeignKeyConstraint) bool {
	for _, a := range []sql.ForeignKeyReferentialAction{f.OnDelete, f.OnUpdate} {
		if a == sql.ForeignKeyReferentialAction_Cascade || a == sql.ForeignKeyReferentialAction_SetNull || a == sql.ForeignKeyReferentialAction_SetDefault {
			return true
		}
	}
	return false
}

func (d *Def) positions(names []string) (list []int) {
	for _, name := range names {
		list = append(list, d.schema.Schema.IndexOfColName(strings.ToLower(name)))
	}
	return list
}
