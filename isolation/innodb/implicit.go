package innodb

// Implicit locks.
//
// A running transaction that wrote a record holds an exclusive record lock on it
// without an entry in the queue. In the clustered index it wrote the record's newest
// version. In a secondary index it inserted, marked or unmarked the record. Who
// requests a lock on the record first makes the entry.
//
// Source: MySQL manual, "InnoDB Locking"; InnoDB's lock_rec_convert_impl_to_expl.

// holder is the transaction that holds the record implicitly, or none.
func (s *State) holder(r int) Trx {
	c := &s.records[r]
	if !c.supremum && s.running(c.writer) {
		return c.writer
	}
	return none
}

// expose makes another transaction's implicit lock an explicit one.
func (s *State) expose(t Trx, r int) {
	if w := s.holder(r); w != none && w != t && !s.holds(w, r, true, recordOnly) {
		s.grant(w, r, true, recordOnly)
	}
}
