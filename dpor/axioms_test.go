package dpor_test

import "github.com/txmc/txmc/isolation"

// The isolation levels by definition (PLDI 2023, section 2.2): a history satisfies
// a level when some strict total order co ⊇ so ∪ wr satisfies, for every external
// read e of x from t1, in t3, and every t2 ≠ t1 that writes x:
// φ(t2, e) ⇒ (t2, t1) ∈ co.

// relations are what the axioms speak about; transactions are numbered, 0 is the
// initial one.
type relations struct {
	n      int
	ids    []txnID
	sowr   [][]bool // so ∪ wr
	causal [][]bool // (so ∪ wr)⁺
	writes []map[int]bool
	reads  [][]extRead // by transaction, in program order
}

// extRead is an external read of v in the transaction t3, from t1.
type extRead struct {
	t1, t3, v, place int // place counts the external reads of t3
}

func relate(h *refHistory) *relations {
	number := map[txnID]int{initID: 0}
	ids := []txnID{initID}
	for s, logs := range h.sessions {
		for i := range logs {
			id := txnID{s, i}
			number[id] = len(ids)
			ids = append(ids, id)
		}
	}
	g := &relations{n: len(ids), ids: ids, sowr: matrix(len(ids)), reads: make([][]extRead, len(ids))}
	g.writes = append(g.writes, map[int]bool{})
	for v := range variables {
		g.writes[0][v] = true
	}
	for t3 := 1; t3 < g.n; t3++ {
		id := ids[t3]
		log := &h.sessions[id.session][id.index]
		for t := range t3 {
			g.sowr[t][t3] = t == 0 || ids[t].session == id.session || id.session == h.final
		}
		writes := map[int]bool{}
		for _, s := range log.steps {
			if s.write && log.status == committed {
				writes[s.v] = true
			}
			if !s.write && !s.own {
				t1 := number[s.from]
				g.sowr[t1][t3] = true
				g.reads[t3] = append(g.reads[t3], extRead{t1, t3, s.v, len(g.reads[t3])})
			}
		}
		g.writes = append(g.writes, writes)
	}
	g.causal = closure(g.sowr)
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

// phi is φ(t2, e) of level l; co[t] is the place of t in the commit order.
func (g *relations) phi(l isolation.Level, co []int, t2 int, e extRead) bool {
	switch l {
	case isolation.RC: // some read po-before e in t3 reads from t2
		for _, d := range g.reads[e.t3] {
			if d.place < e.place && d.t1 == t2 {
				return true
			}
		}
		return false
	case isolation.RA: // (t2, t3) ∈ so ∪ wr
		return g.sowr[t2][e.t3]
	case isolation.CC: // (t2, t3) ∈ (so ∪ wr)⁺
		return g.causal[t2][e.t3]
	case isolation.PC: // ∃t4: (t2, t4) ∈ co*, (t4, t3) ∈ so ∪ wr
		for t4 := range g.n {
			if co[t2] <= co[t4] && g.sowr[t4][e.t3] {
				return true
			}
		}
		return false
	case isolation.SI: // that, or ∃t4,y: t3 and t4 write y, (t2, t4) ∈ co*, (t4, t3) ∈ co
		for t4 := range g.n {
			for y := range variables {
				if g.writes[e.t3][y] && g.writes[t4][y] && co[t2] <= co[t4] && co[t4] < co[e.t3] {
					return true
				}
			}
		}
		return g.phi(isolation.PC, co, t2, e)
	case isolation.SER: // (t2, t3) ∈ co
		return co[t2] < co[e.t3]
	}
	return false
}

// axiom reports whether co satisfies the axiom of l for the read e.
func (g *relations) axiom(l isolation.Level, co []int, e extRead) bool {
	for t2 := range g.n {
		if t2 != e.t1 && g.writes[t2][e.v] && g.phi(l, co, t2, e) && co[t2] > co[e.t1] {
			return false
		}
	}
	return true
}

// satisfiesLiteral tries every total order that extends so ∪ wr.
func satisfiesLiteral(h *refHistory, l isolation.Level) bool {
	g := relate(h)
	return g.orders(func(co []int, _ int, complete bool) bool {
		if !complete {
			return true
		}
		for _, reads := range g.reads {
			for _, e := range reads {
				if !g.axiom(l, co, e) {
					return false
				}
			}
		}
		return true
	})
}

// satisfies drops a commit order as soon as the transaction placed last has a read
// that breaks the axiom. All that φ of its reads speaks about is placed by then:
// at every level φ(t2, e) implies that t2, and the t4 between, precede t3. A
// transaction not yet placed counts as later than all others.
func satisfies(h *refHistory, l isolation.Level) bool {
	g := relate(h)
	return g.satisfies(l)
}

func (g *relations) satisfies(l isolation.Level) bool {
	return g.orders(func(co []int, t3 int, _ bool) bool {
		for _, e := range g.reads[t3] {
			if !g.axiom(l, co, e) {
				return false
			}
		}
		return true
	})
}

// orders builds the total orders that extend so ∪ wr, transaction by transaction,
// and reports whether one is complete. It drops those that keep turns down: keep
// gets the places so far, the transaction placed last, and whether that was the
// last one.
func (g *relations) orders(keep func(co []int, last int, complete bool) bool) bool {
	co := make([]int, g.n)
	for t := range co {
		co[t] = g.n // not placed
	}
	var place func(k int) bool
	place = func(k int) bool {
		if k == g.n {
			return true
		}
	next:
		for t := range g.n {
			if co[t] < g.n {
				continue
			}
			for u := range g.n {
				if g.sowr[u][t] && co[u] == g.n {
					continue next
				}
			}
			co[t] = k
			if keep(co, t, k == g.n-1) && place(k+1) {
				return true
			}
			co[t] = g.n
		}
		return false
	}
	return place(0)
}
