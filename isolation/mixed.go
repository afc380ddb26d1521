package isolation

import (
	"slices"

	"github.com/txmc/txmc/semantics"
)

// SatisfiesEach reports whether h satisfies a level for each transaction: level(t) is that of
// h.Txns[t]. There has to be one commit order for all. It keeps, for every read of a
// transaction t3, the axiom of the level of t3 (Bouajjani, Enea, Román-Calvo, On the
// Complexity of Checking Mixed Isolation Levels for SQL Transactions, CAV 2025, definition
// 2.3). The φ of a weaker level implies that of a stronger one. So what one assignment of
// levels allows, every weaker one allows.
//
// The levels are axiomatic. The time is exponential in the worst case.
func SatisfiesEach(h *semantics.History, level func(t int) Level) bool {
	if _, _, ok := semantics.Order(h); !ok { // so ∪ wr has a cycle
		return false
	}
	m := newMixed(h, level)
	return !m.beforeInitial() && m.arrange(1)
}

// mixed builds a commit order from its beginning.
type mixed struct {
	h       *semantics.History
	level   []Level
	reads   [][]semantics.Event // external ones, by transaction
	writes  []map[int]bool      // by transaction: the variables whose writes are visible
	near    [][]bool            // so ∪ wr
	before  [][]bool            // what every commit order has
	at      []int               // places of transactions, -1 of those that have none
	writers map[int][]int       // by variable: the places of its writers, ascending
}

func newMixed(h *semantics.History, level func(int) Level) *mixed {
	n := len(h.Txns)
	m := &mixed{h: h, reads: make([][]semantics.Event, n), writes: make([]map[int]bool, n), near: square(n), at: make([]int, n), writers: map[int][]int{}}
	for t := range h.Txns {
		m.level, m.at[t], m.writes[t] = append(m.level, level(t)), -1, map[int]bool{}
		for _, e := range h.Txns[t].Events {
			switch {
			case e.Kind == semantics.Read && e.From != semantics.Own:
				m.reads[t] = append(m.reads[t], e)
				m.near[e.From][t] = true
			case e.Kind == semantics.Write && h.Txns[t].Status == semantics.Committed:
				m.writes[t][int(e.Var)] = true
			}
		}
		for u := 1; u < n; u++ {
			m.near[t][u] = m.near[t][u] || h.So(t, u)
		}
	}
	m.at[0] = 0 // the initial transaction
	m.force()
	return m
}

func square(n int) [][]bool {
	s := make([][]bool, n)
	for i := range s {
		s[i] = make([]bool, n)
	}
	return s
}

// force computes what every commit order has: so ∪ wr, and what the axioms of RC, RA and
// CC add, which do not ask for the commit order.
func (m *mixed) force() {
	n := len(m.near)
	past := square(n)
	for t := range n {
		copy(past[t], m.near[t])
	}
	for k := range n {
		for t := range n {
			for u := range n {
				past[t][u] = past[t][u] || past[t][k] && past[k][u]
			}
		}
	}
	m.before = square(n)
	for t := range n {
		copy(m.before[t], past[t])
	}
	for t3, reads := range m.reads {
		for i, e := range reads {
			for t2 := range n {
				if t2 != e.From && m.wrote(t2, int(e.Var)) && m.counts(past, t2, t3, i) {
					m.before[t2][e.From] = true
				}
			}
		}
	}
}

// beforeInitial reports whether a transaction has to precede the initial one, which is
// the first.
func (m *mixed) beforeInitial() bool {
	return slices.ContainsFunc(m.before, func(row []bool) bool { return row[0] })
}

// counts is φ of RC, RA and CC for read i of t3. The stronger levels imply CC's.
func (m *mixed) counts(past [][]bool, t2, t3, i int) bool {
	switch m.level[t3] {
	case True:
		return false
	case RC:
		for _, e := range m.reads[t3][:i] {
			if e.From == t2 {
				return true
			}
		}
		return false
	case RA:
		return m.near[t2][t3]
	}
	return past[t2][t3]
}

// wrote reports whether t writes x.
func (m *mixed) wrote(t, x int) bool { return t == 0 || m.writes[t][x] }

// arrange puts a transaction at place k, and then the others behind it. A transaction
// that writes nothing is put as early as possible. Later it may have to see more. The
// transactions behind it see no more because of it.
func (m *mixed) arrange(k int) bool {
	if k == len(m.at) {
		return true
	}
	for t := range m.at {
		if len(m.writes[t]) == 0 && m.fits(t, k) {
			m.at[t] = k
			ok := m.arrange(k + 1)
			m.at[t] = -1
			return ok
		}
	}
	for t := range m.at {
		if !m.fits(t, k) {
			continue
		}
		m.put(t, k)
		ok := m.arrange(k + 1)
		m.remove(t)
		if ok {
			return true
		}
	}
	return false
}

func (m *mixed) put(t, k int) {
	m.at[t] = k
	for x := range m.writes[t] {
		m.writers[x] = append(m.writers[x], k)
	}
}

func (m *mixed) remove(t int) {
	m.at[t] = -1
	for x := range m.writes[t] {
		m.writers[x] = m.writers[x][:len(m.writers[x])-1]
	}
}

// fits reports whether t may have place k: what has to be before it has a place, and its
// reads are of the last of the versions that count.
func (m *mixed) fits(t, k int) bool {
	if m.at[t] >= 0 {
		return false
	}
	for u := range m.at {
		if m.before[u][t] && m.at[u] < 0 {
			return false
		}
	}
	seen := m.seen(t, k)
	for _, e := range m.reads[t] {
		most := seen
		if e.Lock {
			most = k - 1
		}
		for _, w := range m.writers[int(e.Var)] {
			if w <= most && w > m.at[e.From] {
				return false
			}
		}
	}
	return true
}

// seen is the last place whose transactions count for t at place k by the order alone.
func (m *mixed) seen(t, k int) int {
	last := 0
	switch m.level[t] {
	case SER:
		return k - 1
	case SI:
		for x := range m.writes[t] {
			if w := m.writers[x]; len(w) > 0 {
				last = max(last, w[len(w)-1])
			}
		}
		fallthrough
	case PC:
		for u := range m.at {
			if m.near[u][t] {
				last = max(last, m.at[u])
			}
		}
	}
	return last
}
