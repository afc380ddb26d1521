package check

// Undoing decisions, one at a time: decisions of higher levels stay (chronological
// backtracking: Nadel and Ryvchin, SAT 2018).

// undo undoes the decision of a level and what follows from it. The levels
// above stay.
func (s *solver) undo(level int32) {
	if int(level) > len(s.decisions) || s.decisions[level-1] == gone {
		return
	}
	s.todo = append(s.todo[:0], s.decisions[level-1])
	s.decisions[level-1] = gone
	for len(s.todo) > 0 {
		l := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if s.is(l) != 1 {
			continue
		}
		s.unassign(l)
		for u := s.uses[l.not()]; u >= 0; u = s.links[u].next {
			c := s.links[u].clause
			if k := s.clauses[c].lits[0]; s.is(k) == 1 && s.reason[k.of()] == c {
				s.todo = append(s.todo, k)
			}
		}
	}
	for n := len(s.decisions); n > 0 && s.decisions[n-1] == gone; n-- {
		s.decisions = s.decisions[:n-1]
	}
	s.compactTrail()
}

// unassign removes the value of a true literal.
func (s *solver) unassign(l lit) {
	v := l.of()
	s.th.retract(l)
	s.trail[s.position[v]] = gone
	s.gaps++
	s.value[v] = 0
	s.heap.restore(v)
}

// compactTrail removes the gaps from the trail when they are half of it.
func (s *solver) compactTrail() {
	if s.gaps <= len(s.trail)/2 {
		return
	}
	kept, propagated := s.trail[:0], 0
	for i, l := range s.trail {
		if l == gone {
			continue
		}
		if i < s.head {
			propagated++
		}
		s.position[l.of()] = int32(len(kept))
		kept = append(kept, l)
	}
	s.trail, s.head, s.gaps = kept, propagated, 0
}

// restart undoes all decisions.
func (s *solver) restart() {
	for len(s.decisions) > 0 {
		s.undo(int32(len(s.decisions)))
	}
}
