package isolation

// snapshot reports whether read points and write points can be placed. Every transaction
// reads from the state at its read point. That point comes after the write points of its
// so ∪ wr predecessors, and before its own write point. This is prefix consistency,
// φ(t2, e) = ∃t4: (t2, t4) ∈ co*, (t4, tr(e)) ∈ so ∪ wr. With exclusive, two transactions
// that write the same variable may not overlap either. This is snapshot isolation, which
// adds ∃t4, y: tr(e) and t4 write y, (t2, t4) ∈ co*, (t4, tr(e)) ∈ co. Nobody else may
// overwrite what a locking read returned before the write point of its transaction.
func (s *search) snapshot() bool {
	s.work.States++
	s.readEarly()
	first := s.unwritten(0)
	if first == s.n {
		return true
	}
	if s.dead.has(s.read, s.wrote) {
		return false
	}
	for t := first; t < s.n; t = s.unwritten(t + 1) {
		s.work.Tries++
		rows, order := s.save()
		if s.advance(t) {
			only := s.alone(t, rows) && s.delaysNobody(t)
			if s.snapshot() {
				return true
			}
			if only {
				s.restore(rows, order)
				break
			}
		}
		s.restore(rows, order)
	}
	s.dead.add(s.read, s.wrote)
	return false
}

// advance lets t write next, if it may: everybody else who reads what t overwrites must
// have read it. In a late search they read now, at the last moment, and so does t: the
// later a transaction reads, the fewer it overlaps.
func (s *search) advance(t int) bool {
	if !s.follows(t) {
		return false
	}
	if !s.late {
		if !s.read.Has(t) || !s.mayOverwrite(t) {
			return false
		}
	} else if !s.open(t) || !s.openReaders(t) {
		return false
	}
	s.wrote.Add(t)
	s.order = append(s.order, int32(t))
	return true
}

// alone reports whether t has written and nobody had to read for that. Then all
// transactions that have read now had read before, at the saved row, or are t.
func (s *search) alone(t, saved int) bool {
	before := s.saved.Row(saved)
	for w, b := range s.read {
		if b &^= before[w]; w == t>>6 {
			b &^= 1 << (t & 63)
		}
		if b != 0 {
			return false
		}
	}
	return true
}

// open lets t read now, unless it has, and reports whether it may.
func (s *search) open(t int) bool {
	if s.read.Has(t) {
		return true
	}
	if !s.mayRead(t) || s.exclusive && s.conflicts(t) {
		return false
	}
	s.read.Add(t)
	return true
}

// openReaders lets everybody read who reads what t overwrites. Who reads it by a
// locking read must have written as well.
func (s *search) openReaders(t int) bool {
	for _, w := range s.h.Txns[t].Writes {
		for i := s.reads[w.Var]; i >= 0; i = s.prior[i] {
			r := &s.h.Reads[i]
			if !s.wrote.Has(int(r.From)) {
				continue
			}
			if u := int(r.Txn); !s.open(u) || r.Lock && u != t && !s.wrote.Has(u) {
				return false
			}
		}
	}
	return true
}

// readEarly places what only makes more room for the others: transactions
// without writes, and, when overlapping is no matter, every read point. What must precede
// them stands before them.
func (s *search) readEarly() {
	for t := s.unwritten(0); t < s.n; t = s.unwritten(t + 1) {
		if s.read.Has(t) || !s.mayRead(t) {
			continue
		}
		if !s.writes(t) {
			s.read.Add(t)
			s.wrote.Add(t)
		} else if !s.late {
			s.read.Add(t)
		}
	}
}

// mayRead reports whether t's so ∪ wr predecessors have written. Nobody has
// overwritten what t reads since: mayOverwrite sees to that.
func (s *search) mayRead(t int) bool { return s.wrote.Contains(s.h.Past(t)) }

// conflicts reports whether a transaction that has read and not yet written
// writes a variable that t writes.
func (s *search) conflicts(t int) bool {
	for u := s.unwritten(0); u < s.n; u = s.unwritten(u + 1) {
		if u == t || !s.read.Has(u) {
			continue
		}
		for _, w := range s.h.Txns[t].Writes {
			for _, v := range s.h.Txns[u].Writes {
				if w.Var == v.Var {
					return true
				}
			}
		}
	}
	return false
}
