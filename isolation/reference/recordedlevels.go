package reference

import "github.com/txmc/txmc/isolation"

// The axioms of the levels of recorded histories.

// recorded is φ(t2, e) of such a level.
func (g *Relations) recorded(l isolation.Level, co []int, t2, t3, i int) bool {
	switch l {
	case isolation.RYW: // (t2, t3) ∈ so
		return g.So[t2][t3]
	case isolation.MR: // some read before e, in t3 or in a transaction before t3 in its session, is from t2
		for u := range g.N {
			for k, d := range g.Reads[u] {
				if d.T1 == t2 && (g.So[u][t3] || u == t3 && k < i) {
					return true
				}
			}
		}
	case isolation.MW: // ∃t4: (t2, t4) ∈ so, (t4, t3) ∈ wr
		for t4 := range g.N {
			if g.So[t2][t4] && g.reads(t3, t4) {
				return true
			}
		}
	case isolation.WFR: // ∃u,t4: (t2, u) ∈ wr, (u, t4) ∈ so*, (t4, t3) ∈ wr
		for t4 := range g.N {
			for u := range g.N {
				if g.reads(u, t2) && (u == t4 || g.So[u][t4]) && g.reads(t3, t4) {
					return true
				}
			}
		}
	case isolation.UA: // (t2, t3) ∈ so ∪ wr ∪ ww
		return g.conflicting(co)[t2][t3]
	case isolation.PSI: // (t2, t3) ∈ (so ∪ wr ∪ ww)⁺
		return closure(g.conflicting(co))[t2][t3]
	case isolation.SSI: // as at SI, or ∃t4: (t2, t4) ∈ co*, t4 returned before t3 was called
		for t4 := range g.N {
			if co[t2] <= co[t4] && g.inTime(l, t4, t3) {
				return true
			}
		}
		return g.Phi(isolation.SI, co, t2, t3, i)
	case isolation.SSER:
		return g.Phi(isolation.SER, co, t2, t3, i)
	}
	return false
}

// reads reports whether t reads from u.
func (g *Relations) reads(t, u int) bool {
	for _, e := range g.Reads[t] {
		if e.T1 == u {
			return true
		}
	}
	return false
}

// conflicting is so ∪ wr ∪ ww, where ww is the order of transactions that write the same variable.
func (g *Relations) conflicting(co []int) [][]bool {
	m := matrix(g.N)
	for a := range g.N {
		for b := range g.N {
			m[a][b] = g.SoWr[a][b] || co[a] < co[b] && g.conflict(a, b)
		}
	}
	return m
}

func (g *Relations) conflict(a, b int) bool {
	for x, writes := range g.Writes[b] {
		if writes && g.wrote(a, x) {
			return true
		}
	}
	return false
}

// inTime reports whether t returned before u was called, at a level with real time.
func (g *Relations) inTime(l isolation.Level, t, u int) bool {
	_, real := l.Timeless()
	return real && g.Real != nil && g.Real[t][u]
}
