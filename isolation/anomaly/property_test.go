package anomaly_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/semantics"
)

// There is a proof exactly for the levels that forbid a history, and every edge
// of it follows from the definitions.
func TestProofs(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	randomly(t, countFlag.N(), func(t *testing.T, h *semantics.History) {
		x := anomaly.Explain(h)
		for i, l := range isolation.Levels() {
			p, allowed := anomaly.Prove(h, l), isolation.Satisfies(h, l)
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

// Two that write y read from before both writers of x, of which either may be the
// first: the rules alone find no cycle.
func TestCaseDistinction(t *testing.T) {
	h := parse(t, "wx ry0 | rx0 wy | rx0 wy | ry0 wx")
	x := anomaly.Explain(h)
	p := x.Proof
	if p == nil || p.Level != isolation.SI || p.Split == nil || p.Split.A != 1 || p.Split.B != 4 || p.Split.Var != 0 {
		t.Fatalf("%+v", p)
	}
	if err := (&checker{h: h, level: isolation.SI}).proof(p); err != nil {
		t.Error(err)
	}
	if got := p.Involved(); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("involved: %v", got)
	}
	if x.Anomaly.Name != "snapshot violation" || x.Anomaly.Class != "" || !strings.Contains(x.Cause("a", variable), "split") {
		t.Errorf("%+v, cause %s", x.Anomaly, x.Cause("a", variable))
	}
	t.Log(strings.Join(x.Words(h, plain{}).Sentences, "\n"))
}
