package semantics_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Order extends session order and write-read, and the ordered history has the
// causal past and the writers of the history.
func TestOrder(t *testing.T) {
	t.Parallel()
	h, order, ok := semantics.Order(example())
	if !ok {
		t.Fatal("no order")
	}
	if want := []int{0, 1, 2, 3, 4, 5}; !slices.Equal(order, want) {
		t.Fatalf("order %v, want %v", order, want)
	}
	past := [][]int{{}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}}
	for i, want := range past {
		if got := elements(h.Past(i)); !slices.Equal(got, want) {
			t.Errorf("causal past of %d: %v, want %v", i, got, want)
		}
	}
	if got, want := elements(h.Writers(0)), []int{0, 1, 5}; !slices.Equal(got, want) {
		t.Errorf("writers of 0: %v, want %v", got, want)
	}
}

// A read from a transaction that comes later in the data comes later in the order.
func TestOrderFollowsReads(t *testing.T) {
	t.Parallel()
	h := &semantics.History{Sessions: 2, Final: -1, Txns: []semantics.Txn{
		{Session: -1, Status: semantics.Committed},
		{Session: 0, Status: semantics.Committed, Events: []semantics.Event{{Kind: semantics.Read, Val: 1, From: 2}}},
		{Session: 1, Status: semantics.Committed, Events: []semantics.Event{{Kind: semantics.Write, Val: 1}}},
	}}
	if _, order, ok := semantics.Order(h); !ok || !slices.Equal(order, []int{0, 2, 1}) {
		t.Errorf("order %v, %v", order, ok)
	}
	for name, change := range map[string]func(h *semantics.History){
		"a cycle": func(h *semantics.History) {
			h.Txns[1].Events = append(h.Txns[1].Events, semantics.Event{Kind: semantics.Write, Var: 1, Val: 1})
			h.Txns[2].Events = append(h.Txns[2].Events, semantics.Event{Kind: semantics.Read, Var: 1, Val: 1, From: 1})
		},
		"an aborted writer": func(h *semantics.History) { h.Txns[2].Status = semantics.Aborted },
		"a pending writer":  func(h *semantics.History) { h.Txns[2].Status = semantics.Pending },
		"no writer":         func(h *semantics.History) { h.Txns[2].Events[0].Var = 1 },
		"nobody":            func(h *semantics.History) { h.Txns[1].Events[0].From = 3 },
	} {
		g := &semantics.History{Sessions: 2, Final: -1}
		for _, txn := range h.Txns {
			txn.Events = slices.Clone(txn.Events)
			g.Txns = append(g.Txns, txn)
		}
		change(g)
		if _, order, ok := semantics.Order(g); ok {
			t.Errorf("a read from %s: order %v", name, order)
		}
	}
}

// The last write of each variable counts, by variable.
func TestLastWrites(t *testing.T) {
	t.Parallel()
	txn := &semantics.Txn{}
	for _, w := range []behaviour.Write{{Var: 2, Val: 1}, {Var: 0, Val: 2}, {Var: 2, Val: 3}, {Var: 1, Val: 4}} {
		txn.Events = append(txn.Events, semantics.Event{Kind: semantics.Write, Var: w.Var, Val: w.Val},
			semantics.Event{Kind: semantics.Read, Var: w.Var, Val: 9, From: semantics.Own})
	}
	want := []behaviour.Write{{Var: 0, Val: 2}, {Var: 1, Val: 4}, {Var: 2, Val: 3}}
	if diff := cmp.Diff(want, semantics.LastWrites(txn)); diff != "" {
		t.Error(diff)
	}
}

func elements(r semantics.Row) []int {
	list := []int{}
	for i := r.Next(0); i >= 0; i = r.Next(i + 1) {
		list = append(list, i)
	}
	return list
}
