package postgres

// Writing row versions: heap_update, heap_delete, heap_insert.

// Update replaces a version by a new one with this row, as heap_update does. It
// answers OK with the new version; if NeedsIndexes, the client then calls Enter
// for each unique index in order. Updated and Deleted mean that a committed
// transaction was there first.
func (s *State) Update(sess int, t TID, r Row) Answer {
	s.sessions[sess].op = operation{kind: opUpdate, tid: t, row: r, mode: s.updateMode(t, r)}
	return s.modify(sess)
}

// Delete deletes a version, as heap_delete does.
func (s *State) Delete(sess int, t TID) Answer {
	s.sessions[sess].op = operation{kind: opDelete, tid: t, mode: ForUpdate}
	return s.modify(sess)
}

// Move is Delete where the row goes to another partition of its table.
func (s *State) Move(sess int, t TID) Answer {
	s.sessions[sess].op = operation{kind: opDelete, tid: t, mode: ForUpdate, moves: true}
	return s.modify(sess)
}

// updateMode is the row lock of an update: FOR UPDATE if it changes the value
// of a column of a unique index (heap_update, key_attrs).
func (s *State) updateMode(t TID, r Row) Mode {
	unkeyed := s.tables[s.at(t).table].Unkeyed
	for i, k := range s.at(t).row.Keys {
		if k != r.Keys[i] && unkeyed>>i&1 == 0 {
			return ForUpdate
		}
	}
	return NoKeyUpdate
}

func equalKeys(a, b []int32) bool {
	for i, k := range a {
		if k != b[i] {
			return false
		}
	}
	return true
}

// modify goes on with an update or delete.
func (s *State) modify(sess int) Answer {
	op := &s.sessions[sess].op
	s.accessVersion(op.tid, false)
	r := s.fate(sess, op.tid)
	if r == beingModified {
		h := s.holders(sess, op.tid, op.mode)
		if h.foe != none {
			if !h.member {
				if q := s.enqueue(sess, op.tid, op.mode, true); q != OK {
					return answer(q, op.tid)
				}
			}
			return answer(s.waitFor(sess, h.foe), op.tid)
		}
		r = s.at(op.tid).settled(s)
	}
	if r == OK {
		return s.write(sess)
	}
	s.unqueue(sess)
	a := Answer{Result: r, TID: op.tid, Mode: op.mode}
	if r == Updated && s.sessions[sess].level == ReadCommitted && s.yield(sess) {
		op.kind, op.saved = opAnswer, a
		return answer(Blocked, none)
	}
	return a
}

// write marks the version as updated or deleted and makes the new one.
func (s *State) write(sess int) Answer {
	op := &s.sessions[sess].op
	t := op.tid
	if c := s.conflictInVersion(sess, t); c != NoError {
		return failure(c)
	}
	x := s.writer(sess)
	v := s.own(t)
	v.xmax, v.cmax, v.next, v.moved = x, s.sessions[sess].cid, none, op.moves
	v.key = s.strongest(sess, t, op.mode) == ForUpdate
	if op.kind == opDelete {
		s.unqueue(sess)
		return answer(OK, t)
	}
	n := s.appendVersion(sess, int(v.table), op.row)
	nv := s.own(n)
	v = s.own(t)
	nv.hot = equalKeys(v.row.Keys, op.row.Keys) && v.row.Indexed == op.row.Indexed
	v.next = n
	s.carryLockers(sess, t, n)
	s.accessVersion(n, false)
	s.unqueue(sess)
	return answer(OK, n)
}

// strongest is the mode, or the stronger one in which the session has locked
// the version: an update under one's own FOR UPDATE counts as a key update
// (compute_new_xmax_infomask).
func (s *State) strongest(sess int, t TID, m Mode) Mode {
	for _, l := range s.lockers {
		if l.tid == t && s.mine(sess, l.xid) {
			m = max(m, l.mode)
		}
	}
	return m
}

// carryLockers makes the other lockers of a version lockers of its successor:
// the update did not conflict with them.
func (s *State) carryLockers(sess int, from, to TID) {
	for _, l := range s.lockers {
		if l.tid == from && !s.mine(sess, l.xid) {
			s.lockers = append(s.lockers, locker{to, l.xid, l.mode})
		}
	}
}

func (s *State) appendVersion(sess, table int, r Row) TID {
	v := newVersion(table, r)
	v.xmin, v.cmin = s.writer(sess), s.sessions[sess].cid
	s.access(Access{kind: appends, table: uint8(table)})
	s.heap = append(s.heap, v)
	return s.versions() - 1
}

// NeedsIndexes reports whether a version that Update made has to enter the
// indexes.
func (s *State) NeedsIndexes(t TID) bool { return !s.at(t).hot }

// Insert puts a new version in the heap, as heap_insert does. The client then
// calls Enter for each unique index in order.
func (s *State) Insert(sess, table int, r Row) Answer {
	if c := s.conflictInTable(sess, table); c != NoError {
		return failure(c)
	}
	return answer(OK, s.appendVersion(sess, table, r))
}
