package anomaly

import (
	"slices"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// facts are what the levels' definitions speak about.
type facts struct {
	h       *semantics.History
	n       int
	reads   []read // the external ones, by transaction and in program order
	first   []int  // by transaction: index of its first read
	writers map[behaviour.VarID][]int
	vars    []behaviour.VarID // of writers, ascending
	base    []Edge            // by pair: so ∪ wr; Kind RW where there is none
}

// read is an external read of x by txn from the transaction from.
type read struct {
	txn, event, from int
	x                behaviour.VarID
}

// absent stands in facts.base for pairs without an edge.
var absent = Edge{Kind: RW}

func gather(h *semantics.History) *facts {
	f := &facts{h: h, n: len(h.Txns), writers: map[behaviour.VarID][]int{}}
	for t := range h.Txns {
		f.first = append(f.first, len(f.reads))
		for i, e := range h.Txns[t].Events {
			if _, seen := f.writers[e.Var]; !seen {
				f.writers[e.Var] = []int{0}
				f.vars = append(f.vars, e.Var)
			}
			if e.Kind == semantics.Read && e.From != semantics.Own {
				f.reads = append(f.reads, read{t, i, e.From, e.Var})
			}
		}
		if h.Txns[t].Status == semantics.Committed {
			for _, w := range semantics.LastWrites(&h.Txns[t]) {
				f.writers[w.Var] = append(f.writers[w.Var], t)
			}
		}
	}
	f.first = append(f.first, len(f.reads))
	slices.Sort(f.vars)
	return f
}

// writes reports whether t has committed a write of x.
func (f *facts) writes(t int, x behaviour.VarID) bool {
	_, found := slices.BinarySearch(f.writers[x], t)
	return found
}

// bad returns the first read from a transaction that has not committed a write
// of the variable.
func (f *facts) bad() *BadRead {
	for _, r := range f.reads {
		if r.from < 0 || r.from >= f.n || !f.writes(r.from, r.x) {
			return &BadRead{r.txn, r.event}
		}
	}
	return nil
}

// same reports whether a comes before b in the same session.
func (f *facts) same(a, b int) bool {
	t, u := &f.h.Txns[a], &f.h.Txns[b]
	return a != 0 && t.Session == u.Session && t.Index < u.Index
}

// so reports whether a comes before b in session order.
func (f *facts) so(a, b int) bool {
	if a == 0 || b == 0 {
		return a != b && a == 0
	}
	final := f.h.Txns[b].Session == f.h.Final && f.h.Txns[a].Session != f.h.Final
	return final || f.same(a, b)
}

// relate fills base. Where a pair is in both relations the edge is the one that tells
// more. The order in a session comes first, then write-read, then the session order
// that comes from being initial or final.
func (f *facts) relate() {
	f.base = slices.Repeat([]Edge{absent}, f.n*f.n)
	for a := range f.n {
		for b := range f.n {
			if f.so(a, b) {
				f.base[a*f.n+b] = sessionEdge(a, b)
			}
		}
	}
	for _, r := range f.reads {
		e := &f.base[r.from*f.n+r.txn]
		if *e == absent || e.Kind == SO && r.from != 0 && !f.same(r.from, r.txn) {
			*e = r.edge()
		}
	}
}

func sessionEdge(a, b int) Edge {
	return Edge{Kind: SO, From: a, To: b, Var: NoVar, Reader: -1, Event: -1}
}

// edge is the read's write-read edge.
func (r read) edge() Edge {
	return Edge{Kind: WR, From: r.from, To: r.txn, Var: r.x, Reader: r.txn, Event: r.event}
}

// direct returns the so ∪ wr edge from a to b, if there is one.
func (f *facts) direct(a, b int) (Edge, bool) {
	e := f.base[a*f.n+b]
	return e, e != absent
}

// retarget makes the wr edges of a path be about x where they can be.
func (f *facts) retarget(path []Edge, x behaviour.VarID) {
	for i, e := range path {
		if e.Kind != WR || e.Var == x {
			continue
		}
		for _, r := range f.reads {
			if r.from == e.From && r.txn == e.To && r.x == x {
				path[i] = r.edge()
				break
			}
		}
	}
}
