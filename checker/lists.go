package checker

import (
	"cmp"
	"maps"
	"slices"
)

// lists collects what reads of lists tell about the order of their elements. Every
// list of a key is the beginning of the longest.
type lists struct {
	longest map[int32]listRead
	faults  []fault
}

// listRead is a list and the operation that read it.
type listRead struct {
	values  []int32
	txn, op int32
}

func (l *lists) read(key int32, values []int32, txn, op int32) {
	if l.longest == nil {
		l.longest = make(map[int32]listRead)
	}
	old, ok := l.longest[key]
	n := min(len(values), len(old.values))
	if !slices.Equal(values[:n], old.values[:n]) {
		l.note(fault{IncompatibleOrder, txn, op, old.txn, old.op})
		return
	}
	if seen := slices.Sorted(slices.Values(values)); len(slices.Compact(seen)) < len(values) {
		l.note(fault{IncompatibleOrder, txn, op, -1, -1})
		return
	}
	if !ok || len(values) > len(old.values) {
		l.longest[key] = listRead{values, txn, op}
	}
}

func (l *lists) note(f fault) {
	if len(l.faults) == 0 {
		l.faults = append(l.faults, f)
	}
}

// versionOrder is the order of some values of a key.
type versionOrder struct {
	key    int32
	values []int32
}

// orders returns the order of each key's elements: those of the longest list, and
// then, each after these, whatever was appended and is in no list.
func (l *lists) orders(in *input) []versionOrder {
	var orders []versionOrder
	if len(l.longest) == 0 {
		return nil
	}
	listed := make(map[int32]bool)
	for k, r := range l.longest {
		orders = append(orders, versionOrder{k, r.values})
		for _, v := range r.values {
			listed[v] = true
		}
	}
	slices.SortFunc(orders, func(a, b versionOrder) int { return int(a.key) - int(b.key) })
	for _, o := range in.ops {
		if r, ok := l.longest[o.key]; ok && o.write && !listed[o.value] {
			orders = append(orders, versionOrder{o.key, []int32{r.values[len(r.values)-1], o.value}})
		}
	}
	return orders
}

// elements finds lists with elements that nobody wrote or that an aborted
// transaction wrote. A transaction of unknown outcome that wrote one has committed.
func (l *lists) elements(s *sources) {
	reads := slices.Collect(maps.Values(l.longest))
	slices.SortFunc(reads, func(a, b listRead) int { return cmp.Or(int(a.txn)-int(b.txn), int(a.op)-int(b.op)) })
	for _, o := range reads {
		for _, v := range o.values {
			ws := s.writes.of(v)
			if len(ws) == 0 {
				s.fault(fault{GarbageRead, o.txn, o.op, -1, -1})
				continue
			}
			switch u := ws[0].txn; s.in.outcome[u] {
			case aborted:
				s.fault(fault{AbortedRead, o.txn, o.op, u, ws[0].op})
			case unknown:
				s.in.outcome[u] = committed
			}
		}
	}
	for _, f := range l.faults {
		s.fault(f)
	}
}
