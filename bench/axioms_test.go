package bench

import "github.com/txmc/txmc/isolation"

// allowed decides by definition whether the level allows the history so far (PLDI
// 2023, section 2.2): whether a total order co of its transactions, which extends
// session order and write-read, exists such that for every read of x from t1 in
// t3 and every other t2 that writes x, φ(t2, t3) implies that t2 comes before t1.
// It holds for read committed too, as there φ depends on the read.
func (b *brute) allowed() bool {
	g := newRelations(b)
	return g.order(0)
}

// relations number the transactions; 0 is the initial one.
type relations struct {
	level  isolation.Level
	logs   []*log
	reads  [][]numbered
	before [][]bool // so ∪ wr
	causal [][]bool // its transitive closure
	co     []int    // place in the commit order, len(logs) when it has none yet
}

type numbered struct {
	key  string
	from int
}

func newRelations(b *brute) *relations {
	g := &relations{level: b.level, logs: []*log{nil}, reads: [][]numbered{nil}}
	number := map[ref]int{initial: 0}
	for s := range b.logs {
		for i := range b.logs[s] {
			number[ref{s, i}] = len(g.logs)
			g.logs = append(g.logs, &b.logs[s][i])
		}
	}
	n := len(g.logs)
	g.before, g.causal = square(n), square(n)
	g.co = make([]int, n)
	for t := range n {
		g.co[t] = n
		g.before[0][t] = t > 0
	}
	for s := range b.logs {
		for i, l := range b.logs[s] {
			t := number[ref{s, i}]
			for j := range i {
				g.before[number[ref{s, j}]][t] = true
			}
			var reads []numbered
			for _, r := range l.reads {
				reads = append(reads, numbered{r.key, number[r.from]})
				g.before[number[r.from]][t] = true
			}
			g.reads = append(g.reads, reads)
		}
	}
	for t := range n {
		copy(g.causal[t], g.before[t])
	}
	for k := range n {
		for i := range n {
			for j := range n {
				g.causal[i][j] = g.causal[i][j] || g.causal[i][k] && g.causal[k][j]
			}
		}
	}
	return g
}

func square(n int) [][]bool {
	m := make([][]bool, n)
	for i := range m {
		m[i] = make([]bool, n)
	}
	return m
}

func (g *relations) writes(t int, key string) bool {
	if t == 0 {
		return true
	}
	_, ok := g.logs[t].writes[key]
	return ok
}

// order places the transactions k, k+1, … in every way. The reads of a transaction
// are judged when it is placed: all that φ speaks about comes before it.
func (g *relations) order(k int) bool {
	n := len(g.logs)
	if k == n {
		return true
	}
next:
	for t := range n {
		if g.co[t] < n {
			continue
		}
		for u := range n {
			if g.before[u][t] && g.co[u] == n {
				continue next
			}
		}
		g.co[t] = k
		if g.keeps(t) && g.order(k+1) {
			return true
		}
		g.co[t] = n
	}
	return false
}

// keeps reports whether the reads of t3 satisfy the axiom.
func (g *relations) keeps(t3 int) bool {
	for i, r := range g.reads[t3] {
		for t2 := range g.logs {
			if t2 != r.from && g.writes(t2, r.key) && g.phi(t2, t3, i) && g.co[t2] > g.co[r.from] {
				return false
			}
		}
	}
	return true
}

// phi is φ(t2, e) for the i-th external read e of t3.
func (g *relations) phi(t2, t3, i int) bool {
	switch g.level {
	case isolation.RC:
		for _, r := range g.reads[t3][:i] {
			if r.from == t2 {
				return true
			}
		}
		return false
	case isolation.RA:
		return g.before[t2][t3]
	case isolation.CC:
		return g.causal[t2][t3]
	case isolation.SER:
		return g.co[t2] < g.co[t3]
	}
	for t4 := range g.logs {
		if g.co[t2] > g.co[t4] {
			continue
		}
		if g.before[t4][t3] || g.level == isolation.SI && g.co[t4] < g.co[t3] && g.conflict(t4, t3) {
			return true
		}
	}
	return false
}

// conflict reports whether both write the same key.
func (g *relations) conflict(t, u int) bool {
	if t == 0 {
		return len(g.logs[u].writes) > 0
	}
	for key := range g.logs[t].writes {
		if g.writes(u, key) {
			return true
		}
	}
	return false
}
