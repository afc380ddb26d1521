package dpor_test

import (
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
)

// Every prefix of a history of a level is a history of that level: what is left
// when events are dropped together with all that follows them in po, so or wr.
// Section 3.1.
func TestPrefixClosure(t *testing.T) {
	t.Parallel()
	r := random(t.Name())
	prefixes := 0
	for range 3000 {
		h := randomHistory(r)
		if !relate(h).acyclic() {
			continue
		}
		g := prefix(r, h)
		prefixes++
		for _, l := range isolation.Levels() {
			if isolation.Satisfies(fromReference(h), l) && !isolation.Satisfies(fromReference(g), l) {
				t.Fatalf("-seed=%d: %v satisfies %v, but its prefix %v does not", seed(), h, l, g)
			}
		}
	}
	if prefixes < 1000 {
		t.Errorf("only %d prefixes", prefixes)
	}
}

// prefix cuts random transactions of h at random events and drops what follows.
func prefix(r *rand.Rand, h *refHistory) *refHistory {
	keep := make([][]int, len(h.sessions)) // by transaction: events kept, -1 for none
	for s, logs := range h.sessions {
		for _, l := range logs {
			n := len(l.steps) + 1 // its end counts
			if r.IntN(4) == 0 {
				n = r.IntN(n+1) - 1
			}
			keep[s] = append(keep[s], n)
		}
	}
	for again := true; again; {
		again = false
		for s, logs := range h.sessions {
			for i, l := range logs {
				if n := keepable(h, keep, s, i, l); n < keep[s][i] {
					keep[s][i], again = n, true
				}
			}
		}
	}
	g := &refHistory{make([][]txnLog, len(h.sessions)), h.final}
	for s, logs := range h.sessions {
		for i, l := range logs {
			switch n := keep[s][i]; {
			case n > len(l.steps):
				g.sessions[s] = append(g.sessions[s], l)
			case n >= 0:
				g.sessions[s] = append(g.sessions[s], txnLog{pending, l.steps[:n]})
			}
		}
	}
	return g
}

// keepable returns how many events of transaction i of session s can stay: all its
// so predecessors, and all writers that it reads from, must be whole.
func keepable(h *refHistory, keep [][]int, s, i int, l txnLog) int {
	whole := func(id txnID) bool {
		return id == initID || keep[id.session][id.index] > len(h.sessions[id.session][id.index].steps)
	}
	for u := range h.sessions {
		for j := range h.sessions[u] {
			if (u == s && j < i || s == h.final && u != s) && !whole(txnID{u, j}) {
				return -1
			}
		}
	}
	for k, st := range l.steps {
		if k < keep[s][i] && !st.write && !st.own && !whole(st.from) {
			return k
		}
	}
	return keep[s][i]
}
