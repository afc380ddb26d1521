package semantics_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// example is message passing: one session writes x and then y, the other one sees
// y and not x; a final transaction reads its own write.
func example() *semantics.History {
	read := func(x behaviour.VarID, v behaviour.ValueID, from int) semantics.Event {
		return semantics.Event{Kind: semantics.Read, Var: x, Val: v, From: from}
	}
	write := func(x behaviour.VarID, v behaviour.ValueID) semantics.Event {
		return semantics.Event{Kind: semantics.Write, Var: x, Val: v}
	}
	return &semantics.History{Sessions: 3, Final: 2, Txns: []semantics.Txn{
		{Session: -1, Status: semantics.Committed},
		{Session: 0, Index: 0, Status: semantics.Committed, Events: []semantics.Event{write(0, 1)}},
		{Session: 0, Index: 1, Status: semantics.Committed, Events: []semantics.Event{write(1, 2), write(1, 300)}},
		{Session: 1, Index: 0, Status: semantics.Committed, Events: []semantics.Event{read(1, 300, 2)}},
		{Session: 1, Index: 1, Status: semantics.Aborted, Events: []semantics.Event{read(0, 0, 0), write(0, 7)}},
		{Session: 2, Index: 0, Status: semantics.Committed, Events: []semantics.Event{write(0, 5), read(0, 5, semantics.Own)}},
	}}
}

// What the reads determine is not part of the canonical form.
func TestCanonicalLeavesOutNames(t *testing.T) {
	t.Parallel()
	h := example()
	for i := range h.Txns {
		h.Txns[i].Name, h.Txns[i].Err, h.Txns[i].Loc = "named", "failed", 3
		for j := range h.Txns[i].Events {
			h.Txns[i].Events[j].Loc = 4
		}
	}
	if !bytes.Equal(semantics.AppendCanonical(nil, h), semantics.AppendCanonical(nil, example())) {
		t.Error("names, errors or lines change the canonical form")
	}
}

// Every change of a log, of session order or of the write-read relation changes
// the form.
func TestCanonicalTellsHistoriesApart(t *testing.T) {
	t.Parallel()
	changes := map[string]func(h *semantics.History){
		"sessions": func(h *semantics.History) { h.Sessions++ },
		"final":    func(h *semantics.History) { h.Final = -1 },
		"session":  func(h *semantics.History) { h.Txns[2].Session, h.Txns[2].Index = 1, 2 },
		"status":   func(h *semantics.History) { h.Txns[4].Status = semantics.Committed },
		"kind":     func(h *semantics.History) { h.Txns[1].Events[0].Kind = semantics.Read },
		"variable": func(h *semantics.History) { h.Txns[1].Events[0].Var++ },
		"value":    func(h *semantics.History) { h.Txns[1].Events[0].Val++ },
		"writer":   func(h *semantics.History) { h.Txns[4].Events[0].From = 1 },
		"internal": func(h *semantics.History) { h.Txns[5].Events[1].From = 1 },
		"event":    func(h *semantics.History) { h.Txns[2].Events = h.Txns[2].Events[:1] },
		"order":    func(h *semantics.History) { slices.Reverse(h.Txns[2].Events) },
		"txn":      func(h *semantics.History) { h.Txns = h.Txns[:5] },
	}
	seen := map[string]string{string(semantics.AppendCanonical(nil, example())): "none"}
	for name, change := range changes {
		h := example()
		change(h)
		form := string(semantics.AppendCanonical(nil, h))
		if other, ok := seen[form]; ok {
			t.Errorf("the changes %s and %s give the same form", name, other)
		}
		seen[form] = name
	}
}
