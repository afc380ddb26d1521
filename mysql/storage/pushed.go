package storage

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/access"
)

// Conditions that are judged on an entry of an index, before the row is looked up and locked.

// Part is a condition on a table, of those that AND joins.
type Part struct {
	Columns []int // of the table that it names, by their places
	Holds   func(*sql.Context, sql.Row) (bool, error)
}

// Push gives scans of the table conditions of the statement. static: where the scan begins does
// not depend on rows of other tables.
func (t *Table) Push(parts []Part, static bool) { t.parts, t.static = parts, static }

// Place is the place of a column in the schema, or -1.
func (t *Table) Place(column string) int {
	return slices.IndexFunc(t.def.schema.Schema, func(c *sql.Column) bool { return strings.EqualFold(c.Name, column) })
}

// push makes a range one whose entries the executor judges, if there is something to judge. This
// is a condition on columns of the index, or of the primary key: every index has those. A scan
// backwards looks up all rows. A row that a whole key names is looked up before the statement is
// planned. A scan of the whole index, for its order, looks up all rows too. The beginning of a
// text decides nothing: where nothing else is judged, the end of the range is not known before
// the row is looked up.
func (m *modelled) push(ctx *sql.Context, x *model.Index, columns []int, r *ranged) {
	at := r.at
	if !at.Exact && at.Low == nil && at.High == nil {
		return
	}
	if m.t.static && at.Exact && !at.Among && len(at.Low) == len(columns) && (x.Unique || len(columns) > len(x.Columns)) {
		return
	}
	if x.Prefix != nil {
		r.parts, r.cut = m.pushed(x), true
		at.Judges = len(r.parts) > 0
		at.Pushed = at.Judges
		return
	}
	r.parts = m.pushed(x)
	at.Judges = len(r.parts) > 0 || len(r.of) > 1 || bounded(ctx, r.of[0])
}

// pushed are the conditions that an entry of the index decides.
func (m *modelled) pushed(x *model.Index) (list []Part) {
	has := slices.Clone(m.t.def.model.Indexes[0].Columns)
	for i, c := range x.Columns {
		if x.Prefix == nil || x.Prefix[i] == 0 {
			has = append(has, c)
		}
	}
	for _, p := range m.t.parts {
		if !slices.ContainsFunc(p.Columns, func(c int) bool { return !slices.Contains(has, c) }) {
			list = append(list, p)
		}
	}
	return list
}

// bounded reports whether a range says more of an index than where it begins and ends: of a
// column behind one that has several values.
func bounded(ctx *sql.Context, r sql.MySQLRange) bool {
	several := false
	for _, e := range r {
		all := e.Type() == sql.RangeType_All
		if several && !all {
			return true
		}
		several = several || all || e.Type() != sql.RangeType_EqualNull && !OneValue(ctx, e)
	}
	return false
}

// judgeEntry judges the entry that has come last.
func (m *modelled) judgeEntry(ctx *sql.Context) error {
	m.judged = access.Unwanted
	if !m.cut {
		if in, err := m.inside(ctx); err != nil || !in {
			return err
		}
	}
	for _, p := range m.parts {
		if holds, err := p.Holds(ctx, m.last.Row); err != nil || !holds {
			return err
		}
	}
	m.judged = access.Wanted
	return nil
}
