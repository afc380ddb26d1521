package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/program/rows"
)

// editor writes the rows of a table.
type editor struct {
	t    *Table
	mark Mark
}

var _ sql.ForeignKeyEditor = (*editor)(nil)

// Inserter implements sql.InsertableTable.
func (t *Table) Inserter(ctx *sql.Context) sql.RowInserter { return t.editor(ctx) }

func (t *Table) editor(ctx *sql.Context) sql.ForeignKeyEditor {
	if t.Modelled(ctx) {
		return &modelEditor{editor{t: t}}
	}
	return &editor{t: t}
}

// Updater implements sql.UpdatableTable.
func (t *Table) Updater(ctx *sql.Context) sql.RowUpdater { return t.editor(ctx) }

// Deleter implements sql.DeletableTable.
func (t *Table) Deleter(ctx *sql.Context) sql.RowDeleter { return t.editor(ctx) }

// Replacer implements sql.ReplaceableTable.
func (t *Table) Replacer(ctx *sql.Context) sql.RowReplacer { return t.editor(ctx) }

// GetForeignKeyEditor implements sql.ForeignKeyTable.
func (t *Table) GetForeignKeyEditor(ctx *sql.Context) sql.ForeignKeyEditor { return t.editor(ctx) }

// IndexedAccess implements sql.IndexAddressable: foreign keys look at rows as they are
// now, by locking reads.
func (e *editor) IndexedAccess(*sql.Context, sql.IndexLookup) sql.IndexedTable {
	return &Table{def: e.t.def, now: true}
}

// GetIndexes implements sql.IndexAddressable.
func (e *editor) GetIndexes(ctx *sql.Context) ([]sql.Index, error) { return e.t.GetIndexes(ctx) }

// PreciseMatch implements sql.IndexAddressable.
func (e *editor) PreciseMatch() bool { return true }

// StatementBegin implements sql.EditOpenerCloser.
func (e *editor) StatementBegin(ctx *sql.Context) {
	run := runOf(ctx)
	if run.begin() == nil { // else the first read or write fails, too
		e.mark = run.Mark()
	}
}

// DiscardChanges implements sql.EditOpenerCloser.
func (e *editor) DiscardChanges(ctx *sql.Context, _ error) error {
	if e.mark.undo == nil {
		return nil
	}
	return runOf(ctx).Undo(e.mark)
}

// StatementComplete implements sql.EditOpenerCloser.
func (e *editor) StatementComplete(*sql.Context) error { return nil }

// Close implements sql.Closer.
func (e *editor) Close(*sql.Context) error { return nil }

// Insert implements sql.RowInserter.
func (e *editor) Insert(ctx *sql.Context, row sql.Row) error {
	run, d := runOf(ctx), e.t.def
	s := sessionOf(ctx)
	s.unmade = nil
	if s.stayed(d) {
		return nil
	}
	if err := d.unsign(ctx, row); err != nil {
		return err
	}
	if err := run.begin(); err != nil {
		return err
	}
	var v rowVar
	if d.keyless() {
		v = run.newRow(d)
	} else {
		v = rowVar{d, d.id(row)}
		taken, err := run.lockValue(d.keyVar(v.id))
		if err != nil {
			return err
		}
		if taken != nil {
			return e.duplicate(ctx, d.primary(), v, row)
		}
	}
	if err := e.contest(ctx, v, row, nil); err != nil {
		return err
	}
	if err := run.write(d.keyVar(v.id), true); err != nil {
		return err
	}
	s.changed(d)
	s.came(d)
	return e.put(run, v, row, nil)
}

// duplicate is the error of a key that another row has, with that row.
func (e *editor) duplicate(ctx *sql.Context, x *Index, other rowVar, row sql.Row) error {
	s := sessionOf(ctx)
	var texts []string
	for _, c := range x.columns {
		texts = append(texts, textOf(row[c]))
	}
	s.replacing.row = textsOf(s, row)
	s.missed(e.t.def)
	s.Dup = Duplicate{Table: e.t.def.name, Index: x.name, Value: strings.Join(texts, "-")}
	existing := row // which nobody looks at
	if s.statement.existing(e.t.def) {
		var err error
		if existing, err = s.run.lock(other, true); err != nil {
			return err
		}
		if existing == nil {
			return fmt.Errorf("txmc: the row %s has a unique value and is not there", other.def.contentVar(other.id))
		}
	}
	return sql.NewUniqueKeyErr(s.Dup.Value, x.name == primaryName, existing.Copy())
}

// contest reads, by locking reads, whether the unique values of a row are free. Those
// that it had before are.
func (e *editor) contest(ctx *sql.Context, v rowVar, row, before sql.Row) error {
	for _, x := range v.def.indexes {
		value, ok := x.held(row)
		if was, had := x.held(before); !ok || had && was == value {
			continue
		}
		taken, err := runOf(ctx).lockValue(v.def.uniqueVar(x, value))
		if err != nil {
			return err
		}
		if id, ok := taken.(string); ok && id != v.id {
			return e.duplicate(ctx, x, rowVar{v.def, id}, row)
		}
	}
	return nil
}

// put writes a row's content, and those of its unique values that change.
func (e *editor) put(run *Run, v rowVar, row, before sql.Row) error {
	for _, x := range v.def.indexes {
		was, had := x.held(before)
		value, has := x.held(row)
		if had && !(has && was == value) {
			if err := run.write(v.def.uniqueVar(x, was), nil); err != nil {
				return err
			}
		}
		if has && !(had && was == value) {
			if err := run.write(v.def.uniqueVar(x, value), v.id); err != nil {
				return err
			}
		}
	}
	if row != nil {
		row = row.Copy()
	}
	return run.put(v, row)
}

// held is the unique value that a row holds in an index, if it does.
func (x *Index) held(row sql.Row) (value string, ok bool) {
	if !x.unique || row == nil {
		return "", false
	}
	value, null := x.value(row)
	return value, !null
}

// Delete implements sql.RowDeleter.
func (e *editor) Delete(ctx *sql.Context, row sql.Row) error {
	run := runOf(ctx)
	v, before, err := e.find(ctx, row)
	if err != nil || before == nil || sessionOf(ctx).stays(v.def, before) {
		return err
	}
	if err := run.write(v.def.keyVar(v.id), nil); err != nil {
		return err
	}
	sessionOf(ctx).changed(v.def)
	return e.put(run, v, nil, before)
}

// find returns the row that the engine means, locked, as it is now; nil when the
// statement has deleted it before.
func (e *editor) find(ctx *sql.Context, row sql.Row) (rowVar, sql.Row, error) {
	run, d := runOf(ctx), e.t.def
	if err := run.begin(); err != nil {
		return rowVar{}, nil, err
	}
	if !d.keyless() {
		v := rowVar{d, d.id(row)}
		now, err := run.lock(v, true)
		return v, now, err
	}
	for _, k := range d.rows.All() {
		v := rowVar{d, k.ID}
		now, ok := run.known(v, true)
		if !ok || now == nil {
			continue
		}
		if same, err := now.Equals(ctx, row, d.schema.Schema); err == nil && same {
			return v, now, nil
		}
	}
	return rowVar{}, nil, nil
}

// Update implements sql.RowUpdater. An update of the primary key is a delete and an
// insert.
func (e *editor) Update(ctx *sql.Context, old, row sql.Row) error {
	if err := e.t.def.unsign(ctx, row); err != nil {
		return err
	}
	v, before, err := e.find(ctx, old)
	sessionOf(ctx).instead(e.t.def, row)
	switch {
	case err != nil:
		return err
	case before == nil:
		return fmt.Errorf("txmc: a row to update is not there: %v", old)
	case slices.Equal(texts(before), texts(row)):
		return nil
	case !v.def.keyless() && v.def.id(row) != v.id:
		return e.move(ctx, v, before, row)
	}
	if err := e.contest(ctx, v, row, before); err != nil {
		return err
	}
	return e.put(runOf(ctx), v, row, before)
}

// texts are the columns of a row, NULL apart from every text.
func texts(row sql.Row) (list []string) {
	for _, v := range row {
		if v == nil {
			list = append(list, "n")
		} else {
			list = append(list, "v"+textOf(v))
		}
	}
	return list
}

// move gives a row another primary key.
func (e *editor) move(ctx *sql.Context, v rowVar, before, row sql.Row) error {
	run, to := runOf(ctx), rowVar{v.def, v.def.id(row)}
	taken, err := run.lockValue(v.def.keyVar(to.id))
	if err != nil {
		return err
	}
	if taken != nil {
		return e.duplicate(ctx, v.def.primary(), to, row)
	}
	if err := e.contest(ctx, v, row, before); err != nil {
		return err
	}
	if err := run.write(v.def.keyVar(v.id), nil); err != nil {
		return err
	}
	if err := e.put(run, v, nil, before); err != nil {
		return err
	}
	if err := run.write(v.def.keyVar(to.id), true); err != nil {
		return err
	}
	return e.put(run, to, row, nil)
}

// Truncate implements sql.TruncateableTable: it is TRUNCATE, or a DELETE of all rows. It
// deletes all rows that are known.
func (t *Table) Truncate(ctx *sql.Context) (n int, err error) {
	deletes := sessionOf(ctx).statement.Changes
	if t.Modelled(ctx) {
		return t.clear(ctx, deletes)
	}
	run, e := runOf(ctx), &editor{t: t}
	if err := run.begin(); err != nil {
		return 0, err
	}
	for _, f := range t.all(ctx) {
		row, err := t.lockFound(ctx, f.row, Lock{})
		if err != nil {
			return 0, err
		}
		if row == nil {
			continue
		}
		if err := run.write(f.row.def.keyVar(f.row.id), nil); err != nil {
			return 0, err
		}
		if err := e.put(run, f.row, nil, row); err != nil {
			return 0, err
		}
		n++
	}
	if deletes {
		return n, nil
	}
	run.auto[t.def] = 1 + uint64(run.index)*rows.Stride
	return 0, nil // as MySQL reports it
}
