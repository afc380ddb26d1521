package checker

import "context"

// lit is a variable or its negation: 2v and 2v+1.
type lit int32

func (l lit) not() lit  { return l ^ 1 }
func (l lit) of() int32 { return int32(l >> 1) }

// theory is what the solver's variables mean.
type theory interface {
	// assert adds what a literal means. When that contradicts literals asserted
	// before, it returns these, and the transactions that show it.
	assert(l lit) (conflict []lit, txns []int32)
	// probe returns the same for a literal not asserted, when it is easily found.
	probe(l lit) (conflict []lit, txns []int32)
	// size is how much has been asserted; undo goes back to a size.
	size() int
	undo(size int)
	// prefer returns the literal of v to be tried first.
	prefer(v int32) lit
	// complete is called when the variables asked for have values: the theory may
	// ask for more.
	complete()
}

// solver decides a conjunction of clauses modulo a theory: conflict-driven clause
// learning with two watched literals, first unique implication points, activities
// that decay and Luby restarts (Moskewicz et al., "Chaff", DAC 2001; Eén and
// Sörensson, "An extensible SAT-solver", SAT 2003). There are no clauses but those
// of the theory, which come as they are needed, and what is learned from them.
//
// Only variables that the theory asks for get values. One whose value is undone
// gets none again until the theory asks, which is what makes going back cheap: the
// order of the graph stays as it is, and mostly what was decided still holds in it.
type solver struct {
	th      theory
	clauses []clause
	watch   [][]int32 // by literal: clauses that watch it
	value   []int8    // by variable: 0 unknown, 1 true, -1 false
	level   []int32
	reason  []int32 // by variable: a clause, or -1 for a decision
	trail   []lit
	limits  []limit // by decision level
	head    int     // literals of the trail that have been propagated
	heap    varHeap
	seen    []bool
	refuted []int32 // clauses that are contradictory, and ^v for a variable fixed before
}

// limit is where a decision level begins.
type limit struct{ trail, theory int }

// clause is a disjunction, the watched literals first. It is a lemma of the
// theory, shown by transactions, or learned from others.
type clause struct {
	lits []lit
	txns []int32
	from []int32 // clauses, and ^v for a variable that had its value before the search
}

func newSolver(th theory) *solver { return &solver{th: th} }

// add makes a variable; those of lower rank are decided first.
func (s *solver) add(rank int64) int32 {
	v := int32(len(s.value))
	s.value = append(s.value, 0)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, -1)
	s.seen = append(s.seen, false)
	s.watch = append(s.watch, nil, nil)
	s.heap.add(v, rank)
	return v
}

// ask makes sure that v gets a value; it reports whether it has none.
func (s *solver) ask(v int32) bool {
	if s.value[v] != 0 {
		return false
	}
	s.heap.restore(v)
	return true
}

func (s *solver) is(l lit) int8 {
	if l&1 == 0 {
		return s.value[l.of()]
	}
	return -s.value[l.of()]
}

// fix makes l true for good, shown by transactions; false on a contradiction.
// It may be called before the search only.
func (s *solver) fix(l lit, txns []int32) bool {
	c := s.learn(clause{lits: []lit{l}, txns: txns})
	switch s.is(l) {
	case 1:
		return true
	case -1:
		s.refuted = []int32{c, ^l.of()}
		return false
	}
	s.enqueue(l, c)
	return true
}

func (s *solver) learn(c clause) int32 {
	id := int32(len(s.clauses))
	s.clauses = append(s.clauses, c)
	if len(c.lits) > 1 {
		s.watch[c.lits[0]] = append(s.watch[c.lits[0]], id)
		s.watch[c.lits[1]] = append(s.watch[c.lits[1]], id)
	}
	return id
}

func (s *solver) enqueue(l lit, reason int32) {
	v := l.of()
	s.value[v] = 1 - int8(l&1)*2
	s.level[v] = int32(len(s.limits))
	s.reason[v] = reason
	s.trail = append(s.trail, l)
}

// propagate draws conclusions until there are no more; it returns a clause that
// is false, or -1.
func (s *solver) propagate() int32 {
	for ; s.head < len(s.trail); s.head++ {
		l := s.trail[s.head]
		if c := s.visit(l.not()); c >= 0 {
			return c
		}
		if conflict, txns := s.th.assert(l); conflict != nil {
			lits := make([]lit, len(conflict))
			for i, k := range conflict {
				lits[i] = k.not()
			}
			s.conflictFirst(lits)
			return s.learn(clause{lits: lits, txns: txns})
		}
	}
	return -1
}

// conflictFirst puts the literals of the highest levels where they are watched.
func (s *solver) conflictFirst(lits []lit) {
	for k := range min(2, len(lits)) {
		for i := k + 1; i < len(lits); i++ {
			if s.level[lits[i].of()] > s.level[lits[k].of()] {
				lits[i], lits[k] = lits[k], lits[i]
			}
		}
	}
}

// visit looks at the clauses that watch l, which has become false.
func (s *solver) visit(l lit) int32 {
	ws := s.watch[l]
	keep := ws[:0]
	for i, c := range ws {
		lits := s.clauses[c].lits
		if lits[0] == l {
			lits[0], lits[1] = lits[1], lits[0]
		}
		if s.is(lits[0]) == 1 || !s.rewatch(c, lits) {
			keep = append(keep, c)
			if s.is(lits[0]) == -1 {
				keep = append(keep, ws[i+1:]...)
				s.watch[l] = keep
				return c
			}
			if s.is(lits[0]) == 0 {
				s.enqueue(lits[0], c)
			}
		}
	}
	s.watch[l] = keep
	return -1
}

// rewatch lets the clause watch another literal in place of its second.
func (s *solver) rewatch(c int32, lits []lit) bool {
	for j := 2; j < len(lits); j++ {
		if s.is(lits[j]) != -1 {
			lits[1], lits[j] = lits[j], lits[1]
			s.watch[lits[1]] = append(s.watch[lits[1]], c)
			return true
		}
	}
	return false
}

// backtrack undoes all above a decision level.
func (s *solver) backtrack(level int) {
	if len(s.limits) <= level {
		return
	}
	at := s.limits[level]
	for i := at.trail; i < len(s.trail); i++ {
		v := s.trail[i].of()
		s.value[v] = 0
		s.heap.restore(v)
	}
	s.trail = s.trail[:at.trail]
	s.head = at.trail
	s.th.undo(at.theory)
	s.limits = s.limits[:level]
}

// solve searches an assignment that the theory accepts. It is false when there
// is none: refutation tells why.
func (s *solver) solve(ctx context.Context) (bool, error) {
	for restart := 1; ; restart++ {
		for budget := 100 * luby(restart); budget > 0; {
			c := s.propagate()
			if c >= 0 {
				if len(s.limits) == 0 {
					s.refuted = []int32{c}
					return false, nil
				}
				budget--
				s.resolve(c)
				if budget%64 == 0 && ctx.Err() != nil {
					return false, ctx.Err()
				}
				continue
			}
			v, ok := s.choose()
			if ok {
				s.decide(s.th.prefer(v))
				continue
			}
			s.th.complete()
			if s.heap.empty() {
				return true, nil
			}
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
		}
		s.backtrack(0)
	}
}

// decide makes l true, or false when the theory contradicts it at once: that
// spares going back.
func (s *solver) decide(l lit) {
	conflict, txns := s.th.probe(l)
	if conflict == nil {
		s.limits = append(s.limits, limit{len(s.trail), s.th.size()})
		s.enqueue(l, -1)
		return
	}
	lits := []lit{l.not()}
	for _, k := range conflict {
		if k != l {
			lits = append(lits, k.not())
		}
	}
	s.conflictFirst(lits[1:])
	s.enqueue(l.not(), s.learn(clause{lits: lits, txns: txns}))
}

// choose takes the most active variable without a value.
func (s *solver) choose() (int32, bool) {
	for {
		v, ok := s.heap.pop()
		if !ok || s.value[v] == 0 {
			return v, ok
		}
	}
}

// luby is the sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …
func luby(i int) int {
	for k := 1; ; k++ {
		if i == 1<<k-1 {
			return 1 << (k - 1)
		}
		if i < 1<<k-1 {
			return luby(i - (1<<(k-1) - 1))
		}
	}
}
