package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/deadlinetest"
)

// Every prefix of a history of a level is a history of that level. A prefix is what is
// left when events are dropped together with all that follows them in po, so or wr.
// Section 3.1.
func TestPrefixClosure(t *testing.T) {
	t.Parallel()
	r := random(t.Name())
	prefixes := 0
	n := deadlinetest.Of(3000, 1200)
	for range deadlinetest.Until(t, n, func() bool { return prefixes >= n/3 }) {
		h := randomHistory(r)
		if !h.Relations().Acyclic() {
			continue
		}
		g := prefix(r, h)
		prefixes++
		for _, l := range isolation.Levels() {
			if isolation.Satisfies(h.Data(), l) && !isolation.Satisfies(g.Data(), l) {
				t.Fatalf("-seed=%d: %v satisfies %v, but its prefix %v does not", seed(), h, l, g)
			}
		}
	}
}

// prefix cuts random transactions of h at random events and drops what follows.
func prefix(r *rand.Rand, h *reference.History) *reference.History {
	keep := make([][]int, len(h.Sessions)) // by transaction: events kept, -1 for none
	for s, logs := range h.Sessions {
		for _, l := range logs {
			n := len(l.Steps) + 1 // its end counts
			if r.IntN(4) == 0 {
				n = r.IntN(n+1) - 1
			}
			keep[s] = append(keep[s], n)
		}
	}
	for again := true; again; {
		again = false
		for s, logs := range h.Sessions {
			for i, l := range logs {
				if n := keepable(h, keep, s, i, l); n < keep[s][i] {
					keep[s][i], again = n, true
				}
			}
		}
	}
	g := &reference.History{Sessions: make([][]reference.Log, len(h.Sessions)), Final: h.Final}
	for s, logs := range h.Sessions {
		for i, l := range logs {
			switch n := keep[s][i]; {
			case n > len(l.Steps):
				g.Sessions[s] = append(g.Sessions[s], l)
			case n >= 0:
				g.Sessions[s] = append(g.Sessions[s], reference.Log{Status: semantics.Pending, Steps: l.Steps[:n]})
			}
		}
	}
	return g
}

// keepable returns how many events of transaction i of session s can stay: all its
// so predecessors, and all writers that it reads from, must be whole.
func keepable(h *reference.History, keep [][]int, s, i int, l reference.Log) int {
	whole := func(id reference.ID) bool {
		return id == reference.Init || keep[id.Session][id.Index] > len(h.Sessions[id.Session][id.Index].Steps)
	}
	for u := range h.Sessions {
		for j := range h.Sessions[u] {
			if (u == s && j < i || s == h.Final && u != s) && !whole(reference.ID{Session: u, Index: j}) {
				return -1
			}
		}
	}
	for k, st := range l.Steps {
		if k < keep[s][i] && !st.Write && !st.Own && !whole(st.From) {
			return k
		}
	}
	return keep[s][i]
}
