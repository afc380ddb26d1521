package storage

import (
	"errors"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/program/access"
)

// Ranges of an index that the engine scans one by one, and a server as one.

// Group is what a server scans as one range: rows of ranges that differ behind the first column
// of several values only (MySQL's get_quick_keys).
type Group struct {
	of   []sql.MySQLRange // that the engine asks for
	ends []sql.MySQLRange // that make the scan begin and end
}

// First is a range of the group: the same as all others up to the first column of several values.
func (g *Group) First() sql.MySQLRange { return g.ends[0] }

// Groups are the ranges of a lookup.
func (x *Index) Groups(ctx *sql.Context, l *sql.IndexLookup) (groups []Group, err error) {
	list, err := x.ranges(ctx, l)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r sql.MySQLRange) bool {
		return slices.ContainsFunc(r, func(e sql.MySQLRangeColumnExpr) bool { return e.Type() == sql.RangeType_Empty })
	})
	ends, err := x.without(ctx, list)
	if err != nil {
		return nil, err
	}
	for n, r := range list {
		i := slices.IndexFunc(groups, func(g Group) bool {
			same, failed := together(ctx, g.First(), ends[n])
			err = errors.Join(err, failed)
			return same
		})
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{})
		}
		groups[i].of, groups[i].ends = append(groups[i].of, r), append(groups[i].ends, ends[n])
	}
	return groups, err
}

// together reports whether two ranges are the same up to the first column of several values.
func together(ctx *sql.Context, a, b sql.MySQLRange) (bool, error) {
	for i := range min(len(a), len(b)) {
		if same, err := a[i].Equals(ctx, b[i]); err != nil || !same {
			return false, err
		}
		if a[i].Type() != sql.RangeType_EqualNull && !OneValue(ctx, a[i]) {
			return true, nil
		}
	}
	return len(a) == len(b), nil
}

// Ascend reports whether groups stand one behind another in the index, or, if descending, one
// before another; and how many first columns are the same in all of them.
func Ascend(ctx *sql.Context, groups []Group, descending bool) (same int, ok bool) {
	same = len(groups[0].First())
	for i := range groups[1:] {
		low, high := groups[i].First(), groups[i+1].First()
		if descending {
			low, high = high, low
		}
		at := 0
		for ; at < min(len(low), len(high)); at++ {
			if equal, err := low[at].Equals(ctx, high[at]); err != nil || !equal {
				break
			}
		}
		if at == min(len(low), len(high)) {
			return 0, false
		}
		if c, err := low[at].UpperBound.Compare(ctx, high[at].LowerBound, low[at].Typ); err != nil || c > 0 {
			return 0, false
		}
		same = min(same, at)
	}
	return same, true
}

// without are the ranges without what only excludes values of a column that is unique by itself,
// behind the first one of the index: a server makes no ranges of it (MariaDB's
// is_single_column_unique_index).
func (x *Index) without(ctx *sql.Context, list []sql.MySQLRange) ([]sql.MySQLRange, error) {
	list = slices.Clone(list)
	for at := 1; at < len(x.parts()); at++ {
		if !x.def.uniqueAlone(x.parts()[at]) {
			continue
		}
		for i := range list {
			n, err := excluding(ctx, list[i:], at)
			if err != nil {
				return nil, err
			}
			for k := range n {
				list[i+k] = slices.Clone(list[i+k])
				list[i+k][at] = sql.AllRangeColumnExpr(list[i+k][at].Typ)
			}
		}
	}
	return list, nil
}

// excluding counts the ranges at the beginning of a list that differ in one column only and
// together have all of its values, but for those between two ranges.
func excluding(ctx *sql.Context, list []sql.MySQLRange, at int) (int, error) {
	if at >= len(list[0]) || !unboundedBelow(list[0][at]) {
		return 0, nil
	}
	for n := range list {
		if n > 0 {
			if same, err := sameBut(ctx, list[0], list[n], at); err != nil || !same {
				return 0, err
			}
			low, isLow := list[n][at].LowerBound.(sql.Above)
			high, isHigh := list[n-1][at].UpperBound.(sql.Below)
			if !isLow || !isHigh {
				return 0, nil
			}
			if c, err := list[n][at].Typ.Compare(ctx, low.Key, high.Key); err != nil || c != 0 {
				return 0, err
			}
		}
		if _, all := list[n][at].UpperBound.(sql.AboveAll); all {
			return n + 1, nil // one alone excludes nothing
		}
	}
	return 0, nil
}

func unboundedBelow(e sql.MySQLRangeColumnExpr) bool {
	switch e.LowerBound.(type) {
	case sql.BelowNull, sql.AboveNull:
		return true
	}
	return false
}

// sameBut reports whether two ranges are the same in all columns but one.
func sameBut(ctx *sql.Context, a, b sql.MySQLRange, but int) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if i == but {
			continue
		}
		if same, err := a[i].Equals(ctx, b[i]); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// uniqueAlone reports whether a column has a unique index, or the primary key, to itself.
func (d *Def) uniqueAlone(column int) bool {
	is := func(x *Index) bool {
		return x != nil && x.unique && x.prefix == nil && slices.Equal(x.columns, []int{column})
	}
	return is(d.primary()) || slices.ContainsFunc(d.indexes, is)
}

// widen makes a range one that has another as well. Both are the same up to the first column of
// several values.
func widen(r, o *access.Range) {
	if c := slices.Compare(o.Low, r.Low); c < 0 || c == 0 && !o.LowOpen {
		r.Low, r.LowOpen = o.Low, o.LowOpen
	}
	n := min(len(r.High), len(o.High))
	switch c := slices.Compare(o.High[:n], r.High[:n]); {
	case c > 0, c == 0 && len(o.High) < len(r.High), c == 0 && len(o.High) == len(r.High) && !o.HighOpen:
		r.High, r.HighOpen = o.High, o.HighOpen
	}
}

// EndsWith reports whether a lookup is one range of several values of a column, with one value of
// each column before it, and without a condition on those behind it. excludes says whether the
// range excludes NULL.
func (x *Index) EndsWith(ctx *sql.Context, l *sql.IndexLookup, column string) (ends, excludes bool) {
	groups, err := x.Groups(ctx, l)
	if err != nil || len(groups) != 1 || len(groups[0].of) != 1 {
		return false, false
	}
	columns := x.names()
	r := groups[0].First()
	at := slices.IndexFunc(columns, func(name string) bool { return strings.EqualFold(name, column) })
	for i, e := range r {
		switch {
		case i < at && !OneValue(ctx, e), i > at && e.Type() != sql.RangeType_All:
			return false, false
		case i == at && (OneValue(ctx, e) || e.Type() == sql.RangeType_EqualNull):
			return false, false
		}
	}
	if at < 0 || at >= len(r) {
		return at == len(r) && at > 0, false
	}
	_, from := r[at].LowerBound.(sql.BelowNull)
	return true, !from
}
