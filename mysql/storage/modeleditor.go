package storage

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
)

// Writes under a model of the database.

// modelEditor writes the rows of a table.
type modelEditor struct{ editor }

// StatementBegin implements sql.EditOpenerCloser.
func (e *modelEditor) StatementBegin(*sql.Context) {}

// DiscardChanges implements sql.EditOpenerCloser. A statement is undone as a whole.
func (e *modelEditor) DiscardChanges(*sql.Context, error) error { return nil }

// Insert implements sql.RowInserter.
func (e *modelEditor) Insert(ctx *sql.Context, row sql.Row) error {
	s, d := sessionOf(ctx), e.t.def
	s.unmade = nil
	if err := e.t.Used(ctx, true); err != nil { // no statement inserts into two tables but by a trigger
		return err
	}
	if s.stayed(d) {
		return nil
	}
	if err := d.unsign(ctx, row); err != nil {
		return err
	}
	update := s.statement.existing(d)
	c, err := s.run.model.Insert(ctx, d.model, row, d.content(row), update)
	if failed := (*model.Error)(nil); s.statement.Ignores && errors.As(err, &failed) && failed.Code == "1452" {
		return sql.ErrForeignKeyChildViolation.New("", d.name, "", "") // which INSERT IGNORE ignores
	}
	if err != nil {
		return err
	}
	if c == nil {
		s.changed(d)
		s.came(d)
		return nil
	}
	if !s.statement.Replaces && s.statement.into(d) {
		s.reserve.restore()
	}
	if update {
		if c.Row, err = e.existing(ctx, c.Row); err != nil {
			return err
		}
	}
	return e.taken(s, c, row)
}

// existing locks the row that has a key already.
func (e *modelEditor) existing(ctx *sql.Context, row sql.Row) (sql.Row, error) {
	s, d := sessionOf(ctx), e.t.def
	at, err := s.run.model.At(ctx, d.model, model.Row{Row: row}, d.content(row))
	if err != nil {
		return nil, err
	}
	now, ok, err := s.run.model.Open(d.model, 0, at).Next(0)
	if err != nil || !ok {
		return row, err
	}
	return now.Row, nil
}

// taken is the error of a key that another row has.
func (e *modelEditor) taken(s *Session, c *model.Conflict, row sql.Row) error {
	x := e.t.def.model.Indexes[c.Index]
	s.replacing.row = textsOf(s, row)
	s.missed(e.t.def)
	var texts []string
	for _, c := range x.Columns {
		texts = append(texts, textOf(row[c]))
	}
	s.Dup = Duplicate{Table: e.t.def.name, Index: x.Name, Value: strings.Join(texts, "-")}
	existing := c.Row
	if existing == nil {
		existing = row // which nobody looks at
	}
	return sql.NewUniqueKeyErr(s.Dup.Value, x.Name == primaryName, existing)
}

// Delete implements sql.RowDeleter.
func (e *modelEditor) Delete(ctx *sql.Context, row sql.Row) error {
	s, d := sessionOf(ctx), e.t.def
	if s.stays(d, row) || s.gone(d, row) {
		return nil
	}
	s.changed(d)
	return s.run.model.Delete(ctx, d.model, s.named(d, row, true), d.content(row))
}

// Update implements sql.RowUpdater. A row that would not change is not written.
func (e *modelEditor) Update(ctx *sql.Context, old, row sql.Row) error {
	s, d := sessionOf(ctx), e.t.def
	if err := d.unsign(ctx, row); err != nil {
		return err
	}
	s.instead(d, row)
	if slices.Equal(texts(old), texts(row)) {
		return nil
	}
	was := s.named(d, old, true)
	c, err := s.run.model.Update(ctx, d.model, was, row, d.content(old), d.content(row))
	if err != nil {
		return err
	}
	if c != nil {
		return e.taken(s, c, row)
	}
	if was.Hidden != 0 {
		s.met(d, model.Row{Row: row, Hidden: was.Hidden})
	}
	return nil
}

// clear deletes all rows, by a DELETE.
func (t *Table) clear(ctx *sql.Context, deletes bool) (n int, err error) {
	if !deletes {
		return 0, runOf(ctx).model.Refuse("TRUNCATE")
	}
	rows, e := &modelled{t: t}, t.editor(ctx)
	for ; ; n++ {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return n, nil
		}
		if err == nil {
			err = e.Delete(ctx, row)
		}
		if err != nil {
			return n, err
		}
	}
}
