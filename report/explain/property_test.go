package explain_test

import (
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/report/explain"
	"github.com/txmc/txmc/semantics"
)

// There is a proof exactly for the levels that forbid a history, and every edge
// of it follows from the definitions.
func TestProofs(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	randomly(t, *countFlag, func(t *testing.T, h *semantics.History) {
		x := explain.Explain(h)
		for i, l := range isolation.Levels() {
			p, allowed := explain.Prove(h, l), isolation.Satisfies(h, l)
			if (p == nil) != allowed || allowed != (i < len(x.Allowed)) {
				t.Errorf("%v: allowed: %v, proof: %v, explanation: %+v", l, allowed, p != nil, x)
				return
			}
			if p == nil {
				continue
			}
			if err := (&checker{h: h, level: l}).proof(p); err != nil {
				t.Errorf("%v: %v", l, err)
			}
			switch {
			case p.Exhausted:
				t.Errorf("%v: gave up on a small history", l)
			case p.Split != nil:
				found["split at "+l.String()]++
			}
		}
		if x.Proof != nil {
			found[x.Proof.Level.String()+" "+x.Anomaly.Name]++
		}
	})
	t.Log(found)
}
