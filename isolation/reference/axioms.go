// Package reference has the definitions of Bouajjani, Enea, Román-Calvo, PLDI 2023, section 2, in
// their slow, obvious form: the axioms of the levels ([Relations.Phi]), histories, and all
// histories of a program. Only tests import it: they hold the engines against it. It shares no
// code with the engines, and uses nothing of the package isolation but the names of the levels.
package reference

import "github.com/txmc/txmc/isolation"

// The axioms are about histories whose reads say where they read from.

// Relations are what the axioms speak about. Transactions are numbered; 0 is the
// initial one, which writes every variable.
type Relations struct {
	N      int
	SoWr   [][]bool       // so ∪ wr
	Causal [][]bool       // (so ∪ wr)⁺
	Writes []map[int]bool // by transaction: the variables whose write is visible
	Reads  [][]ReadFrom   // by transaction, external ones, in program order
	So     [][]bool       // session order
	Real   [][]bool       // real time: the first returned before the second was called; nil if nobody knows
}

// ReadFrom is an external read of Var in the transaction T3, from T1.
type ReadFrom struct {
	T1, T3, Var int
	Lock        bool // a locking read
}

// Relate makes relations of session order, given as a function, and the reads and
// writes of transactions 1, …, n-1. Transaction 0 precedes all others.
func Relate(n int, so func(t, u int) bool, reads [][]ReadFrom, writes []map[int]bool) *Relations {
	g := &Relations{N: n, SoWr: matrix(n), So: matrix(n), Reads: reads, Writes: writes}
	for t := range n {
		for u := 1; u < n; u++ {
			g.So[t][u] = t != u && (t == 0 || so(t, u))
			g.SoWr[t][u] = g.So[t][u]
		}
	}
	for _, rs := range reads {
		for _, e := range rs {
			g.SoWr[e.T1][e.T3] = true
		}
	}
	g.Causal = closure(g.SoWr)
	return g
}

func matrix(n int) [][]bool {
	m := make([][]bool, n)
	for i := range m {
		m[i] = make([]bool, n)
	}
	return m
}

func closure(r [][]bool) [][]bool {
	n := len(r)
	c := matrix(n)
	for i := range n {
		copy(c[i], r[i])
	}
	for k := range n {
		for i := range n {
			for j := range n {
				c[i][j] = c[i][j] || c[i][k] && c[k][j]
			}
		}
	}
	return c
}

// Acyclic reports whether so ∪ wr has no cycle.
func (g *Relations) Acyclic() bool {
	for i := range g.N {
		if g.Causal[i][i] {
			return false
		}
	}
	return true
}

// wrote reports whether transaction t writes x.
func (g *Relations) wrote(t, x int) bool { return t == 0 || g.Writes[t][x] }

// Phi is φ(t2, e) of level l, where e is read number i of transaction t3; co[t] is
// the place of t in the commit order.
func (g *Relations) Phi(l isolation.Level, co []int, t2, t3, i int) bool {
	switch l {
	case isolation.RC: // some read po-before e in t3 reads from t2
		for _, d := range g.Reads[t3][:i] {
			if d.T1 == t2 {
				return true
			}
		}
		return false
	case isolation.RA: // (t2, t3) ∈ so ∪ wr
		return g.SoWr[t2][t3]
	case isolation.CC: // (t2, t3) ∈ (so ∪ wr)⁺
		return g.Causal[t2][t3]
	case isolation.PC: // ∃t4: (t2, t4) ∈ co*, (t4, t3) ∈ so ∪ wr
		for t4 := range g.N {
			if co[t2] <= co[t4] && g.SoWr[t4][t3] {
				return true
			}
		}
		return false
	case isolation.SI: // that, or ∃t4,y: t3 and t4 write y, (t2, t4) ∈ co*, (t4, t3) ∈ co
		for t4 := range g.N {
			if co[t2] > co[t4] || co[t4] >= co[t3] {
				continue
			}
			for y, writes := range g.Writes[t3] {
				if writes && g.wrote(t4, y) {
					return true
				}
			}
		}
		return g.Phi(isolation.PC, co, t2, t3, i)
	case isolation.SER: // (t2, t3) ∈ co
		return co[t2] < co[t3]
	}
	return g.recorded(l, co, t2, t3, i)
}

// Locking is φ(t2, e) of the axiom of locking reads: a locking read of t3 sees all
// that comes before t3 in the commit order, at every level.
func (g *Relations) Locking(co []int, t2, t3, i int) bool {
	return g.Reads[t3][i].Lock && co[t2] < co[t3]
}

// Axiom reports whether co satisfies the axiom of l, and the axiom of locking reads,
// for read number i of t3. The read is from t1. Every other transaction t2 with φ(t2,
// e) that writes the variable must precede t1.
func (g *Relations) Axiom(l isolation.Level, co []int, t3, i int) bool {
	e := g.Reads[t3][i]
	for t2 := range g.N {
		if t2 != e.T1 && g.wrote(t2, e.Var) && (g.Phi(l, co, t2, t3, i) || g.Locking(co, t2, t3, i)) && co[t2] > co[e.T1] {
			return false
		}
	}
	return true
}

// Transaction reports whether co satisfies the axiom of l for all reads of t3.
func (g *Relations) Transaction(l isolation.Level, co []int, t3 int) bool {
	for i := range g.Reads[t3] {
		if !g.Axiom(l, co, t3, i) {
			return false
		}
	}
	return true
}

// Shows reports whether the strict total order co, given by the places of all
// transactions, extends so ∪ wr and satisfies the axiom of l.
func (g *Relations) Shows(l isolation.Level, co []int) bool {
	for t := range g.N {
		for u := range g.N {
			if t != u && co[t] == co[u] || (g.SoWr[t][u] || g.inTime(l, t, u)) && co[t] >= co[u] {
				return false
			}
		}
		if !g.Transaction(l, co, t) {
			return false
		}
	}
	return true
}

// SatisfiesLiterally tries every total order that extends so ∪ wr.
func (g *Relations) SatisfiesLiterally(l isolation.Level) bool {
	return g.Orders(func(co []int, _ int, complete bool) bool { return !complete || g.Shows(l, co) })
}

// Satisfies drops a commit order as soon as the transaction placed last has a read that
// breaks the axiom. All that φ of its reads speaks about is placed by then. At every
// level, and for locking reads, φ(t2, e) implies this for t2, and for the t4 between:
// they precede t3, or come after all so far. A transaction not yet placed counts as
// later than all others.
func (g *Relations) Satisfies(l isolation.Level) bool {
	return g.Orders(func(co []int, t3 int, _ bool) bool { return g.Transaction(l, co, t3) })
}

// Orders builds the total orders that extend so ∪ wr, transaction by transaction,
// and reports whether one is complete. It drops those that keep turns down: keep
// gets the places so far, the transaction placed last, and whether that was the
// last one.
func (g *Relations) Orders(keep func(co []int, last int, complete bool) bool) bool {
	co := make([]int, g.N)
	for t := range co {
		co[t] = g.N // not placed
	}
	return g.extend(co, 0, keep)
}

func (g *Relations) extend(co []int, k int, keep func(co []int, last int, complete bool) bool) bool {
	if k == g.N {
		return true
	}
	for t := range g.N {
		if co[t] < g.N || !g.mayFollow(co, t) {
			continue
		}
		co[t] = k
		if keep(co, t, k == g.N-1) && g.extend(co, k+1, keep) {
			return true
		}
		co[t] = g.N
	}
	return false
}

func (g *Relations) mayFollow(co []int, t int) bool {
	for u := range g.N {
		if g.SoWr[u][t] && co[u] == g.N {
			return false
		}
	}
	return true
}
