package anomaly

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// What session order and write-read imply by themselves. These are dependencies in the
// sense of Adya (1999) that hold at every level from causal consistency on, and the
// transactions that may have written last.

// Dependencies lists the ww and rw edges that session order and write-read imply,
// to the next writer of the variable only. With the edges of a proof they are what
// a diagram shows. The ww edges come first, sorted by the names of their variables.
func Dependencies(h *semantics.History, name func(behaviour.VarID) string) []Edge {
	g := causal(h)
	if g == nil {
		return nil
	}
	var list []Edge
	for _, x := range g.vars {
		for _, from := range g.writers[x][1:] {
			for _, to := range g.overwriters(x, from) {
				list = append(list, Edge{Kind: WW, From: from, To: to, Var: x, Reader: -1, Event: -1})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Edge) int { return cmp.Compare(name(a.Var), name(b.Var)) })
	type key struct {
		txn int
		x   behaviour.VarID
	}
	seen := map[key]bool{}
	for _, r := range g.reads {
		if seen[key{r.txn, r.x}] {
			continue
		}
		seen[key{r.txn, r.x}] = true
		for _, to := range g.overwriters(r.x, r.from) {
			if to != r.txn {
				list = append(list, overwritten(r, to))
			}
		}
	}
	return list
}

// causal is the graph of so ∪ wr with one point a transaction; nil when a read is
// from a transaction that has not committed a write of the variable.
func causal(h *semantics.History) *graph {
	f := gather(h)
	if f.bad() != nil {
		return nil
	}
	f.relate()
	return newGraph(f, false, false)
}

// overwriters lists the writers of x that come causally after from with no other
// writer of x in between.
func (g *graph) overwriters(x behaviour.VarID, from int) []int {
	var list []int
	writers := g.writers[x][1:]
	for _, w := range writers {
		between := func(v int) bool { return g.before(from, v) && g.before(v, w) }
		if g.before(from, w) && !slices.ContainsFunc(writers, between) {
			list = append(list, w)
		}
	}
	return list
}

// Last is a variable with the transactions that may have written it last.
type Last struct {
	Var     behaviour.VarID
	Writers []int
}

// LastWriters lists for each written variable of h the transactions whose write is
// the last in some order of commits that the level allows, by variable. A history
// that the level forbids has none.
func LastWriters(h *semantics.History, level isolation.Level) []Last {
	g := causal(h)
	if g == nil || !isolation.Satisfies(h, level) {
		return nil
	}
	var list []Last
	for _, x := range g.vars {
		writers := g.writers[x][1:]
		if len(writers) == 0 {
			continue
		}
		overtaken := func(w int) bool {
			return slices.ContainsFunc(writers, func(u int) bool { return g.before(w, u) })
		}
		l := Last{Var: x, Writers: slices.DeleteFunc(slices.Clone(writers), overtaken)}
		if len(l.Writers) > 1 { // a single one is the last in every order
			l.Writers = slices.DeleteFunc(l.Writers, func(w int) bool { return !mayBeLast(h, level, x, writers, w) })
		}
		list = append(list, l)
	}
	return list
}

// mayBeLast reports whether w may be the last of the writers. A reader is added that
// comes after everything: from read atomic on it can read from w only if w may be
// the last. At read committed, where a transaction may read what is out of date,
// it reads from the other writer first, one at a time: what it then reads must
// be newer.
func mayBeLast(h *semantics.History, level isolation.Level, x behaviour.VarID, writers []int, w int) bool {
	if level != isolation.RC {
		return isolation.Satisfies(withReader(h, x, w), level)
	}
	for _, other := range writers {
		if other != w && !isolation.Satisfies(withReader(h, x, other, w), level) {
			return false
		}
	}
	return true
}

// withReader is the history with a transaction after all others that reads x from
// the given transactions.
func withReader(h *semantics.History, x behaviour.VarID, from ...int) *semantics.History {
	out := &semantics.History{Sessions: h.Sessions, Final: h.Final, Txns: slices.Clone(h.Txns)}
	if out.Final < 0 {
		out.Final = out.Sessions
		out.Sessions++
	}
	t := semantics.Txn{Session: out.Final, Status: semantics.Committed}
	for _, u := range h.Txns {
		if u.Session == out.Final {
			t.Index++
		}
	}
	for _, w := range from {
		t.Events = append(t.Events, semantics.Event{Kind: semantics.Read, Var: x, Val: Written(h, w, x), From: w})
	}
	out.Txns = append(out.Txns, t)
	return out
}

// Written is the value that transaction t leaves in x; 0 when it does not write x.
func Written(h *semantics.History, t int, x behaviour.VarID) behaviour.ValueID {
	for _, w := range semantics.LastWrites(&h.Txns[t]) {
		if w.Var == x {
			return w.Val
		}
	}
	return 0
}
