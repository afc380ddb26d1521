package check

import "slices"

// enqueue makes l true, at a level: that of a decision, or the highest of the
// other literals of the clause that is the reason.
func (s *solver) enqueue(l lit, reason, level int32) {
	v := l.of()
	s.value[v] = 1 - int8(l&1)*2
	s.level[v] = level
	s.reason[v] = reason
	s.position[v] = int32(len(s.trail))
	s.trail = append(s.trail, l)
}

// propagate draws conclusions until there are no more; it returns a clause that
// is false, or -1.
func (s *solver) propagate() int32 {
	for ; s.head < len(s.trail); s.head++ {
		l := s.trail[s.head]
		if l == gone {
			continue
		}
		s.work.Propagations++
		if c := s.visit(l.not()); c >= 0 {
			return c
		}
		if conflict, txns := s.th.assert(l); conflict != nil {
			lits := make([]lit, len(conflict))
			for i, k := range conflict {
				lits[i] = k.not()
			}
			s.highestFirst(lits)
			if len(lits) > 1 {
				s.highestFirst(lits[1:])
			}
			return s.learn(clause{lits: lits, txns: txns})
		}
	}
	return -1
}

// visit looks at the clauses that watch l, which has become false.
func (s *solver) visit(l lit) int32 {
	at := &s.watch[l]
	for *at >= 0 {
		i := *at
		c := s.links[i].clause
		lits := s.clauses[c].lits
		if lits[0] == l {
			lits[0], lits[1] = lits[1], lits[0]
		}
		first := s.is(lits[0])
		if first == 1 {
			at = &s.links[i].next
			continue
		}
		k := 1 + slices.IndexFunc(lits[1:], func(k lit) bool { return s.is(k) != -1 })
		if k == 0 && first == -1 {
			return c
		}
		if k == 0 {
			s.highestFirst(lits[1:])
			s.enqueue(lits[0], c, s.level[lits[1].of()])
		} else {
			lits[1], lits[k] = lits[k], lits[1]
		}
		if lits[1] == l {
			at = &s.links[i].next
			continue
		}
		*at = s.links[i].next
		s.links[i].next = s.watch[lits[1]]
		s.watch[lits[1]] = i
	}
	return -1
}

// watchHighest lets the clause, which is false, watch literals of the highest
// levels, that of the highest first.
func (s *solver) watchHighest(c int32) {
	lits := s.clauses[c].lits
	if len(lits) < 2 {
		return
	}
	a, b := s.unwatch(lits[0], c), s.unwatch(lits[1], c)
	s.highestFirst(lits)
	s.highestFirst(lits[1:])
	s.links[a].next, s.watch[lits[0]] = s.watch[lits[0]], a
	s.links[b].next, s.watch[lits[1]] = s.watch[lits[1]], b
}

// unwatch takes the clause, which watches l, out of its list, and returns its link.
func (s *solver) unwatch(l lit, c int32) int32 {
	at := &s.watch[l]
	for s.links[*at].clause != c {
		at = &s.links[*at].next
	}
	i := *at
	*at = s.links[i].next
	return i
}

// highestFirst puts a literal of the highest level first.
func (s *solver) highestFirst(lits []lit) {
	for i := range lits {
		if s.level[lits[i].of()] > s.level[lits[0].of()] {
			lits[0], lits[i] = lits[i], lits[0]
		}
	}
}

// highest returns the highest level of the literals, 0 when there are none.
func (s *solver) highest(lits []lit) int32 {
	level := int32(0)
	for _, l := range lits {
		level = max(level, s.level[l.of()])
	}
	return level
}
