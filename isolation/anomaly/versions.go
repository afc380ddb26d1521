package anomaly

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// A recording may give the order of versions of a variable, by the lists that are
// read or as the database tells it. What only that order forbids is shown by the
// shortest cycle of Adya's dependencies (1999), with the fewest rw edges. Explain
// knows reads and session order alone.

// Versions is the order in which transactions of a history wrote a variable, the
// first one first.
type Versions struct {
	Var  behaviour.VarID
	Txns []int
	// Read is a sentence on the read that gives the order; "" when no single read does.
	Read string
}

// Given is what a recording gives of a history besides its reads.
type Given struct {
	Versions []Versions
	// Preferred shows a cycle of the given versions at SI and SER also where the reads
	// alone forbid the history: it is the one for the order that there was.
	Preferred bool
	// Predicates are the variables that stand for whether a key matches a predicate.
	Predicates []behaviour.VarID
}

// ExplainVersions explains why level l forbids h, of which the orders of versions
// are given. Where the reads alone allow h at l, the given orders forbid it.
func ExplainVersions(h *semantics.History, l isolation.Level, g Given) *Explanation {
	e := explainVersions(h, l, g)
	if len(g.Predicates) > 0 {
		e.selected(h, g)
	}
	return e
}

func explainVersions(h *semantics.History, l isolation.Level, g Given) *Explanation {
	e := Explain(h)
	byReads := slices.Contains(e.Forbidden, l)
	if byReads && !(g.Preferred && (l == isolation.SI || l == isolation.SER)) {
		return e
	}
	cycle := versionCycle(h, l, g.Versions)
	if byReads && cycle == nil {
		return e
	}
	weakest := l
	if byReads {
		weakest = e.Forbidden[0]
	} else {
		at := slices.Index(isolation.Levels(), l)
		e.Allowed, e.Forbidden = slices.DeleteFunc(e.Allowed, func(weaker isolation.Level) bool {
			return slices.Index(isolation.Levels(), weaker) >= at
		}), isolation.Levels()[at:]
	}
	e.Proof = &Proof{Level: weakest, Cycle: cycle, Given: true, Reads: readsOf(cycle, g.Versions)}
	e.Anomaly = Anomaly{Name: l.String() + " violation"}
	if e.Proof.Cycle != nil {
		e.Anomaly = nameVersions(e.Proof.Cycle)
	}
	return e
}

// readsOf lists the sentences on the reads on whose order a cycle depends.
func readsOf(cycle []Edge, versions []Versions) []string {
	var list []string
	for _, e := range cycle {
		if e.Kind != WW && e.Kind != RW {
			continue
		}
		i := slices.IndexFunc(versions, func(v Versions) bool { return v.Var == e.Var })
		if s := versions[i].Read; s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// versionEdges lists the dependencies that reads, sessions and the given orders
// make, without the initial transaction.
func versionEdges(h *semantics.History, versions []Versions) []Edge {
	var list []Edge
	add := func(kind Kind, from, to int, x behaviour.VarID) {
		list = append(list, Edge{Kind: kind, From: from, To: to, Var: x, Reader: -1, Event: -1})
	}
	last := map[int]int{}
	for t := 1; t < len(h.Txns); t++ {
		x := &h.Txns[t]
		if before, ok := last[x.Session]; ok {
			add(SO, before, t, NoVar)
		}
		last[x.Session] = t
		for _, e := range x.Events {
			if e.Kind == semantics.Read && e.From > 0 {
				add(WR, e.From, t, e.Var)
			}
		}
	}
	for _, o := range versions {
		for i := 1; i < len(o.Txns); i++ {
			add(WW, o.Txns[i-1], o.Txns[i], o.Var)
		}
		for t := 1; t < len(h.Txns); t++ {
			for _, e := range h.Txns[t].Events {
				if e.Kind != semantics.Read || e.Var != o.Var || e.From < 0 {
					continue
				}
				next := slices.Index(o.Txns, e.From) + 1 // 0 when it is the initial value
				if (e.From == 0 || next > 0) && next < len(o.Txns) && o.Txns[next] != t {
					add(RW, t, o.Txns[next], o.Var)
				}
			}
		}
	}
	return list
}

// versionCycle finds the cycle; nil when there is none that the level forbids.
func versionCycle(h *semantics.History, l isolation.Level, versions []Versions) []Edge {
	edges := versionEdges(h, versions)
	for reads := 0; reads <= mostReads(h, l); reads++ {
		var best []Edge
		for t := 1; t < len(h.Txns); t++ {
			if c := shortestCycle(edges, t, reads, l == isolation.SER); c != nil && (best == nil || len(c) < len(best)) {
				best = c
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// mostReads bounds the rw edges of a cycle that the level forbids. PC and SI allow
// cycles in which two rw edges follow each other, RA and CC those with two or more,
// and RC those with any.
func mostReads(h *semantics.History, l isolation.Level) int {
	switch l {
	case isolation.RC:
		return 0
	case isolation.RA, isolation.CC:
		return 1
	}
	return len(h.Txns)
}

// shortestCycle finds one through a transaction with so many rw edges, which may
// follow each other if adjacent: a breadth-first search over the states of a walk.
func shortestCycle(edges []Edge, through, reads int, adjacent bool) []Edge {
	start := walk{at: through}
	type step struct {
		from walk
		edge Edge
	}
	came := map[walk]step{}
	for queue := []walk{start}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, e := range edges {
			if e.From != s.at || e.Kind == RW && (s.reads == reads || s.last && !adjacent) {
				continue
			}
			next := s.along(e, s == start, through)
			if _, known := came[next]; known {
				continue
			}
			came[next] = step{s, e}
			if !next.back {
				queue = append(queue, next)
				continue
			}
			if next.reads == reads && (adjacent || reads < 2 || !next.first || !next.last) {
				var cycle []Edge
				for at := next; at != start; at = came[at].from {
					cycle = append(cycle, came[at].edge)
				}
				slices.Reverse(cycle)
				return cycle
			}
		}
	}
	return nil
}

// walk is what matters of a walk along edges.
type walk struct {
	at, reads   int
	first, last bool // whether the first and the last edge are rw
	back        bool // to where it began
}

func (w walk) along(e Edge, begins bool, through int) walk {
	read := e.Kind == RW
	next := walk{e.To, w.reads, w.first || begins && read, read, e.To == through}
	if read {
		next.reads++
	}
	return next
}

// nameVersions names a cycle of given versions (Adya 1999; Berenson et al. 1995).
func nameVersions(cycle []Edge) Anomaly {
	var of [RW + 1]int
	for _, e := range cycle {
		of[e.Kind]++
	}
	one := cycle[0].Var == cycle[len(cycle)-1].Var
	switch {
	case of[RW] == 0 && of[WR] == 0:
		return Anomaly{Name: "write cycle", Class: "G0"}
	case of[RW] == 0:
		return Anomaly{Name: "circular information flow", Class: "G1c"}
	case of[RW] == 1 && of[WW] == 1 && len(cycle) == 2 && one:
		return Anomaly{Name: "lost update", Aka: "P4", Class: "G-single"}
	case of[RW] == 1:
		return Anomaly{Name: "read skew", Aka: "A5A", Class: "G-single"}
	case of[RW] == 2 && len(cycle) == 2 && !one:
		return Anomaly{Name: "write skew", Aka: "A5B", Class: "G2-item"}
	}
	return Anomaly{Name: "serialization cycle", Class: "G2-item"}
}

// versions tells a proof by given versions in words.
func (t phrasing) versions(p *Proof) []string {
	sentences := []string{"The recording tells in which order the versions of a key were written."}
	if p.Cycle == nil {
		return append(sentences, fmt.Sprintf("With that order %v forbids what was read; the reads alone it would allow.", p.Level))
	}
	sentences = append(sentences, p.Reads...)
	for _, e := range p.Cycle {
		sentences = append(sentences, t.version(e))
	}
	return append(sentences, "So each of them must come before the next, and none can come first.")
}

// version is a dependency as a sentence.
func (t phrasing) version(e Edge) string {
	from, to := t.n.Txn(e.From), t.n.Txn(e.To)
	switch e.Kind {
	case SO:
		return fmt.Sprintf("%s comes after %s in its session.", to, from)
	case WR:
		return fmt.Sprintf("%s read %s from %s.", to, t.n.Var(e.Var), from)
	case WW:
		return fmt.Sprintf("%s wrote %s before %s, in that order.", from, t.n.Var(e.Var), to)
	}
	return fmt.Sprintf("%s read %s as it was before %s wrote it, in that order.", from, t.n.Var(e.Var), to)
}
