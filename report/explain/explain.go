package explain

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/semantics"
)

// Explain says which levels allow the complete history h, and why the weakest
// of the others forbids it.
func Explain(h *semantics.History) *Explanation {
	e := &Explanation{}
	f := gather(h)
	for _, l := range isolation.Levels() {
		if e.Proof == nil {
			e.Proof = f.prove(l)
		}
		if e.Proof == nil {
			e.Allowed = append(e.Allowed, l)
		} else {
			e.Forbidden = append(e.Forbidden, l) // the levels form a chain
		}
	}
	if e.Proof != nil {
		e.Anomaly = Name(h, e.Proof)
	}
	return e
}

// Prove shows why level l forbids h; it is nil when l allows h.
func Prove(h *semantics.History, l isolation.Level) *Proof { return gather(h).prove(l) }

func (f *facts) prove(l isolation.Level) *Proof {
	if bad := f.bad(); bad != nil {
		return &Proof{Level: l, BadRead: bad}
	}
	f.relate()
	if cycle := f.circular(); cycle != nil {
		return &Proof{Level: l, Cycle: cycle}
	}
	if l <= isolation.CC {
		return f.proveForced(l)
	}
	g := newGraph(f, l != isolation.SER, l == isolation.SI)
	g.saturate()
	if !g.cyclic && isolation.Satisfies(f.h, l) {
		return nil
	}
	tries := mostTries
	return g.prove(l, &tries)
}

// Words tells an explanation of h in words.
func (e *Explanation) Words(h *semantics.History, n Namer) Words { return Words{} }

// Tell orders the operations of h. Order is an order of its transactions that
// extends so and wr, as in dpor.Found; nil stands for one of its own.
func Tell(h *semantics.History, order []int) *Story { return &Story{Leaves: -1} }

// Cause returns a key that violations with the same cause share: the same
// assertion, the same anomaly, and the same cycle up to the names of sessions
// and transactions.
func (e *Explanation) Cause(assertion string) string { return "" }

// RankOf measures h.
func RankOf(h *semantics.History) Rank { return Rank{} }

// Compare orders ranks: sessions, then transactions, then non-latest reads.
func (r Rank) Compare(s Rank) int { return 0 }
