package innodb

import (
	"slices"
	"sort"
)

// Indexes and their records.
//
// A deleted record stays in its index with a mark until purge removes it. A
// record of the clustered index has the row's versions. An index ends in a
// supremum, whose locks cover the gap behind the last record. All records of an
// index share a page.
//
// Source: MySQL manual, "InnoDB Multi-Versioning", "Clustered and Secondary
// Indexes".

// version is a version of a row. Versions are never changed.
type version struct {
	trx     Trx
	row     Row
	deleted bool
	prev    *version
}

// record is an index record.
type record struct {
	index    int32
	writer   Trx // who changed it last
	supremum bool
	gone     bool // removed from its index
	marked   bool // deleted
	key      Tuple
	newest   *version // clustered index only
}

// position is the place in an index's order of the first record with a key of
// at least k; beyond: of more than k and no key that k begins.
func (s *State) position(index int, k Tuple, beyond bool) int {
	order := s.order[index]
	return sort.Search(len(order), func(i int) bool {
		key := s.records[order[i]].key
		if beyond {
			return key.Compare(k) > 0 && !k.begins(key)
		}
		return key.Compare(k) >= 0
	})
}

// find is the first record with a key of at least k, or the supremum.
func (s *State) find(index int, k Tuple) int { return s.at(index, s.position(index, k, false)) }

// after is the record behind all records whose keys k begins.
func (s *State) after(index int, k Tuple) int { return s.at(index, s.position(index, k, true)) }

// at is the record at a place of the order, or the supremum.
func (s *State) at(index, place int) int {
	if place < len(s.order[index]) {
		return int(s.order[index][place])
	}
	return index
}

// exact is the record with this key, or none.
func (s *State) exact(index int, k Tuple) int {
	if r := s.find(index, k); !s.records[r].supremum && slices.Equal(s.records[r].key, k) {
		return r
	}
	return none
}

// successor is the record behind r, or the supremum.
func (s *State) successor(r int) int {
	c := &s.records[r]
	return s.after(int(c.index), c.key)
}

// enter enters a record into the order of its index.
func (s *State) enter(n record) int {
	at := s.position(int(n.index), n.key, false)
	id := len(s.records)
	s.records = append(s.records, n)
	old := s.order[n.index]
	order := make([]int32, 0, len(old)+1)
	order = append(append(append(order, old[:at]...), int32(id)), old[at:]...)
	s.order[n.index] = order
	return id
}

// displace takes a record out of the order of its index.
func (s *State) displace(r int) {
	c := &s.records[r]
	at := s.position(int(c.index), c.key, false)
	old := s.order[c.index]
	order := make([]int32, 0, len(old)-1)
	s.order[c.index] = append(append(order, old[:at]...), old[at+1:]...)
	c.gone = true
}

// push makes a new newest version.
func (s *State) push(t Trx, r int, row Row, deleted bool) {
	c := &s.records[r]
	c.newest = &version{trx: t, row: row, deleted: deleted, prev: c.newest}
	c.marked, c.writer = deleted, t
	s.log(t, undo{op: undoModify, rec: int32(r)})
	s.trxs[t].acted = true
}
