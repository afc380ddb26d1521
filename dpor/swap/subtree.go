package swap

import (
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// RestorePart makes a part of a subtree by following its history, and checks what
// all algorithms require of it.
func (e *Search) RestorePart(sub *work.Subtree) (*Task, error) {
	s, err := e.retrace(sub.Txns, sub.Open)
	if err != nil {
		return nil, err
	}
	h := &s.H
	pending := h.Last().Status == semantics.Pending
	if pending != sub.Open {
		return nil, work.Misfit("no transaction is open")
	}
	p := &Task{Kind: sub.Kind, S: s, Next: sub.Next}
	ok := false
	switch sub.Kind {
	case work.WholeCall:
		ok = true
	case work.RestReads:
		if p.Node = h.Last().Node; pending && p.Node.Kind == behaviour.Read {
			ok = sub.Next >= 0 && sub.Next < h.Len()-1 && h.Writers(p.Node.Var).Has(sub.Next)
		}
	case work.RestOther:
		ok = !pending && sub.Next >= 0
	}
	if !ok {
		return nil, work.MisfitRest(sub)
	}
	return p, nil
}
