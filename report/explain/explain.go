package explain

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/semantics"
)

// Explain says which levels allow the complete history h, and why the weakest
// of the others forbids it.
func Explain(h *semantics.History) *Explanation {
	e := &Explanation{}
	for _, l := range isolation.Levels() {
		if len(e.Forbidden) == 0 && isolation.Satisfies(h, l) {
			e.Allowed = append(e.Allowed, l)
		} else {
			e.Forbidden = append(e.Forbidden, l) // the levels form a chain
		}
	}
	if len(e.Forbidden) > 0 {
		e.Proof = Prove(h, e.Forbidden[0])
		e.Anomaly = Name(h, e.Proof)
	}
	return e
}

// Prove shows why level l forbids h; nil when l allows it.
func Prove(h *semantics.History, l isolation.Level) *Proof { return nil }

// Name gives the anomaly of a proof for the weakest level that forbids h.
func Name(h *semantics.History, p *Proof) Anomaly { return Anomaly{} }

// Words tells an explanation of h in words.
func (e *Explanation) Words(h *semantics.History, n Namer) Words { return Words{} }

// Involved lists the transactions that the proof speaks of, ascending, the
// initial one left out.
func (p *Proof) Involved() []int { return nil }

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
