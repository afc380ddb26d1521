package checker

// takeBack undoes the decision of a level and what follows from it. The levels
// above stay.
func (s *solver) takeBack(level int32) {
	if int(level) > len(s.choices) || s.choices[level-1] == gone {
		return
	}
	s.todo = append(s.todo[:0], s.choices[level-1])
	s.choices[level-1] = gone
	for len(s.todo) > 0 {
		l := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if s.is(l) != 1 {
			continue
		}
		s.forget(l)
		for u := s.uses[l.not()]; u >= 0; u = s.links[u].next {
			c := s.links[u].clause
			if k := s.clauses[c].lits[0]; s.is(k) == 1 && s.reason[k.of()] == c {
				s.todo = append(s.todo, k)
			}
		}
	}
	for n := len(s.choices); n > 0 && s.choices[n-1] == gone; n-- {
		s.choices = s.choices[:n-1]
	}
	s.closeGaps()
}

// forget takes the value of a true literal away.
func (s *solver) forget(l lit) {
	v := l.of()
	s.th.retract(l)
	s.trail[s.place[v]] = gone
	s.gaps++
	s.value[v] = 0
	s.heap.restore(v)
}

// closeGaps makes the trail shorter when half of it is gone.
func (s *solver) closeGaps() {
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
		s.place[l.of()] = int32(len(kept))
		kept = append(kept, l)
	}
	s.trail, s.head, s.gaps = kept, propagated, 0
}

// restart undoes all decisions.
func (s *solver) restart() {
	for len(s.choices) > 0 {
		s.takeBack(int32(len(s.choices)))
	}
}
