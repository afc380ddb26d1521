package postgres

// Scans: heapam's heap_getnextslot and index_getnext_slot. A sequential scan
// meets all versions of a table in physical order; it collects them at its start,
// because a scan reads a page at a time and our tables have one. An index scan
// meets the versions under a key.

// ScanTable lists the versions of a table that the session's statement sees, in
// physical order. of says which of them the statement can tell apart from
// absent. With latest it uses a snapshot taken now instead of the statement's.
// The slice is valid until the next scan.
func (s *State) ScanTable(sess int, of Read, latest bool) ([]TID, Code) {
	ses := &s.sessions[sess]
	s.ReadTable(sess, int(of.Table))
	if latest || ses.level == ReadCommitted {
		s.accessRead(of)
	}
	if latest {
		defer func(c int32) { ses.current = c }(ses.current)
		ses.current = s.commits
	}
	s.scratch = s.scratch[:0]
	s.meetInOrder(sess, of.Table)
	for _, t := range s.seeded(int(of.Table)) {
		if c := s.scan(sess, t); c != NoError {
			return nil, c
		}
	}
	for t := range s.after(int(of.Table)) {
		if c := s.scan(sess, t); c != NoError {
			return nil, c
		}
	}
	s.lookAtOrder(of.Table, s.scratch)
	return s.scratch, NoError
}

// lookAtOrder says that a scan has found versions in their physical order, where it could be
// another one: that of the seed is always the same, and what comes after the seed follows it.
func (s *State) lookAtOrder(table uint8, list []TID) {
	n := 0
	for _, t := range list {
		if t >= s.seeds() {
			n++
		}
	}
	if n > 1 {
		s.looks.LookAtOrder(table)
	}
}

// meetInOrder says that the order counts of versions that a scan at SERIALIZABLE meets, also of
// those that are not visible: it may fail at the first of them.
func (s *State) meetInOrder(sess int, table uint8) {
	if s.sessions[sess].record == none {
		return
	}
	n := 0
	for range s.after(int(table)) {
		n++
	}
	if n > 1 {
		s.looks.LookAtOrder(table)
	}
}

// scan meets a version and keeps it if it is visible.
func (s *State) scan(sess int, t TID) Code {
	visible, c := s.Meet(sess, t)
	if visible && c == NoError {
		s.scratch = append(s.scratch, t)
	}
	return c
}

// Meet is what a scan of the session's statement does with a version: it reports
// whether the statement sees it, and fails if reading around its writer would not
// be serializable. A client that scans by itself calls ReadTable or ReadIndex
// first, and ReadVersion for what an index scan returns.
func (s *State) Meet(sess int, t TID) (visible bool, c Code) {
	visible = s.visible(sess, s.at(t))
	return visible, s.conflictOut(sess, t, visible)
}

// ScanKey lists the versions that the session's statement sees under a key of a unique index.
// Mostly there is at most one. A transaction with a snapshot of its own may see two: another
// transaction has deleted a row since, and this one has inserted the key again. The slice is
// valid until the next scan.
func (s *State) ScanKey(sess, table, index int, key int32) ([]TID, Code) {
	s.ReadIndex(sess, table, index)
	if s.sessions[sess].level == ReadCommitted {
		s.accessRead(Read{Kind: ReadKey, Table: uint8(table), Index: uint8(index), Value: key})
	}
	s.scratch = s.scratch[:0]
	code := NoError
	s.entries(table, index, key, func(entry TID) bool {
		s.chain(entry, func(t TID) bool {
			visible := false
			if visible, code = s.Meet(sess, t); visible && code == NoError {
				s.scratch = append(s.scratch, t)
				s.ReadVersion(sess, t)
			}
			return visible || code != NoError
		})
		return code != NoError
	})
	return s.scratch, code
}

// Sees reports whether the session's statement sees a version.
func (s *State) Sees(sess int, t TID) bool { return s.visible(sess, s.at(t)) }

// Mine reports whether the session's running transaction made a version.
func (s *State) Mine(sess int, t TID) bool { return s.mine(sess, s.at(t).xmin) }

// Committed lists the versions of a table that a transaction that begins now
// would see, in physical order.
func (s *State) Committed(table int) []TID {
	var out []TID
	for _, t := range s.seeded(table) {
		if s.lasts(s.at(t)) {
			out = append(out, t)
		}
	}
	for t, v := range s.after(table) {
		if s.lasts(v) {
			out = append(out, t)
		}
	}
	return out
}
