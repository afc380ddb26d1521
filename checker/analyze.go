package checker

import "slices"

// few is how many decisions may be taken back that have nothing to do with a conflict.
const few = 1000

// resolve learns from clause c, which is false: the last decision but for which it
// would not be is taken back, and what follows from it, and the first unique
// implication point there becomes false instead. Those between it and the one before
// it that matters are taken back too, unless they are many: they were made without
// knowing. It is false when there is no decision to take back.
func (s *solver) resolve(c int32) bool {
	top := s.highest(s.clauses[c].lits)
	if top == 0 {
		return false
	}
	s.watchHighest(c)
	if lits := s.clauses[c].lits; len(lits) > 1 && s.level[lits[1].of()] == top {
		lits, from := s.firstUIP(c, top)
		s.highestFirst(lits[1:])
		c = s.learn(clause{lits: lits, from: from})
	}
	lits := s.clauses[c].lits
	level := s.highest(lits[1:])
	s.takeBack(top)
	if top-level <= few {
		for k := top - 1; k > level; k-- {
			s.takeBack(k)
		}
	}
	s.enqueue(lits[0], c, level)
	s.heap.decay()
	return true
}

// firstUIP resolves c with the reasons of its literals of the level until one is
// left, which comes first in the result.
func (s *solver) firstUIP(c, level int32) (lits []lit, from []int32) {
	lits = []lit{0}
	open := s.open[:0]
	s.marked = s.marked[:0]
	for {
		from = append(from, c)
		for _, l := range s.clauses[c].lits {
			v := l.of()
			if s.seen[v] {
				continue
			}
			s.seen[v] = true
			s.marked = append(s.marked, v)
			s.heap.bump(v)
			switch s.level[v] {
			case level:
				open = append(open, s.place[v])
			case 0: // refutation sees to it
			default:
				lits = append(lits, l)
			}
		}
		last := 0
		for i := range open {
			if open[i] > open[last] {
				last = i
			}
		}
		l := s.trail[open[last]]
		open = slices.Delete(open, last, last+1)
		if len(open) == 0 {
			lits[0] = l.not()
			break
		}
		c = s.reason[l.of()]
	}
	s.open = open
	for _, v := range s.marked {
		s.seen[v] = false
	}
	return lits, from
}

// refutation returns the transactions that show that there is no assignment.
func (s *solver) refutation() []int32 {
	txns := []int32{}
	clauses, vars := make(map[int32]bool), make(map[int32]bool)
	todo := []int32{s.refuted} // clauses, and ^v for a variable that has its value before all decisions
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c < 0 {
			switch v := ^c; {
			case vars[v]:
			case s.reason[v] == fixed:
				txns = append(txns, s.th.shown(v)...)
			default:
				todo = append(todo, s.reason[v])
			}
			vars[^c] = true
			continue
		}
		if clauses[c] {
			continue
		}
		clauses[c] = true
		txns = append(txns, s.clauses[c].txns...)
		todo = append(todo, s.clauses[c].from...)
		for _, l := range s.clauses[c].lits {
			if s.value[l.of()] != 0 && s.level[l.of()] == 0 && s.reason[l.of()] != c {
				todo = append(todo, ^l.of())
			}
		}
	}
	slices.Sort(txns)
	return slices.Compact(txns)
}
