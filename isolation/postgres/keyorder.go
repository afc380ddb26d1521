package postgres

import (
	"cmp"
	"slices"
)

// The order of versions in the normal form: the physical one where statements look at it, else by
// what the versions have. docs/databases.md has the argument.

// untouched reports whether the version was there at the beginning and nobody has
// changed it: it says nothing of the state, unless something refers to it, or its
// physical order can matter. So states are the same whether or not a client has
// loaded a row already that it did not know at first.
func (s *State) untouched(v *version) bool {
	t := &s.tables[v.table]
	return v.xmin == 0 && !s.live(v.xmax) && !s.ordered(v.table) && t.Unique == 1
}

// before reports whether a later version a comes before b in the normal form.
func (s *State) before(a, b TID) bool {
	v, w := s.at(a), s.at(b)
	if v.table != w.table {
		return v.table < w.table
	}
	return !s.ordered(v.table) && precedes(v.row, w.row)
}

// ordered reports whether the physical order of a table's rows can matter.
func (s *State) ordered(table uint8) bool { return s.tables[table].Scanned && s.looks.Order(table) }

// precedes orders rows by what they have. Those with the same first key stay in physical order.
func precedes(a, b Row) bool {
	for i, key := range a.Keys {
		switch {
		case key != b.Keys[i]:
			return key < b.Keys[i]
		case i == 0 && unique(key):
			return false
		}
	}
	return cmp.Or(cmp.Compare(a.Indexed, b.Indexed), cmp.Compare(a.Value, b.Value), slices.Compare(a.Refs, b.Refs)) < 0
}

// unique reports whether a key is one that no other row can have.
func unique(key int32) bool { return key != 0 && key != Absent }
