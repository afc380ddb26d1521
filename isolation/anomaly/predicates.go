package anomaly

import (
	"slices"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/semantics"
)

// Dependencies over predicates (Adya 1999, section 4.4). In the history there is a variable
// for each key and predicate: whether the key matches. A write that changes this writes the
// variable, and a predicate read reads it. So predicate dependencies are dependencies over
// such variables. Levels below prefix consistency say nothing about predicates.

// selected corrects levels and names where a cycle has dependencies over predicates.
func (e *Explanation) selected(h *semantics.History, g Given) {
	if !e.overPredicate(g) {
		return
	}
	if !e.Proof.Level.Implies(isolation.PC) {
		if p := Prove(h, isolation.PC); p != nil {
			e.Proof, e.Anomaly = p, Name(h, p)
			at := slices.Index(isolation.Levels(), isolation.PC)
			e.Allowed, e.Forbidden = isolation.Levels()[:at:at], isolation.Levels()[at:]
		}
	}
	reads, anti := 0, 0
	for _, d := range e.Proof.Cycle {
		if d.Kind == RW {
			reads++
			if slices.Contains(g.Predicates, d.Var) {
				anti++
			}
		}
	}
	switch {
	case anti == 0:
	case reads == 1:
		class := e.Anomaly.Class
		e.Anomaly = phantom
		e.Anomaly.Class = class
	case e.Anomaly.Class == "G2-item" && e.Anomaly.Name == writeSkew.Name:
		e.Anomaly = phantomSkew
		e.Anomaly.Class = "G2"
	case e.Anomaly.Class == "G2-item":
		e.Anomaly.Class = "G2"
	}
}

// overPredicate reports whether the cycle has a dependency over a predicate.
func (e *Explanation) overPredicate(g Given) bool {
	return e.Proof != nil && slices.ContainsFunc(e.Proof.Cycle, func(d Edge) bool { return slices.Contains(g.Predicates, d.Var) })
}
