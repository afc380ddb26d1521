package report_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txmc/txmc/isolation/anomaly"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/report"
	"github.com/txmc/txmc/semantics"
)

// The printed cycle, and serial behaviour, by their definitions.

// checkCycle holds the printed cycle against the history, the proof and the JSON.
func (p *printed) checkCycle(v *report.Violation) error {
	proof := anomaly.Explain(p.h).Proof
	if proof == nil && len(p.cycle) == 0 {
		return nil
	}
	if proof == nil || len(proof.Cycle) != len(p.cycle) || len(v.Explanation.Cycle) != len(p.cycle) {
		return fmt.Errorf("a cycle of %d edges is not that of the proof", len(p.cycle))
	}
	id := map[string]string{"init": "init"}
	for _, t := range v.History.Transactions {
		for i, name := range p.names {
			if i > 0 && t.Session == p.client.SessionName(p.h.Txns[i].Session) && t.Index == p.h.Txns[i].Index+1 {
				id[name] = t.ID
			}
		}
	}
	for _, edge := range p.cycle {
		f := append(strings.Fields(edge), "")
		a, b := slices.Index(p.names, f[1]), slices.Index(p.names, f[2])
		if a < 0 || b < 0 || a == b || !p.holds(f[0], a, b, f[3]) {
			return fmt.Errorf("not an edge of the history: %s", edge)
		}
		inProof := func(e anomaly.Edge) bool {
			key := ""
			if e.Var != anomaly.NoVar {
				key = p.client.Key(e.Var)
			}
			return e.Kind.String() == f[0] && e.From == a && e.To == b && key == f[3]
		}
		inJSON := func(d report.Dependency) bool {
			return d.Kind == f[0] && d.From == id[f[1]] && d.To == id[f[2]] && d.Key == f[3]
		}
		if !slices.ContainsFunc(proof.Cycle, inProof) || !slices.ContainsFunc(v.Explanation.Cycle, inJSON) {
			return fmt.Errorf("not in the proof, or not in the JSON: %s", edge)
		}
	}
	return nil
}

// holds reports whether two transactions can have such an edge.
func (p *printed) holds(kind string, a, b int, key string) bool {
	writes := func(t int) bool {
		return t == 0 || slices.ContainsFunc(semantics.LastWrites(&p.h.Txns[t]), func(w behaviour.Write) bool { return p.client.Key(w.Var) == key })
	}
	reads := func(t int, from func(int) bool) bool {
		return slices.ContainsFunc(p.h.Txns[t].Events, func(e semantics.Event) bool {
			return e.Kind == semantics.Read && p.client.Key(e.Var) == key && from(e.From)
		})
	}
	switch kind {
	case "so":
		return key == "" && sessionOrder(p.h, a, b)
	case "wr":
		return reads(b, func(from int) bool { return from == a })
	case "ww":
		return writes(a) && writes(b)
	}
	return writes(b) && reads(a, func(from int) bool { return from != b && from != semantics.Own })
}

func sessionOrder(h *semantics.History, a, b int) bool {
	t, u := h.Txns[a], h.Txns[b]
	switch {
	case a == 0 || b == 0:
		return b != 0
	case t.Session == u.Session:
		return t.Index < u.Index
	}
	return u.Session == h.Final
}

// firstNotSerial is the first step after which no serial order explains what has
// been done; -1 when one explains everything. It tries all orders.
func firstNotSerial(h *semantics.History, steps []anomaly.Step) int {
	for i := range steps {
		if !serial(h, steps[:i+1]) {
			return i
		}
	}
	return -1
}

func serial(h *semantics.History, steps []anomaly.Step) bool {
	events := map[int]int{}
	for _, s := range steps {
		if _, ok := events[s.Txn]; !ok {
			events[s.Txn] = 0
		}
		if s.Op == anomaly.Access {
			events[s.Txn]++
		}
	}
	var place func(done []int, latest map[behaviour.VarID]int) bool
	place = func(done []int, latest map[behaviour.VarID]int) bool {
		if len(done) == len(events) {
			return true
		}
		for t, n := range events {
			early := slices.Contains(done, t)
			for u := range events {
				early = early || sessionOrder(h, u, t) && !slices.Contains(done, u)
			}
			if early {
				continue
			}
			if after, ok := run(&h.Txns[t], t, n, latest); ok && place(append(slices.Clone(done), t), after) {
				return true
			}
		}
		return false
	}
	return place(nil, map[behaviour.VarID]int{})
}

// run does the first n operations of a transaction; false when one would read
// something else.
func run(txn *semantics.Txn, t, n int, latest map[behaviour.VarID]int) (map[behaviour.VarID]int, bool) {
	after := map[behaviour.VarID]int{}
	for x, u := range latest {
		after[x] = u
	}
	for _, e := range txn.Events[:n] {
		switch {
		case e.Kind == semantics.Write && txn.Status == semantics.Committed:
			after[e.Var] = t
		case e.Kind == semantics.Read && e.From != semantics.Own && e.From != latest[e.Var]:
			return nil, false
		}
	}
	return after, true
}
