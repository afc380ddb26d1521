package semantics

import "math/bits"

// Row is a set of transactions, a bit each, by position in an order.
type Row []uint64

// Has reports whether i is in the set.
func (r Row) Has(i int) bool { return r[i>>6]>>(i&63)&1 != 0 }

// Add puts i into the set.
func (r Row) Add(i int) { r[i>>6] |= 1 << (i & 63) }

// Remove takes i out of the set.
func (r Row) Remove(i int) { r[i>>6] &^= 1 << (i & 63) }

// Union adds the elements of s.
func (r Row) Union(s Row) {
	for w, b := range s {
		r[w] |= b
	}
}

// Contains reports whether every element of s is in r.
func (r Row) Contains(s Row) bool {
	for w, b := range s {
		if b&^r[w] != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether r and s have something in common.
func (r Row) Meets(s Row) bool {
	for i, w := range s {
		if r[i]&w != 0 {
			return true
		}
	}
	return false
}

// Next returns the least element that is at least i, or -1.
func (r Row) Next(i int) int {
	for w := i >> 6; w < len(r); w++ {
		b := r[w]
		if w == i>>6 {
			b &= ^uint64(0) << (i & 63)
		}
		if b != 0 {
			return w<<6 + bits.TrailingZeros64(b)
		}
	}
	return -1
}

// Previous returns the greatest element that is at most i, or -1.
func (r Row) Previous(i int) int {
	for w := i >> 6; w >= 0; w-- {
		b := r[w]
		if w == i>>6 {
			b &= ^uint64(0) >> (63 - i&63)
		}
		if b != 0 {
			return w<<6 + 63 - bits.LeadingZeros64(b)
		}
	}
	return -1
}

// Rows is a growing list of sets of equal width.
type Rows struct {
	words int // of a row
	n     int
	bits  []uint64
}

// Len returns the number of rows.
func (rs *Rows) Len() int { return rs.n }

// Row returns row i. It is valid until the next Push or Widen.
func (rs *Rows) Row(i int) Row { return rs.bits[i*rs.words:][:rs.words] }

// Words returns the rows where each is a single word.
func (rs *Rows) Words() []uint64 { return rs.bits }

// Push appends an empty row and returns it.
func (rs *Rows) Push() Row {
	n := len(rs.bits)
	if cap(rs.bits) == 0 {
		rs.bits = make([]uint64, 0, 64*rs.words) // most programs need no more
	}
	for range rs.words {
		rs.bits = append(rs.bits, 0)
	}
	rs.n++
	return rs.bits[n:]
}

// pushCopy appends a copy of row i of src.
func (rs *Rows) pushCopy(src *Rows, i int) {
	if rs.words == 1 && cap(rs.bits) > 0 {
		rs.pushWord(src.bits[i])
		return
	}
	copy(rs.Push(), src.Row(i))
}

// pushWord appends a row that is a single word.
func (rs *Rows) pushWord(b uint64) {
	rs.bits = append(rs.bits, b)
	rs.n++
}

// Truncate keeps the first n rows.
func (rs *Rows) Truncate(n int) { rs.n, rs.bits = n, rs.bits[:n*rs.words] }

// Reset empties the list and sets the width to words words of 64 bits.
func (rs *Rows) Reset(words int) {
	rs.words, rs.n = words, 0
	rs.bits = rs.bits[:0]
}

// Widen makes every row words words wide.
func (rs *Rows) Widen(words int) {
	if words == rs.words {
		return
	}
	old := *rs
	rs.words, rs.bits = words, make([]uint64, rs.n*words, 2*rs.n*words+words)
	for i := range rs.n {
		copy(rs.Row(i), old.Row(i))
	}
}

// CopyFrom makes rs a copy of the first n rows of src.
func (rs *Rows) CopyFrom(src *Rows, n int) {
	rs.words, rs.n = src.words, n
	rs.bits = append(rs.bits[:0], src.bits[:n*src.words]...)
}

// Below keeps in every row the elements less than n.
func (rs *Rows) Below(n int) {
	for i := range rs.Len() {
		row := rs.Row(i)
		row[n>>6] &= 1<<(n&63) - 1
		clear(row[n>>6+1:])
	}
}
