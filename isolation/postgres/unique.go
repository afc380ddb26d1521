package postgres

// Unique indexes: documentation section 64.5, _bt_check_unique and
// ExecCheckIndexConstraints. A key is looked up with a dirty snapshot, at every
// isolation level.

// lookup walks the entries of a unique index with this key in physical order,
// and behind each entry its chain of heap-only versions, until visit says stop.
// It returns the version at which it stopped, or none.
func (s *State) lookup(table, index int, key int32, visit func(TID) (stop bool)) (hit TID) {
	hit = none
	s.entries(table, index, key, func(t TID) bool {
		hit = s.chain(t, visit)
		return hit != none
	})
	return hit
}

// entries yields the versions to which the entries of a unique index with this key lead, in
// physical order, until visit says stop.
func (s *State) entries(table, index int, key int32, visit func(TID) (stop bool)) {
	for _, t := range s.seededKey(table, index, key) {
		if visit(t) {
			return
		}
	}
	n := s.seeds()
	for i := range s.heap {
		v := &s.heap[i]
		if int(v.table) != table || v.hot || int(v.indexed) <= index || v.row.Keys[index] != key || s.swept(v.table, n+TID(i)) {
			continue
		}
		if visit(n + TID(i)) {
			return
		}
	}
}

// chain walks a version and the heap-only versions behind it, as lookup does.
func (s *State) chain(t TID, visit func(TID) (stop bool)) TID {
	for t != none {
		if visit(t) {
			return t
		}
		if t = s.at(t).next; t != none && !s.at(t).hot {
			t = none
		}
	}
	return none
}

// findDirty looks for a row with the key that exists when all running
// transactions count, other than version except.
func (s *State) findDirty(sess, table, index int, key int32, except TID) (hit TID, wait int32) {
	wait = none
	hit = s.lookup(table, index, key, func(t TID) bool {
		if t == except {
			return false
		}
		exists, w := s.dirty(sess, s.at(t))
		if exists {
			wait = w
		}
		return exists
	})
	return hit, wait
}

// Enter makes the version's entry in a unique index. With check it first looks
// for another row with the key, and waits for running transactions that decide
// whether there is one. It answers OK, or fails with 23505; at SERIALIZABLE the
// failure of the serialization check comes first.
func (s *State) Enter(sess int, t TID, index int, check bool) Answer {
	s.sessions[sess].op = operation{kind: opEnter, tid: t, index: uint8(index), check: check}
	return s.enter(sess)
}

func (s *State) enter(sess int) Answer {
	op := &s.sessions[sess].op
	v := s.at(op.tid)
	table, index := int(v.table), int(op.index)
	key := v.row.Keys[index]
	if key == Absent {
		s.own(op.tid).indexed++
		return answer(OK, op.tid)
	}
	s.accessKey(table, index, key, false)
	duplicate := false
	if op.check && key != 0 && s.tables[table].Deferred>>index&1 == 0 {
		hit, wait := s.findDirty(sess, table, index, key, op.tid)
		if wait != none {
			return answer(s.waitFor(sess, wait), op.tid)
		}
		duplicate = hit != none
	}
	if c := s.WriteIndex(sess, table, index); c != NoError {
		return failure(c)
	}
	if duplicate {
		return failure(UniqueViolation)
	}
	s.own(op.tid).indexed++
	return answer(OK, op.tid)
}

// clashes are the versions that may have the key of a version in an index that is checked later
// (UNIQUE_CHECK_PARTIAL).
func (s *State) clashes(sess int, t TID, index int) (list []TID) {
	v := s.at(t)
	key := v.row.Keys[index]
	if key == 0 || key == Absent {
		return nil
	}
	s.lookup(int(v.table), index, key, func(u TID) bool {
		if exists, _ := s.dirty(sess, s.at(u)); exists && u != t {
			list = append(list, u)
		}
		return false
	})
	return list
}

// Recheck looks whether another row has the key of a version in a deferred index, and waits
// for running transactions that decide it (unique_key_recheck, UNIQUE_CHECK_EXISTING). It
// answers OK, or fails with 23505; at SERIALIZABLE the failure of the serialization check
// comes first.
func (s *State) Recheck(sess int, t TID, index int) Answer {
	s.sessions[sess].op = operation{kind: opRecheck, tid: t, index: uint8(index)}
	return s.recheck(sess)
}

func (s *State) recheck(sess int) Answer {
	op := &s.sessions[sess].op
	v := s.at(op.tid)
	table, index := int(v.table), int(op.index)
	key := v.row.Keys[index]
	if key == 0 || key == Absent {
		return answer(OK, op.tid)
	}
	s.accessKey(table, index, key, false)
	hit, wait := s.findDirty(sess, table, index, key, op.tid)
	if wait != none {
		return answer(s.waitFor(sess, wait), op.tid)
	}
	if hit == none {
		return answer(OK, op.tid)
	}
	if c := s.WriteIndex(sess, table, index); c != NoError {
		return failure(c)
	}
	return failure(UniqueViolation)
}

// Probe looks for rows with the keys of a row in the indexes of mask, as INSERT
// ... ON CONFLICT does before it inserts. It waits for running transactions,
// and then starts over. It answers OK, or Conflict with a live version.
func (s *State) Probe(sess, table int, r Row, mask uint32) Answer {
	s.sessions[sess].op = operation{kind: opProbe, table: uint8(table), row: r, mask: mask}
	return s.probe(sess)
}

func (s *State) probe(sess int) Answer {
	op := &s.sessions[sess].op
	for index, key := range op.row.Keys {
		if op.mask>>index&1 == 0 || key == 0 {
			continue
		}
		s.accessKey(int(op.table), index, key, false)
		hit, wait := s.findDirty(sess, int(op.table), index, key, none)
		if wait != none {
			return answer(s.waitFor(sess, wait), none)
		}
		if hit != none {
			return answer(Conflict, hit)
		}
	}
	return answer(OK, none)
}
