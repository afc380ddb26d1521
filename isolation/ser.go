package isolation

// serial reports whether the transactions not yet placed can be placed one after
// another in such a way that every read sees the last write. This is serializability,
// φ(t2, e) = (t2, tr(e)) ∈ co.
func (s *search) serial() bool {
	s.work.States++
	s.placeReaders()
	t := s.unwritten(0)
	if t == s.n {
		return true
	}
	if s.dead.has(s.read, s.wrote) {
		return false
	}
	for ; t < s.n; t = s.unwritten(t + 1) {
		s.work.Tries++
		if !s.writes(t) || !s.follows(t) || !s.mayOverwrite(t) {
			continue
		}
		rows, order := s.save()
		only := s.delaysNobody(t)
		s.commit(t)
		if s.serial() {
			return true
		}
		s.restore(rows, order)
		if only {
			break
		}
	}
	s.dead.add(s.read, s.wrote)
	return false
}

func (s *search) commit(t int) {
	s.read.Add(t)
	s.wrote.Add(t)
	s.order = append(s.order, int32(t))
}

// placeReaders places every transaction without writes as early as it can be:
// that only makes more room for the others.
func (s *search) placeReaders() {
	for again := true; again; {
		again = false
		for t := s.unwritten(0); t < s.n; t = s.unwritten(t + 1) {
			if !s.writes(t) && s.follows(t) {
				s.commit(t)
				again = true
			}
		}
	}
}
