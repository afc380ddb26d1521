package storage

import (
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/program/rows"
)

// scan is the rows of a table, or of ranges of an index.
type scan struct {
	t      *Table
	lookup *sql.IndexLookup
	begun  bool
	found  []found
}

// found is a row that a scan may come upon: in one of its ranges, when it has any.
type found struct {
	row    rowVar
	within sql.MySQLRange
}

type knownRow = rows.Row[sql.Row]

// Next implements sql.RowIter.
func (s *scan) Next(ctx *sql.Context) (sql.Row, error) {
	if !s.begun {
		s.begun = true
		if err := runOf(ctx).begin(); err != nil {
			return nil, err
		}
		if err := s.begin(ctx); err != nil {
			return nil, err
		}
	}
	for len(s.found) > 0 {
		f := s.found[0]
		s.found = s.found[1:]
		row, err := s.t.get(ctx, f, s.lookup)
		if err != nil {
			return nil, err
		}
		if row != nil {
			s.t.lookup = s.lookup
			return row.Copy(), nil
		}
	}
	return nil, io.EOF
}

// Close implements sql.RowIter.
func (s *scan) Close(*sql.Context) error { return nil }

// begin finds the rows.
func (s *scan) begin(ctx *sql.Context) error {
	if err := s.t.Used(ctx, false); err != nil {
		return err
	}
	if s.lookup == nil {
		s.found = s.t.all(ctx)
		return nil
	}
	x := s.lookup.Index.(*Index)
	ranges, err := x.ranges(ctx, s.lookup)
	if err != nil {
		return err
	}
	for _, r := range ranges {
		list, err := s.t.matching(ctx, x, r)
		if err != nil {
			return err
		}
		if _, one := x.point(ctx, r); x.down || s.lookup.IsReverse && !one { // else there is nothing to order by
			slices.Reverse(list)
		}
		s.found = append(s.found, list...)
	}
	return nil
}

// all lists the known rows of a table in the order of the primary key.
func (t *Table) all(ctx *sql.Context) (list []found) {
	known := t.def.rows.All()
	if !t.def.keyless() {
		known = slices.Clone(known)
		slices.SortStableFunc(known, func(a, b *knownRow) int {
			return t.def.compare(ctx, t.def.schema.PkOrdinals, a.Shapes()[0], b.Shapes()[0])
		})
	}
	run := runOf(ctx)
	scanner, _ := run.log.(rows.Scanner)
	if scanner != nil {
		scanner.Scanned(t.def.name)
	}
	for _, k := range known {
		v := rowVar{t.def, k.ID}
		if scanner != nil && scanner.Gone(t.def.contentVar(k.ID)) && run.changed(v, run.after()) == nil {
			continue
		}
		list = append(list, found{row: v})
	}
	return list
}

// matching lists the rows that can be in a range of an index, in the index's order.
func (t *Table) matching(ctx *sql.Context, x *Index, r sql.MySQLRange) ([]found, error) {
	if values, ok := x.point(ctx, r); ok && x.unique {
		return t.holder(ctx, x, r, values)
	}
	if x.name == primaryName {
		return t.keys(ctx, x, r)
	}
	return t.ordered(ctx, x, r)
}

// holder is the row that has a value of the primary key or of a unique index.
func (t *Table) holder(ctx *sql.Context, x *Index, r sql.MySQLRange, values []any) ([]found, error) {
	row := make(sql.Row, len(t.def.schema.Schema))
	for i, c := range x.columns {
		v, in, err := t.def.schema.Schema[c].Type.Convert(ctx, values[i])
		if err != nil || in != sql.InRange || v == nil {
			return t.ordered(ctx, x, r) // no value of the column's type
		}
		row[c] = v
	}
	id, null := x.value(row)
	if null {
		return t.ordered(ctx, x, r)
	}
	if x.name != primaryName {
		v, err := t.value(ctx, t.def.uniqueVar(x, id))
		if err != nil {
			return nil, err
		}
		var ok bool
		if id, ok = v.(string); !ok {
			return nil, nil
		}
	}
	if _, ok := runOf(ctx).log.(rows.Scanner); !ok && t.def.rows.Named(id) == nil {
		return nil, nil
	}
	return []found{{rowVar{t.def, id}, r}}, nil
}

// value reads a unique value.
func (t *Table) value(ctx *sql.Context, name string) (any, error) {
	run := runOf(ctx)
	if t.now {
		return run.lockValue(name)
	}
	return run.readValue(name)
}

// keys lists the rows whose primary keys are in a range.
func (t *Table) keys(ctx *sql.Context, x *Index, r sql.MySQLRange) (list []found, err error) {
	for _, f := range t.all(ctx) {
		ok, err := x.within(ctx, r, t.def.rows.Named(f.row.id).Shapes()[0])
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, found{f.row, r})
		}
	}
	return list, nil
}

// ordered reads the rows that have ever had a value in a range, and lists those that
// have one, ordered by the index.
func (t *Table) ordered(ctx *sql.Context, x *Index, r sql.MySQLRange) (list []found, err error) {
	contents := map[string]sql.Row{}
	for _, f := range t.all(ctx) {
		ever, err := t.ever(ctx, x, r, f.row)
		if err != nil || !ever {
			if err != nil {
				return nil, err
			}
			continue
		}
		row, err := t.look(ctx, f.row)
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		if ok, err := x.within(ctx, r, row); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		contents[f.row.id] = row
		list = append(list, found{f.row, r})
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return t.def.compare(ctx, x.columns, contents[a.row.id], contents[b.row.id])
	})
	return list, nil
}

// ever reports whether a row has ever had a value in a range.
func (t *Table) ever(ctx *sql.Context, x *Index, r sql.MySQLRange, v rowVar) (bool, error) {
	for _, shape := range t.def.rows.Named(v.id).Shapes() {
		if ok, err := x.within(ctx, r, shape); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// look reads a row without the locks of SELECT … FOR UPDATE: of those that are not in
// the range of the index, nothing is locked.
func (t *Table) look(ctx *sql.Context, v rowVar) (sql.Row, error) {
	if t.now {
		return runOf(ctx).lock(v, true)
	}
	return runOf(ctx).see(v)
}

// get returns a row that the engine asks for; nil when it is not there, or not in the
// range of the index.
func (t *Table) get(ctx *sql.Context, f found, l *sql.IndexLookup) (row sql.Row, err error) {
	t.last = f
	lock, locks := t.asked()
	switch {
	case t.keyOnly && l != nil:
		row, err = t.parent(ctx, f, l.Index.(*Index))
	case t.now:
		row, err = runOf(ctx).lock(f.row, true)
	case locks && !t.deferred:
		row, err = t.lockFound(ctx, f.row, lock)
	default:
		row, err = runOf(ctx).see(f.row)
	}
	if err != nil || row == nil {
		return nil, err
	}
	return f.inside(ctx, row, l)
}

// inside returns the row, or nil when it is not in the range of the index any more.
func (f found) inside(ctx *sql.Context, row sql.Row, l *sql.IndexLookup) (sql.Row, error) {
	if l == nil || f.within == nil {
		return row, nil
	}
	if ok, err := l.Index.(*Index).within(ctx, f.within, row); err != nil || !ok {
		return nil, err
	}
	return row, nil
}
