package recorded

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/checker"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/report/explain"
	"github.com/txmc/txmc/semantics"
)

// What only the order of versions forbids, as the lists of a history or its database
// tell it, package explain does not know: it takes reads and session order alone. Here
// the shortest cycle of Adya's dependencies is looked for, with the fewest that go from
// a read to what replaced it.

// dependency is an edge between transactions of a violation.
type dependency struct {
	kind     explain.Kind
	from, to int
	key      int // of Violation.Keys; -1 for session order
}

// dependencies lists those that reads, sessions and the told orders make, without the
// initial transaction.
func dependencies(v *checker.Violation) []dependency {
	var list []dependency
	h := v.History
	last := map[int]int{}
	for t := 1; t < len(h.Txns); t++ {
		x := h.Txns[t]
		if before, ok := last[x.Session]; ok {
			list = append(list, dependency{explain.SO, before, t, -1})
		}
		last[x.Session] = t
		for _, e := range x.Events {
			if e.Kind == semantics.Read && e.From > 0 {
				list = append(list, dependency{explain.WR, e.From, t, int(e.Var)})
			}
		}
	}
	for _, o := range v.Versions {
		for i, t := range o.Txns {
			if i > 0 {
				list = append(list, dependency{explain.WW, o.Txns[i-1], t, o.Key})
			}
		}
		for t := 1; t < len(h.Txns); t++ {
			for _, e := range h.Txns[t].Events {
				if e.Kind != semantics.Read || int(e.Var) != o.Key || e.From < 0 {
					continue
				}
				next := slices.Index(o.Txns, e.From) + 1 // 0 when it is the initial value
				if (e.From == 0 || next > 0) && next < len(o.Txns) && o.Txns[next] != t {
					list = append(list, dependency{explain.RW, t, o.Txns[next], o.Key})
				}
			}
		}
	}
	return list
}

// orderCycle finds the cycle; nil when there is none that the level forbids. PC and SI
// allow cycles in which two edges from reads follow each other, and the weaker levels
// those with any.
func orderCycle(v *checker.Violation, l isolation.Level) []dependency {
	edges := dependencies(v)
	most := len(v.History.Txns)
	switch {
	case l == isolation.RC:
		most = 0
	case l <= isolation.CC:
		most = 1
	}
	for reads := 0; reads <= most; reads++ {
		var best []dependency
		for t := 1; t < len(v.History.Txns); t++ {
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

// shortestCycle finds one through a transaction with so many edges from reads, which
// may follow each other if adjacent.
func shortestCycle(edges []dependency, through, reads int, adjacent bool) []dependency {
	type state struct {
		at, reads   int
		first, last bool // whether the first and the last edge are from reads
		back        bool // to where it began
	}
	type step struct {
		from state
		edge dependency
	}
	start := state{at: through}
	came := map[state]step{}
	for queue := []state{start}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, e := range edges {
			read := e.kind == explain.RW
			if e.from != s.at || read && (s.reads == reads || s.last && !adjacent) {
				continue
			}
			next := state{e.to, s.reads, s.first, read, e.to == through}
			if read {
				next.reads++
			}
			if s == start {
				next.first = read
			}
			if _, known := came[next]; known {
				continue
			}
			came[next] = step{s, e}
			if !next.back {
				queue = append(queue, next)
				continue
			}
			if next.reads == reads && (adjacent || reads < 2 || !next.first || !next.last) {
				var cycle []dependency
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

// orderAnomaly names a cycle (Adya 1999; Berenson et al. 1995).
func orderAnomaly(cycle []dependency) *report.Anomaly {
	var of [explain.RW + 1]int
	for _, d := range cycle {
		of[d.kind]++
	}
	one := cycle[0].key == cycle[len(cycle)-1].key
	switch {
	case of[explain.RW] == 0 && of[explain.WR] == 0:
		return &report.Anomaly{Name: "write cycle", Class: "G0"}
	case of[explain.RW] == 0:
		return &report.Anomaly{Name: "circular information flow", Class: "G1c"}
	case of[explain.RW] == 1 && of[explain.WW] == 1 && len(cycle) == 2 && one:
		return &report.Anomaly{Name: "lost update", Aka: "P4", Class: "G-single"}
	case of[explain.RW] == 1:
		return &report.Anomaly{Name: "read skew", Aka: "A5A", Class: "G-single"}
	case of[explain.RW] == 2 && len(cycle) == 2 && !one:
		return &report.Anomaly{Name: "write skew", Aka: "A5B", Class: "G2-item"}
	}
	return &report.Anomaly{Name: "serialization cycle", Class: "G2-item"}
}

// byOrder corrects an explanation that finds nothing wrong at the level: what the level
// forbids must be the order of versions that the recording tells besides.
func byOrder(told *report.Violation, v *checker.Violation, l isolation.Level) {
	e := told.Explanation
	if slices.Contains(e.Forbidden, l.String()) {
		return
	}
	e.Forbidden = []string{}
	for _, stronger := range isolation.Levels() {
		if stronger >= l {
			e.Forbidden = append(e.Forbidden, stronger.String())
		}
	}
	e.Allowed = slices.DeleteFunc(e.Allowed, func(name string) bool { return slices.Contains(e.Forbidden, name) })
	e.ForbiddenBy, e.Proof, e.Leaves = l.String(), report.Proof{}, -1
	e.Anomaly = &report.Anomaly{Name: l.String() + " violation"}
	sentences := []string{"The recording tells in which order the versions of a key were written."}
	if cycle := orderCycle(v, l); cycle != nil {
		e.Anomaly = orderAnomaly(cycle)
		id := func(t int) string { return told.History.Transactions[t].ID }
		name := func(t int) string { return shortName(told.History.Transactions, t) }
		for _, d := range cycle {
			key := ""
			if d.key >= 0 {
				key = v.Keys[d.key]
			}
			e.Cycle = append(e.Cycle, report.Dependency{Kind: d.kind.String(), From: id(d.from), To: id(d.to), Key: key})
			sentences = append(sentences, says(d, name, key))
		}
		sentences = append(sentences, "So each of them must come before the next, and none can come first.")
	} else {
		sentences = append(sentences, fmt.Sprintf("With that order %v forbids what was read; the reads alone it would allow.", l))
	}
	title := e.Anomaly.Name
	if names := slices.DeleteFunc([]string{e.Anomaly.Aka, e.Anomaly.Class}, func(s string) bool { return s == "" }); len(names) > 0 {
		title += " (" + strings.Join(names, ", ") + ")"
	}
	e.Words = report.Words{Title: title, Sentences: sentences, Levels: "forbidden at " + strings.Join(e.Forbidden, ", ")}
	if len(e.Allowed) > 0 {
		e.Words.Levels = "allowed at " + strings.Join(e.Allowed, ", ") + "; " + e.Words.Levels
	}
}

// shortName is a transaction's session where that has no other.
func shortName(all []report.Transaction, t int) string {
	for u, x := range all {
		if u != t && x.Session == all[t].Session {
			return all[t].ID
		}
	}
	return all[t].Session
}

// says is a dependency as a sentence.
func says(d dependency, name func(int) string, key string) string {
	from, to := name(d.from), name(d.to)
	switch d.kind {
	case explain.SO:
		return fmt.Sprintf("%s comes after %s in its session.", to, from)
	case explain.WR:
		return fmt.Sprintf("%s read %s from %s.", to, key, from)
	case explain.WW:
		return fmt.Sprintf("%s wrote %s before %s, in that order.", from, key, to)
	}
	return fmt.Sprintf("%s read %s as it was before %s wrote it, in that order.", from, key, to)
}
