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
	for i := range s.heap {
		if s.heap[i].table != of.Table {
			continue
		}
		visible, c := s.Meet(sess, TID(i))
		if c != NoError {
			return nil, c
		}
		if visible {
			s.scratch = append(s.scratch, TID(i))
		}
	}
	return s.scratch, NoError
}

// Meet is what a scan of the session's statement does with a version: it reports
// whether the statement sees it, and fails if reading around its writer would not
// be serializable. A client that scans by itself calls ReadTable or ReadIndex
// first, and ReadVersion for what an index scan returns.
func (s *State) Meet(sess int, t TID) (visible bool, c Code) {
	visible = s.visible(sess, &s.heap[t])
	return visible, s.conflictOut(sess, t, visible)
}

// ScanKey lists the versions that the session's statement sees under a key of a
// unique index: one at most. The slice is valid until the next scan.
func (s *State) ScanKey(sess, table, index int, key int32) ([]TID, Code) {
	s.ReadIndex(sess, table, index)
	if s.sessions[sess].level == ReadCommitted {
		s.accessRead(Read{Kind: ReadKey, Table: uint8(table), Index: uint8(index), Value: key})
	}
	s.scratch = s.scratch[:0]
	code := NoError
	s.lookup(table, index, key, func(t TID) bool {
		visible := false
		if visible, code = s.Meet(sess, t); visible && code == NoError {
			s.scratch = append(s.scratch, t)
			s.ReadVersion(sess, t)
		}
		return visible || code != NoError
	})
	return s.scratch, code
}

// Sees reports whether the session's statement sees a version.
func (s *State) Sees(sess int, t TID) bool { return s.visible(sess, &s.heap[t]) }

// Mine reports whether the session's running transaction made a version.
func (s *State) Mine(sess int, t TID) bool { return s.mine(sess, s.heap[t].xmin) }

// Committed lists the versions of a table that a transaction that begins now
// would see, in physical order.
func (s *State) Committed(table int) []TID {
	var out []TID
	for i := range s.heap {
		v := &s.heap[i]
		if int(v.table) == table && s.xids[v.xmin].status == committed && (v.xmax == none || s.xids[v.xmax].status != committed) {
			out = append(out, TID(i))
		}
	}
	return out
}
