package storage

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/access"
)

// rangeOf is a range of an index, of these columns, as the model has it: equalities on the first columns,
// and a range of the next one. An end that is in the range goes on with the ends of further
// columns (MySQL's SEL_ARG::store_min_key and store_max_key). down: it goes down the
// primary key where it has one value.
func (d *Def) rangeOf(ctx *sql.Context, x *model.Index, columns []int, r sql.MySQLRange, reverse, down bool) (*access.Range, error) {
	out := &access.Range{Descending: reverse || down}
	var prefix []int
	for i := 0; i < len(r) && i < len(columns); i++ {
		e := r[i]
		if e.Type() == sql.RangeType_All {
			break
		}
		if e.Type() == sql.RangeType_EqualNull {
			prefix = append(prefix, access.Null)
			continue
		}
		low, high, err := d.bounds(ctx, x, i, columns[i], e)
		if err != nil {
			return nil, err
		}
		if low.is && low == high && !low.open {
			prefix = append(prefix, low.at)
			continue
		}
		if out.Low, out.LowOpen, err = d.end(ctx, x, columns, r, i, prefix, low, true); err != nil {
			return nil, err
		}
		out.High, out.HighOpen, err = d.end(ctx, x, columns, r, i, prefix, high, false)
		return out, err
	}
	out.Low = prefix
	switch {
	case len(prefix) >= len(x.Columns) && !down: // ORDER BY of what has one value orders nothing
		out.Exact, out.Descending = true, false
	case len(prefix) > 0 && out.Descending:
		out.High = prefix
	case len(prefix) > 0:
		out.Exact = true
	}
	return out, nil
}

// end is the low or the high end of a range whose columns before place i have the values
// of prefix.
func (d *Def) end(ctx *sql.Context, x *model.Index, columns []int, r sql.MySQLRange, i int, prefix []int, b bound, low bool) (at []int, open bool, err error) {
	at = prefix
	for b.is {
		at, open = append(slices.Clone(at), b.at), b.open
		if i++; open || i >= min(len(r), len(columns)) {
			break
		}
		switch e := r[i]; {
		case e.Type() == sql.RangeType_EqualNull:
			b = bound{is: true, at: access.Null}
		case e.Type() == sql.RangeType_All:
			b = bound{}
		default:
			lower, upper, err := d.bounds(ctx, x, i, columns[i], e)
			if err != nil {
				return nil, false, err
			}
			if b = upper; low {
				b = lower
			}
		}
	}
	return at, open, nil
}

// bound is an end of a range of a column.
type bound struct {
	is   bool
	at   int
	open bool
}

// bounds are the ends of a range of the column at a place of an index.
func (d *Def) bounds(ctx *sql.Context, x *model.Index, i, column int, e sql.MySQLRangeColumnExpr) (low, high bound, err error) {
	switch b := e.LowerBound.(type) {
	case sql.Below:
		low, err = d.bound(ctx, x, i, column, e.Typ, b.Key, true, false)
	case sql.Above:
		low, err = d.bound(ctx, x, i, column, e.Typ, b.Key, true, true)
	case sql.AboveNull:
		if d.schema.Schema[column].Nullable {
			low = bound{is: true, at: access.Null, open: true}
		}
	}
	if err != nil {
		return low, high, err
	}
	switch b := e.UpperBound.(type) {
	case sql.Above:
		high, err = d.bound(ctx, x, i, column, e.Typ, b.Key, false, false)
	case sql.Below:
		high, err = d.bound(ctx, x, i, column, e.Typ, b.Key, false, true)
	}
	return low, high, err
}

// bound is an end of a range at a value. One that the column cannot have is put at the
// next one that it can have.
func (d *Def) bound(ctx *sql.Context, x *model.Index, i, at int, t sql.Type, value any, low, open bool) (b bound, err error) {
	column := d.schema.Schema[at].Type
	v, in, err := column.Convert(ctx, value)
	if err != nil || in != sql.InRange || v == nil {
		return b, nil // the rows that are found are judged by the value
	}
	n, err := t.Compare(ctx, unpadded(t, v), unpadded(t, value))
	if err != nil {
		return b, err
	}
	if n != 0 {
		open = low == (n < 0)
	}
	b = bound{is: true, open: open}
	b.at, err = d.model.Number(ctx, x, i, at, v)
	if i < len(x.Prefix) && x.Prefix[i] > 0 { // an end that is cut does not exclude what begins with it
		b.open = false
	}
	return b, err
}
