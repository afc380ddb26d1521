package isolation

import (
	"slices"

	"github.com/txmc/txmc/semantics"
)

// sets is a set of rows of equal width: open addressing, memory kept from one
// use to the next.
type sets struct {
	words int
	table []int32 // index of a row in rows, plus one; 0 is free
	rows  []uint64
	n     int
}

// reset empties the set for rows of that width.
func (s *sets) reset(words int) {
	s.words = words
	if s.n > 0 {
		clear(s.table)
	}
	s.n, s.rows = 0, s.rows[:0]
}

func (s *sets) slot(a, b semantics.Row) int {
	hash := uint64(14695981039346656037)
	for _, w := range a {
		hash = mix(hash ^ w)
	}
	for _, w := range b {
		hash = mix(hash ^ w)
	}
	mask := len(s.table) - 1
	i := int(hash) & mask
	for {
		k := int(s.table[i]) - 1
		if k < 0 {
			return i
		}
		row := s.rows[k*s.words : (k+1)*s.words]
		if slices.Equal(row[:len(a)], a) && slices.Equal(row[len(a):], b) {
			return i
		}
		i = (i + 1) & mask
	}
}

// mix spreads the bits of h (the finalizer of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// has reports whether the row a followed by b is in the set.
func (s *sets) has(a, b semantics.Row) bool {
	return s.n > 0 && s.table[s.slot(a, b)] != 0
}

// add puts the row a followed by b, which is not in the set, into it.
func (s *sets) add(a, b semantics.Row) {
	if 2*s.n >= len(s.table) {
		s.grow()
	}
	s.rows = append(append(s.rows, a...), b...)
	s.n++
	s.table[s.slot(a, b)] = int32(s.n)
}

func (s *sets) grow() {
	s.table = make([]int32, max(64, 2*len(s.table)))
	half := s.words / 2
	for k := range s.n {
		row := s.rows[k*s.words : (k+1)*s.words]
		s.table[s.slot(row[:half], row[half:])] = int32(k + 1)
	}
}
