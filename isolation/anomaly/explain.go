package anomaly

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
	if l.CausallyExtensible() {
		return f.proveForced(l)
	}
	return f.proveSaturated(l)
}
