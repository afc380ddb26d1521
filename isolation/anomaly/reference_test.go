package anomaly_test

import (
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// The reference computes, slowly and by other means, how long a shortest cycle is.
// Relations are maps. Distances come from relaxing until nothing changes, and cycles
// from trying all of them.

// length is a number of edges, and of all edges with those of the premises.
type length struct{ edges, size int }

func (a length) less(b length) bool {
	return a.edges < b.edges || a.edges == b.edges && a.size < b.size
}

// arc is a pair of points.
type arc struct{ u, v string }

type reference struct {
	h     *semantics.History
	level isolation.Level
	n     int
	edges map[arc]int // size
}

func (f *reference) at(t int, p point) string {
	name := string(rune('a' + t))
	if f.level < isolation.PC || f.level == isolation.SER {
		return name
	}
	if p == commits {
		return name + "w"
	}
	return name + "r"
}

func newReference(h *semantics.History, l isolation.Level) *reference {
	f := &reference{h, l, len(h.Txns), map[arc]int{}}
	for a := range f.n {
		for b := range f.n {
			if sessionOrder(h, a, b) {
				f.edges[arc{f.at(a, commits), f.at(b, reading)}] = 1
			}
		}
	}
	f.each(func(t, _ int, e semantics.Event) { f.edges[arc{f.at(e.From, commits), f.at(t, reading)}] = 1 })
	return f
}

// each visits the external reads.
func (f *reference) each(visit func(t, i int, e semantics.Event)) {
	for t := range f.h.Txns {
		for i, e := range f.h.Txns[t].Events {
			if e.Kind == semantics.Read && e.From != semantics.Own {
				visit(t, i, e)
			}
		}
	}
}

// distances returns the lengths of shortest paths of at least one edge.
func (f *reference) distances() map[arc]length {
	d := map[arc]length{}
	for a, size := range f.edges {
		d[a] = length{1, size}
	}
	step := func(a arc, l length) bool {
		old, ok := d[a]
		if ok && !l.less(old) {
			return false
		}
		d[a] = l
		return true
	}
	for again := true; again; {
		again = false
		for a, l := range d {
			for t := range f.n { // within a transaction, from read to write
				r, w := f.at(t, reading), f.at(t, commits)
				again = r != w && a.v == r && step(arc{a.u, w}, l) || again
				again = r != w && a.u == w && step(arc{r, a.v}, l) || again
			}
			for b, size := range f.edges {
				again = a.v == b.u && step(arc{a.u, b.v}, length{l.edges + 1, l.size + size}) || again
			}
		}
	}
	return d
}

// round adds the edges of one step of reasoning; false when there are none.
func (f *reference) round() bool {
	d := f.distances()
	known := func(u, v string) bool { _, ok := d[arc{u, v}]; return ok }
	fresh := map[arc]int{}
	add := func(u, v string, premise arc) {
		size := 1 + d[premise].size
		if old, ok := fresh[arc{u, v}]; !ok || size < old {
			fresh[arc{u, v}] = size
		}
	}
	start := reading // where the later one of two writers must not have been
	if f.level != isolation.SI {
		start = commits
	}
	f.each(func(t3, _ int, e semantics.Event) {
		for t2 := range f.n {
			if t2 == e.From || t2 == t3 || !writes(f.h, t2, e.Var) {
				continue
			}
			r, w, source := f.at(t3, reading), f.at(t2, commits), f.at(e.From, commits)
			if known(source, w) && !known(r, w) {
				add(r, w, arc{source, w})
			}
			if end := f.at(e.From, start); e.From != 0 && known(w, r) && !known(w, end) {
				add(w, end, arc{w, r})
			}
		}
	})
	for a := 1; f.level == isolation.SI && a < f.n; a++ {
		for b := 1; b < f.n; b++ {
			both := false
			for x := range behaviour.VarID(3) {
				both = both || a != b && writes(f.h, a, x) && writes(f.h, b, x)
			}
			if both && known(f.at(a, reading), f.at(b, commits)) && !known(f.at(a, commits), f.at(b, reading)) {
				add(f.at(a, commits), f.at(b, reading), arc{f.at(a, reading), f.at(b, commits)})
			}
		}
	}
	for a, size := range fresh {
		f.edges[a] = size
	}
	return len(fresh) > 0
}

// shortest tries all cycles that may become the best; ok is false when there is
// none.
func (f *reference) shortest() (best length, ok bool) {
	next := map[string]map[string]length{}
	put := func(u, v string, l length) {
		if next[u] == nil {
			next[u] = map[string]length{}
		}
		next[u][v] = l
	}
	for a, size := range f.edges {
		put(a.u, a.v, length{1, size})
	}
	for t := range f.n {
		if r, w := f.at(t, reading), f.at(t, commits); r != w {
			put(r, w, length{})
		}
	}
	on := map[string]bool{}
	var extend func(start, at string, l length)
	extend = func(start, at string, l length) {
		for v, step := range next[at] {
			m := length{l.edges + step.edges, l.size + step.size}
			switch {
			case ok && !m.less(best):
			case v == start:
				best, ok = m, true
			case !on[v]:
				on[v] = true
				extend(start, v, m)
				on[v] = false
			}
		}
	}
	for u := range next {
		extend(u, u, length{})
	}
	return best, ok
}

// size is the number of edges of a path and, recursively, of premises.
func size(edges []anomaly.Edge) int {
	n := len(edges)
	for _, e := range edges {
		if e.Reason != nil {
			n += size(e.Reason.Premise)
		}
	}
	return n
}

// At PC, SI and SER a proof takes the fewest rounds, and its cycle is as short as
// any in the graph of these rounds.
func TestShortestCycles(t *testing.T) {
	t.Parallel()
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		for _, l := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
			p := anomaly.Prove(h, l)
			if p == nil || p.Rounds == 0 || len(p.Cycle) == 0 {
				continue
			}
			f := newReference(h, l)
			best, ok := f.shortest()
			rounds := 0
			for !ok && f.round() {
				rounds++
				best, ok = f.shortest()
			}
			if got := (length{len(p.Cycle), size(p.Cycle)}); !ok || got != best || p.Rounds != rounds {
				t.Errorf("%v: %+v in %d rounds, want %+v in %d", l, got, p.Rounds, best, rounds)
			}
		}
	})
}

// At RC, RA and CC the cycle has one rw edge if that is possible. Then it is as short
// as any such cycle; else it is as short as any cycle with a ww edge.
func TestShortestForcedCycles(t *testing.T) {
	t.Parallel()
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		for _, l := range []isolation.Level{isolation.RC, isolation.RA, isolation.CC} {
			p := anomaly.Prove(h, l)
			if p == nil || p.Rounds == 0 {
				continue
			}
			best := newReference(h, l).forced()
			if got := (length{len(p.Cycle), size(p.Cycle)}); got != best {
				t.Errorf("%v: %+v, want %+v", l, got, best)
			}
		}
	})
}

// forced is the length of the cycle for RC, RA and CC.
func (f *reference) forced() length {
	d := f.distances()
	best, ok := length{}, false
	writers := map[arc]int{}
	f.each(func(t3, i int, e semantics.Event) {
		for t2 := range f.n {
			phi, sees := f.phi(d, t2, t3, i)
			if !sees || t2 == e.From || t2 == t3 || !writes(f.h, t2, e.Var) {
				continue
			}
			source, w := f.at(e.From, commits), f.at(t2, commits)
			if known, later := d[arc{source, w}]; later {
				if l := (length{1 + phi, 1 + known.size + phi}); !ok || l.less(best) {
					best, ok = l, true
				}
			}
			if _, before := d[arc{w, source}]; e.From != 0 && !before {
				if old, is := writers[arc{w, source}]; !is || 1+phi < old {
					writers[arc{w, source}] = 1 + phi
				}
			}
		}
	})
	if ok {
		return best
	}
	for a, size := range writers {
		f.edges[a] = size
	}
	best, _ = f.shortest()
	return best
}

// phi returns how many edges show that read i of t3 sees t2.
func (f *reference) phi(d map[arc]length, t2, t3, i int) (edges int, sees bool) {
	switch f.level {
	case isolation.RC:
		for _, e := range f.h.Txns[t3].Events[:i] {
			if e.Kind == semantics.Read && e.From == t2 {
				return 1, true
			}
		}
		return 0, false
	case isolation.RA:
		_, sees = f.edges[arc{f.at(t2, commits), f.at(t3, reading)}]
		return 1, sees
	}
	l, sees := d[arc{f.at(t2, commits), f.at(t3, reading)}]
	return l.edges, sees
}
