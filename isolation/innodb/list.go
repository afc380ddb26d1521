package innodb

import "slices"

// Lists of locks, for comparisons with a server's own.

// Strength is how strongly something is locked.
type Strength uint8

// The strengths.
const (
	Unlocked Strength = iota
	LockedShared
	LockedExclusive
)

// Held is what a transaction's locks cover of a record and of the gap before it. The record
// of a supremum has no key, and only a gap.
type Held struct {
	Table, Index int // the index by its number in the table
	Key          Tuple
	Record, Gap  Strength
	// Implicit: the transaction has written the record, which is lock enough: see implicit.go.
	Implicit bool
}

// Held lists what the session's transaction holds, in the order of the records in their indexes.
func (r *Rows) Held(sess int) (list []Held) {
	t, s := r.runs[sess].trx, &r.state
	if t == none {
		return nil
	}
	for i := range s.catalog.indexes {
		if s.catalog.indexes[i].table >= len(r.tables) {
			break // the one of the AUTO-INC locks
		}
		for _, rec := range append(slices.Clone(s.order[i]), int32(i)) {
			if h := s.heldOf(t, int(rec)); h.Record+h.Gap > 0 || h.Implicit {
				list = append(list, h)
			}
		}
	}
	return list
}

// heldOf is what the transaction holds of a record.
func (s *State) heldOf(t Trx, r int) Held {
	rec := &s.records[r]
	table := s.catalog.indexes[rec.index].table
	h := Held{Table: table, Index: int(rec.index) - s.catalog.first[table], Key: rec.key, Implicit: s.holder(r) == t}
	for i := range s.locks {
		l := &s.locks[i]
		if l.trx != t || int(l.rec) != r || l.waiting || l.kind == intention {
			continue
		}
		strength := LockedShared
		if l.x {
			strength = LockedExclusive
		}
		if l.kind != gapOnly && !rec.supremum {
			h.Record = max(h.Record, strength)
		}
		if l.kind != recordOnly || rec.supremum {
			h.Gap = max(h.Gap, strength)
		}
	}
	return h
}

// HeldTables lists the numbers of the tables on which the session's transaction has
// intention locks: shared ones, and exclusive ones.
func (r *Rows) HeldTables(sess int) (shared, exclusive []int) {
	t := r.runs[sess].trx
	if t == none {
		return nil, nil
	}
	x := &r.state.trxs[t]
	for i := range r.tables {
		bit := uint64(1) << (i % 64)
		if x.shared&bit != 0 {
			shared = append(shared, i)
		}
		if x.exclusive&bit != 0 {
			exclusive = append(exclusive, i)
		}
	}
	return shared, exclusive
}
