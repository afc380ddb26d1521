package semantics

import (
	"cmp"
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Extract returns the history of h, an explored ordered history, and the order
// of its transactions as indexes in History.Txns.
func (h *Ordered) Extract() (*History, []int) {
	positions := make([]int, h.Len())
	for i := range positions {
		positions[i] = i
	}
	slices.SortFunc(positions, func(a, b int) int {
		x, y := &h.Txns[a], &h.Txns[b]
		return cmp.Or(cmp.Compare(x.Session, y.Session), cmp.Compare(x.Index, y.Index))
	})
	order := make([]int, h.Len())
	for i, p := range positions {
		order[p] = i
	}
	out := &History{Sessions: len(h.progress), Final: int(h.final), Txns: make([]Txn, h.Len())}
	out.Txns[0] = Txn{Session: -1, Status: Committed}
	for p := 1; p < h.Len(); p++ {
		h.extract(&out.Txns[order[p]], p, order)
	}
	return out, order
}

// extract fills in t from the points of the behaviour tree that the transaction
// at position p went through.
func (h *Ordered) extract(t *Txn, p int, order []int) {
	log := &h.Txns[p]
	t.Session, t.Index, t.Status = int(log.Session), int(log.Index), log.Status
	path := log.Node.Path()
	first := slices.IndexFunc(path, func(n *behaviour.Node) bool { return n.Txn == log.Index })
	k := int(log.First)
	for i, n := range path[first:] {
		for _, e := range n.Events {
			switch e.Kind {
			case behaviour.BeginEvent:
				t.Name, t.Loc = e.Text, e.Loc
			case behaviour.WriteEvent:
				t.Events = append(t.Events, Event{Kind: Write, Var: e.Var, Val: e.Val, Loc: e.Loc})
			case behaviour.OwnReadEvent:
				t.Events = append(t.Events, Event{Kind: Read, Var: e.Var, Val: e.Val, From: Own, Loc: e.Loc})
			}
		}
		switch n.Kind {
		case behaviour.Read:
			if first+i+1 < len(path) {
				t.Events = append(t.Events, Event{Kind: Read, Var: n.Var, Val: path[first+i+1].Value(), From: order[h.Reads[k].From], Lock: n.Lock || path[first+i+1].Joined, Loc: n.Loc})
				k++
			}
		case behaviour.Abort:
			t.Err = n.Text
		}
	}
}
