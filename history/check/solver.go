package check

import (
	"context"
	"slices"
)

// lit is a variable or its negation: 2v and 2v+1.
type lit int32

func (l lit) not() lit  { return l ^ 1 }
func (l lit) of() int32 { return int32(l >> 1) }

// theory is what the solver's variables mean.
type theory interface {
	// assert adds what a literal means. When that contradicts literals asserted
	// before, it adds nothing and returns these, and the transactions that show it.
	assert(l lit) (conflict []lit, txns []int32)
	// probe returns the same for a literal not asserted, when it is easily found.
	probe(l lit) (conflict []lit, txns []int32)
	// retract removes what a literal means, if it is there.
	retract(l lit)
	// prefer returns the literal of v to be tried first.
	prefer(v int32) lit
	// shown returns the transactions that show that a variable fixed has its value.
	shown(v int32) []int32
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
// Only variables that the theory has asked for get values, and there are very many
// that have little to do with each other: those of other times and other keys. A
// conflict therefore undoes one decision and what follows from it, and some made
// shortly before. Decisions made later stay, where most solvers undo them and decide
// again. So a literal may stand in the trail behind literals of higher levels, as with
// chronological backtracking (Nadel and Ryvchin, SAT 2018; Möhle and Biere, "Backing
// backtracking", SAT 2019). The invariants are in sanity.go.
type solver struct {
	th theory
	clauseSet
	assignment
	heap varHeap
	analysis
	work Work
}

// Work counts what a search for an order of commits does. It does not depend on the
// machine: two versions of the search compare by it.
type Work struct {
	Decisions    int64 // of choices, by the solver
	Conflicts    int64 // choices that contradict each other
	Propagations int64 // of literals
	Edges        int64 // of the graph, looked at to keep an order of it
	Steps        int64 // of a store's run that gives repeated values, looked at
}

// clauseSet has the clauses, and those of each literal as lists.
type clauseSet struct {
	clauses []clause
	watch   []int32 // by literal: the first link to a clause that watches it, or -1
	uses    []int32 // by literal: the first link to a clause that has it, or -1
	links   []link
	refuted int32 // the clause that is false whatever is decided
}

// assignment is what is true at present, and why.
type assignment struct {
	value     []int8 // by variable: 0 unknown, 1 true, -1 false
	level     []int32
	reason    []int32 // by variable: a clause, decision or fixed
	position  []int32 // by variable: where it stands in the trail
	trail     []lit   // what is true, in the order in which it became so; gone where it was undone
	gaps      int     // how often gone stands there
	decisions []lit   // by decision level from 1 on; gone where it was undone
	head      int     // literals of the trail that have been propagated
}

// analysis is scratch memory for the analysis of conflicts.
type analysis struct {
	seen   []bool // by variable
	marked []int32
	open   []int32
	todo   []lit
}

// link is a clause in a list, and the next link, or -1.
type link struct{ clause, next int32 }

// Reasons that are no clause.
const (
	decided int32 = -1 - iota
	fixed
)

// gone stands for a literal that was undone.
const gone lit = -1

// clause is a disjunction, the watched literals first. It is a lemma of the
// theory, shown by transactions, or learned from others.
type clause struct {
	lits []lit
	txns []int32
	from []int32 // clauses
}

func newSolver(th theory) *solver { return &solver{th: th} }

// reserve makes room for so many variables.
func (s *solver) reserve(n int) {
	s.value, s.seen = slices.Grow(s.value, n), slices.Grow(s.seen, n)
	s.level, s.reason, s.position = slices.Grow(s.level, n), slices.Grow(s.reason, n), slices.Grow(s.position, n)
	s.watch, s.uses = slices.Grow(s.watch, 2*n), slices.Grow(s.uses, 2*n)
	s.trail = slices.Grow(s.trail, n)
	s.heap.reserve(n)
}

// add makes a variable; those of lower rank are decided first.
func (s *solver) add(rank int64) int32 {
	v := int32(len(s.value))
	s.value = append(s.value, 0)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, decided)
	s.position = append(s.position, 0)
	s.seen = append(s.seen, false)
	s.watch = append(s.watch, -1, -1)
	s.uses = append(s.uses, -1, -1)
	s.heap.add(rank)
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

// fix makes l true for good. It may be called before the search only, once for a
// variable.
func (s *solver) fix(l lit) { s.enqueue(l, fixed, 0) }

func (s *solver) learn(c clause) int32 {
	id := int32(len(s.clauses))
	s.clauses = append(s.clauses, c)
	if len(c.lits) > 1 {
		for i, l := range c.lits {
			s.uses[l] = s.list(id, s.uses[l])
			if i < 2 {
				s.watch[l] = s.list(id, s.watch[l])
			}
		}
	}
	return id
}

// list returns a new link before next.
func (s *solver) list(clause, next int32) int32 {
	s.links = append(s.links, link{clause, next})
	return int32(len(s.links) - 1)
}

// solve searches an assignment that the theory accepts. It is false when there
// is none: refutation tells why.
func (s *solver) solve(ctx context.Context) (bool, error) {
	p := poller{ctx: ctx}
	for round := 1; ; round++ {
		for budget := s.patience() * luby(round); budget > 0; {
			if p.ended() {
				return false, ctx.Err()
			}
			if c := s.propagate(); c >= 0 {
				s.work.Conflicts++
				if !s.analyze(c) {
					s.refuted = c
					return false, nil
				}
				budget--
				continue
			}
			if v, ok := s.nextVariable(); ok {
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
		s.restart()
	}
}

// patience is the least number of conflicts between restarts. It grows with the trail, so
// that deciding everything again takes less time than the conflicts did.
func (s *solver) patience() int { return max(100, len(s.trail)/10) }

// decide makes l true, or false when the theory contradicts it at once: that
// spares going back.
func (s *solver) decide(l lit) {
	s.work.Decisions++
	conflict, txns := s.th.probe(l)
	if conflict == nil {
		s.decisions = append(s.decisions, l)
		s.enqueue(l, decided, int32(len(s.decisions)))
		return
	}
	lits := []lit{l.not()}
	for _, k := range conflict {
		if k != l {
			lits = append(lits, k.not())
		}
	}
	s.highestFirst(lits[1:])
	s.enqueue(l.not(), s.learn(clause{lits: lits, txns: txns}), s.highest(lits[1:]))
}

// nextVariable removes from the heap the most active variable without a value.
func (s *solver) nextVariable() (int32, bool) {
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
