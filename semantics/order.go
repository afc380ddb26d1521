package semantics

import (
	"slices"

	"github.com/txmc/txmc/program/behaviour"
)

// Order puts the transactions of h into an order that extends so and wr: among
// those that may come next, the first in h comes first. It returns the ordered
// history and, for each position, the index in h.Txns. It is false when so ∪ wr
// has a cycle or a read is from a transaction that does not write the variable.
// Pending transactions are taken as aborted, which no level tells apart.
func Order(h *History) (ordered *Ordered, order []int, ok bool) {
	if !readsFromWriters(h) {
		return nil, nil, false
	}
	at := make([]int, len(h.Txns)) // position, -1 when not yet placed
	for i := range at {
		at[i] = -1
	}
	o := &Ordered{}
	o.Reset(h.Sessions, h.Final, nil)
	at[0], order = 0, []int{0}
	for len(order) < len(h.Txns) {
		next := 0
		for next < len(h.Txns) && !mayFollow(h, at, next) {
			next++
		}
		if next == len(h.Txns) {
			return nil, nil, false
		}
		at[next] = o.Len()
		order = append(order, next)
		o.append(&h.Txns[next], at)
	}
	return o, order, true
}

// mayFollow reports whether transaction u is not placed and all its so ∪ wr
// predecessors are.
func mayFollow(h *History, at []int, u int) bool {
	if at[u] >= 0 {
		return false
	}
	for t := range h.Txns {
		if at[t] < 0 && (h.So(t, u) || h.Wr(t, u)) {
			return false
		}
	}
	return true
}

func (h *Ordered) append(t *Txn, at []int) {
	h.Begin(t.Session)
	for _, e := range t.Events {
		if e.Kind == Read && e.From != Own {
			h.Read(e.Var, at[e.From])
			h.Reads[len(h.Reads)-1].Lock = e.Lock
		}
	}
	if t.Status == Committed {
		h.Commit(LastWrites(t))
	} else {
		h.Abort()
	}
}

// LastWrites returns the last write of each variable in t, by variable.
func LastWrites(t *Txn) []behaviour.Write {
	var writes []behaviour.Write
	for _, e := range t.Events {
		if e.Kind != Write {
			continue
		}
		i, found := slices.BinarySearchFunc(writes, e.Var, func(w behaviour.Write, x behaviour.VarID) int { return int(w.Var) - int(x) })
		if found {
			writes[i].Val = e.Val
		} else {
			writes = slices.Insert(writes, i, behaviour.Write{Var: e.Var, Val: e.Val})
		}
	}
	return writes
}

// readsFromWriters checks that wr leads from committed writers.
func readsFromWriters(h *History) bool {
	for i := range h.Txns {
		for _, e := range h.Txns[i].Events {
			if e.Kind != Read || e.From == Own || e.From == 0 {
				continue
			}
			if e.From < 0 || e.From >= len(h.Txns) {
				return false
			}
			u := &h.Txns[e.From]
			writes := u.Status == Committed && slices.ContainsFunc(u.Events, func(w Event) bool { return w.Kind == Write && w.Var == e.Var })
			if !writes {
				return false
			}
		}
	}
	return true
}
