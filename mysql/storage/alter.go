package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Changes of a table's definition, which the schema of a program makes.

// rewrite changes a definition and writes all rows anew.
func (r *Run) rewrite(d *Def, change func() error, convert func(sql.Row) (sql.Row, error)) error {
	if err := r.begin(); err != nil {
		return err
	}
	e := &editor{t: &Table{def: d}}
	var ids []string
	var contents []sql.Row
	for _, k := range d.rows.All() {
		v := rowVar{d, k.ID}
		row, err := r.lock(v, true)
		if err != nil {
			return err
		}
		if row == nil {
			continue
		}
		ids, contents = append(ids, k.ID), append(contents, row)
		if err := r.write(d.keyVar(v.id), nil); err != nil {
			return err
		}
		if err := e.put(r, v, nil, row); err != nil {
			return err
		}
	}
	if err := change(); err != nil {
		return err
	}
	d.forget()
	for i, row := range contents {
		row, err := convert(row)
		if err != nil {
			return err
		}
		v := rowVar{d, ids[i]}
		if !d.keyless() {
			v.id = d.id(row)
		}
		if err := r.write(d.keyVar(v.id), true); err != nil {
			return err
		}
		if err := e.put(r, v, row, nil); err != nil {
			return err
		}
	}
	return nil
}

// same leaves rows as they are.
func same(row sql.Row) (sql.Row, error) { return row, nil }

// reshape gives the table other columns. The old position of column i is from[i], or
// -1; fill makes the value of a column from what the row has so far.
func (t *Table) reshape(ctx *sql.Context, schema sql.Schema, from []int, fill func(row sql.Row, i int) (any, error)) error {
	d, width := t.def, len(schema)
	convert := func(old sql.Row) (sql.Row, error) {
		row := make(sql.Row, width)
		for i, f := range from {
			if f >= 0 {
				row[i] = old[f]
			}
		}
		for i := range row {
			var err error
			if row[i], err = fill(row, i); err != nil {
				return nil, err
			}
		}
		return row, nil
	}
	return runOf(ctx).rewrite(d, func() error { return d.redefine(ctx, schema, from) }, convert)
}

// redefine gives the definition other columns.
func (d *Def) redefine(ctx *sql.Context, schema sql.Schema, from []int) error {
	to := map[int]int{}
	for i, f := range from {
		if f >= 0 {
			to[f] = i
		}
	}
	for _, c := range schema {
		c.Source, c.DatabaseSource = d.name, d.db.name
		if c.Default == nil {
			continue
		}
		def, _, err := transform.Expr(ctx, c.Default, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			if f, ok := e.(*expression.GetField); ok {
				return f.WithIndex(schema.IndexOf(f.Name(), d.name)), transform.NewTree, nil
			}
			return e, transform.SameTree, nil
		})
		if err != nil {
			return err
		}
		c.Default = def.(*sql.ColumnDefaultValue)
	}
	var primary []int
	for _, p := range d.schema.PkOrdinals {
		primary = append(primary, to[p])
	}
	for _, x := range d.indexes {
		for i, c := range x.columns {
			x.columns[i] = to[c]
		}
	}
	d.schema = sql.NewPrimaryKeySchema(schema, primary...)
	return nil
}

// position is where a column goes.
func position(order *sql.ColumnOrder, schema sql.Schema) int {
	switch {
	case order == nil:
		return len(schema)
	case order.First:
		return 0
	}
	return schema.IndexOfColName(order.AfterColumn) + 1
}

// positions are 0 to n-1.
func positions(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// AddColumn implements sql.AlterableTable.
func (t *Table) AddColumn(ctx *sql.Context, c *sql.Column, order *sql.ColumnOrder) error {
	t.def.define("", c)
	old := t.def.schema.Schema
	at := position(order, old)
	from := slices.Insert(positions(len(old)), at, -1)
	return t.reshape(ctx, slices.Insert(slices.Clone(old), at, c), from, func(row sql.Row, i int) (any, error) {
		switch {
		case i != at:
			return row[i], nil
		case c.AutoIncrement:
			n, err := t.GetNextAutoIncrementValue(ctx, nil)
			if err != nil {
				return nil, err
			}
			v, _, err := c.Type.Convert(ctx, n)
			return v, err
		case c.Default != nil:
			return c.Default.Eval(ctx, row)
		case !c.Nullable:
			return c.Type.Zero(), nil
		}
		return nil, nil
	})
}

// DropColumn implements sql.AlterableTable.
func (t *Table) DropColumn(ctx *sql.Context, name string) error {
	old := t.def.schema.Schema
	at := old.IndexOfColName(name)
	t.def.undefine(name)
	t.def.indexes = slices.DeleteFunc(t.def.indexes, func(x *Index) bool { return slices.Contains(x.columns, at) })
	from := slices.Delete(positions(len(old)), at, at+1)
	return t.reshape(ctx, slices.Delete(slices.Clone(old), at, at+1), from, func(row sql.Row, i int) (any, error) { return row[i], nil })
}

// ModifyColumn implements sql.AlterableTable.
func (t *Table) ModifyColumn(ctx *sql.Context, name string, c *sql.Column, order *sql.ColumnOrder) error {
	old := t.def.schema.Schema
	at := old.IndexOfColName(name)
	t.def.define(name, c)
	c.PrimaryKey = old[at].PrimaryKey
	schema, from := slices.Delete(slices.Clone(old), at, at+1), slices.Delete(positions(len(old)), at, at+1)
	to := at
	if order != nil {
		to = position(order, schema)
	}
	schema, from = slices.Insert(schema, to, c), slices.Insert(from, to, at)
	return t.reshape(ctx, schema, from, func(row sql.Row, i int) (any, error) {
		if i != to || row[i] == nil {
			return row[i], nil
		}
		v, _, err := c.Type.Convert(ctx, row[i])
		return v, err
	})
}

// CreatePrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *Table) CreatePrimaryKey(ctx *sql.Context, columns []sql.IndexColumn) error {
	d := t.def
	return runOf(ctx).rewrite(d, func() error {
		var primary []int
		for _, c := range columns {
			i := d.schema.Schema.IndexOfColName(c.Name)
			if i < 0 {
				return sql.ErrKeyColumnDoesNotExist.New(c.Name)
			}
			d.schema.Schema[i].PrimaryKey, d.schema.Schema[i].Nullable = true, false
			primary = append(primary, i)
		}
		d.schema = sql.NewPrimaryKeySchema(d.schema.Schema, primary...)
		return nil
	}, same)
}

// DropPrimaryKey implements sql.PrimaryKeyAlterableTable.
func (t *Table) DropPrimaryKey(ctx *sql.Context) error {
	d := t.def
	return runOf(ctx).rewrite(d, func() error {
		for _, c := range d.schema.Schema {
			c.PrimaryKey = false
		}
		d.schema = sql.PrimaryKeySchema{Schema: d.schema.Schema}
		return nil
	}, same)
}

// CreateIndex implements sql.IndexAlterableTable.
func (t *Table) CreateIndex(ctx *sql.Context, def sql.IndexDef) error {
	d := t.def
	x := &Index{def: d, name: def.Name, unique: def.IsUnique(), comment: def.Comment}
	var lengths []uint16
	for _, c := range def.Columns {
		i := d.schema.Schema.IndexOfColName(c.Name)
		if i < 0 {
			return sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		x.columns, lengths = append(x.columns, i), append(lengths, uint16(c.Length))
	}
	if slices.ContainsFunc(lengths, func(n uint16) bool { return n > 0 }) {
		x.prefix = lengths
	}
	if x.name == "" {
		x.name = def.Columns[0].Name
	}
	if slices.ContainsFunc(d.indexes, func(o *Index) bool { return strings.EqualFold(o.name, x.name) }) {
		return sql.ErrDuplicateKey.New(x.name)
	}
	return runOf(ctx).rewrite(d, func() error {
		d.indexes = append(d.indexes, x)
		slices.SortStableFunc(d.indexes, func(a, b *Index) int { return a.rank() - b.rank() })
		return nil
	}, same)
}

// DropIndex implements sql.IndexAlterableTable.
func (t *Table) DropIndex(ctx *sql.Context, name string) error {
	d := t.def
	i := slices.IndexFunc(d.indexes, func(x *Index) bool { return strings.EqualFold(x.name, name) })
	if i < 0 {
		return sql.ErrCantDropFieldOrKey.New(name)
	}
	return runOf(ctx).rewrite(d, func() error {
		d.indexes = slices.Delete(d.indexes, i, i+1)
		return nil
	}, same)
}

// RenameIndex implements sql.IndexAlterableTable.
func (t *Table) RenameIndex(_ *sql.Context, from, to string) error {
	for _, x := range t.def.indexes {
		if strings.EqualFold(x.name, from) {
			x.name = to
		}
	}
	return nil
}

// CreateCheck implements sql.CheckAlterableTable.
func (t *Table) CreateCheck(_ *sql.Context, c *sql.CheckDefinition) error {
	check := *c
	if check.Name == "" {
		check.Name = fmt.Sprintf("%s_chk_%d", t.def.name, len(t.def.checks)+1)
	}
	t.def.checks = append(t.def.checks, check)
	return nil
}

// DropCheck implements sql.CheckAlterableTable.
func (t *Table) DropCheck(_ *sql.Context, name string) error {
	i := slices.IndexFunc(t.def.checks, func(c sql.CheckDefinition) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return fmt.Errorf("check %s not found", name)
	}
	t.def.checks = slices.Delete(t.def.checks, i, i+1)
	return nil
}

// CreateIndexForForeignKey implements sql.ForeignKeyTable.
func (t *Table) CreateIndexForForeignKey(ctx *sql.Context, def sql.IndexDef) error {
	return t.CreateIndex(ctx, def)
}

// AddForeignKey implements sql.ForeignKeyTable.
func (t *Table) AddForeignKey(_ *sql.Context, f sql.ForeignKeyConstraint) error {
	db := t.def.db
	if slices.ContainsFunc(db.foreign, func(o sql.ForeignKeyConstraint) bool { return strings.EqualFold(o.Name, f.Name) }) {
		return sql.ErrForeignKeyDuplicateName.New(f.Name)
	}
	db.foreign = append(db.foreign, f)
	return nil
}

// DropForeignKey implements sql.ForeignKeyTable.
func (t *Table) DropForeignKey(_ *sql.Context, name, _, _ string) error {
	db := t.def.db
	i := db.foreignKey(name)
	if i < 0 {
		return sql.ErrForeignKeyNotFound.New(name, t.def.name)
	}
	db.foreign = slices.Delete(db.foreign, i, i+1)
	return nil
}

// UpdateForeignKey implements sql.ForeignKeyTable.
func (t *Table) UpdateForeignKey(_ *sql.Context, name string, f sql.ForeignKeyConstraint) error {
	i := t.def.db.foreignKey(name)
	if i < 0 {
		return sql.ErrForeignKeyNotFound.New(name, t.def.name)
	}
	t.def.db.foreign[i] = f
	return nil
}

func (d *Database) foreignKey(name string) int {
	return slices.IndexFunc(d.foreign, func(f sql.ForeignKeyConstraint) bool { return strings.EqualFold(f.Name, name) })
}
