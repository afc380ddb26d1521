package postgres

import (
	"cmp"
	"slices"
)

// The order of versions in the normal form: the physical one where statements look at it, else by
// what the versions have. docs/databases.md has the argument. Where statements look at the order of
// entries with equal keys, the normal form has this as well: it is the order of roots, which may be
// another one, and a root may be no part of the normal form.

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

// addEntries adds the order of the entries of indexes that lead to the versions.
func (k *Keyer) addEntries() {
	s, n := k.s, k.s.seeds()
	found := false
	for _, t := range k.order {
		table := s.at(t).table
		if !s.ordersEntries(table) {
			continue
		}
		if !found {
			k.findRoots()
			found = true
		}
		root := k.roots[t-n]
		if root < n { // it stands for itself
			k.Add(uint64(root))
			continue
		}
		place := n
		for _, u := range k.order {
			if s.at(u).table == table && k.roots[u-n] < root {
				place++
			}
		}
		k.Add(uint64(place))
	}
}

// ordersEntries reports whether the order of entries with equal keys can matter.
func (s *State) ordersEntries(table uint8) bool {
	return s.tables[table].Repeats && s.looks.Entries(table)
}

// findRoots finds the root of each version beside the seed.
func (k *Keyer) findRoots() {
	s, n := k.s, k.s.seeds()
	k.roots = k.roots[:0]
	for i := range s.heap {
		k.roots = append(k.roots, n+TID(i))
	}
	for i := range s.changed {
		k.lead(s.changed[i].next, s.changed[i].tid)
	}
	for i := range s.heap {
		k.lead(s.heap[i].next, k.roots[i])
	}
}

// lead gives a version that is heap-only the root of the version before it.
func (k *Keyer) lead(to, root TID) {
	if to != none && k.s.at(to).hot {
		k.roots[to-k.s.seeds()] = root
	}
}
