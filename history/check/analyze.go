package check

import "slices"

// Conflict analysis: the solver learns a clause from a false clause, undoes decisions,
// and at the end names the transactions of a refutation (Marques-Silva and Sakallah,
// "GRASP", ICCAD 1996; the first unique implication point as in Chaff).

// nearDecisions bounds how many unrelated decisions a conflict undoes.
const nearDecisions = 1000

// analyze resolves the conflict of clause c, which is false. It learns the clause of the
// first unique implication point, undoes the highest decision that c depends on, and
// propagates the learned clause. It also undoes the decisions between that one and the
// next lower one that the learned clause depends on, unless they are many. It returns
// false when c depends on no decision.
func (s *solver) analyze(c int32) bool {
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
	s.undo(top)
	if top-level <= nearDecisions {
		for k := top - 1; k > level; k-- {
			s.undo(k)
		}
	}
	s.enqueue(lits[0], c, level)
	s.heap.decay()
	return true
}

// firstUIP resolves c with the reasons of its literals of the level until one such
// literal is left. That literal comes first in the result. from lists the clauses used.
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
				open = append(open, s.position[v])
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
