package check

import (
	"cmp"
	"maps"
	"slices"

	"github.com/txmc/txmc/history"
)

// A list that was read tells three things. Its elements are in the order of the appends,
// and every list of a key begins like the longest. The reader's own appends stand at its
// end; what stands before them is an external read, as the whole list is for a reader
// without own appends. The transactions that have appended the elements have committed.
// Elle reads lists so (Kingsbury and Alvaro, "Elle: inferring isolation anomalies from
// experimental observations", VLDB 2020), but for what stands before own appends.

// lists collects what reads of lists tell. Those of transactions that committed need not
// be kept: what counts is the longest.
type lists struct {
	longest map[int32]listRead   // by key, of transactions that committed
	faults  []fault              // the first two that contradict each other
	unsure  map[int32][]listRead // by transaction of unknown fate
	wrong   map[int32][]fault    // by transaction: reads without own appends
	ends    []listEnd
}

// listEnd is where a read of a list ends, but for the own appends. It is needed where
// values are repeated.
type listEnd struct {
	txn, op int32 // of all operations
	behind  int32 // elements before the own appends
}

// listRead is a list and the operation that read it.
type listRead struct {
	key     int32
	values  []int32
	txn, op int32
}

func (x *listRead) place() Place { return Place{int(x.txn), int(x.op)} }

// read notes a list of a transaction that has committed.
func (l *lists) read(x listRead) {
	if l.longest == nil {
		l.longest = make(map[int32]listRead)
	}
	if f, ok := merge(l.longest, x); !ok && len(l.faults) == 0 {
		l.faults = append(l.faults, f)
	}
}

// readUnsure notes a list of a transaction that may have committed.
func (l *lists) readUnsure(x listRead) {
	if l.unsure == nil {
		l.unsure = make(map[int32][]listRead)
	}
	if old := l.longest[x.key].values; len(old) >= len(x.values) && slices.Equal(old[:len(x.values)], x.values) {
		x.values = old[:len(x.values)] // in the same memory
	}
	l.unsure[x.txn] = append(l.unsure[x.txn], x)
}

// misread notes a list without an own append.
func (l *lists) misread(f fault) {
	if l.wrong == nil {
		l.wrong = make(map[int32][]fault)
	}
	l.wrong[f.txn] = append(l.wrong[f.txn], f)
}

// merge makes the longest list of a key longer, or returns the contradiction.
func merge(longest map[int32]listRead, x listRead) (fault, bool) {
	old, ok := longest[x.key]
	n := min(len(x.values), len(old.values))
	if !slices.Equal(x.values[:n], old.values[:n]) {
		return fault{IncompatibleOrder, x.txn, x.op, old.txn, old.op}, false
	}
	if !ok || len(x.values) > len(old.values) {
		longest[x.key] = x
	}
	return fault{}, true
}

// versionOrder is the order of some values of a key.
type versionOrder struct {
	key    int32
	values []int32
	then   int32 // a transaction that comes after all these, or -1
	from   Place // a read of a list; its Txn is -1 when the database tells it
}

// listOrders returns the order of each key's elements: those of the longest list, and
// then, each after these, whoever has appended something that is in no list.
func (in *input) listOrders(longest map[int32]listRead) []versionOrder {
	var orders []versionOrder
	if len(longest) == 0 {
		return nil
	}
	listed := make(map[int32]bool)
	for k, r := range longest {
		orders = append(orders, versionOrder{k, r.values, -1, r.place()})
		for _, v := range r.values {
			listed[v] = true
		}
	}
	slices.SortFunc(orders, func(a, b versionOrder) int { return int(a.key) - int(b.key) })
	for t := range int32(in.txns()) {
		for _, o := range in.opsOf(t) {
			if r, ok := longest[o.key]; ok && o.write && !listed[o.value] {
				orders = append(orders, versionOrder{o.key, r.values[len(r.values)-1:], t, r.place()})
			}
		}
	}
	return orders
}

// appender returns the write of a value by a transaction that has not aborted. When
// there is none, or are several, it returns what is wrong.
func (s *sources) appender(v int32) (w writeAt, wrong Fault) {
	wrong = GarbageRead
	for _, x := range s.writes.of(v) {
		switch {
		case s.in.fate[x.txn] == history.Aborted:
			if wrong == GarbageRead {
				w, wrong = x, AbortedRead
			}
		case wrong == NoFault:
			return w, DuplicateWrite
		default:
			w, wrong = x, NoFault
		}
	}
	return w, wrong
}

// elements notes what is wrong with the elements of a list, from a position on. It
// marks the transactions that have appended them: these count, or may count. It returns
// these.
func (s *sources) elements(x listRead, from int, sure bool) (more []int32) {
	for _, v := range x.values[min(from, len(x.values)):] {
		w, wrong := s.appender(v)
		switch {
		case wrong == GarbageRead:
			s.note(fault{GarbageRead, x.txn, x.op, -1, -1})
		case wrong == AbortedRead:
			s.note(fault{AbortedRead, x.txn, x.op, w.txn, w.op})
		case wrong == DuplicateWrite:
			s.ambiguous = true
		case !s.keep[w.txn]:
			s.keep[w.txn], s.sure[w.txn] = true, sure
			more = append(more, w.txn)
		}
	}
	return more
}

// committedLists does so for the lists of transactions that have committed.
func (s *sources) committedLists() (more []int32) {
	l := &s.in.lists
	s.longest = maps.Clone(l.longest)
	reads := slices.Collect(maps.Values(l.longest))
	slices.SortFunc(reads, func(a, b listRead) int { return cmp.Or(int(a.txn)-int(b.txn), int(a.op)-int(b.op)) })
	for _, x := range reads {
		more = append(more, s.elements(x, 0, true)...)
	}
	for _, f := range l.faults {
		s.note(f)
	}
	return more
}

// listsOf does so for the lists of a transaction of unknown fate that counts, or may,
// and notes lists of any without an own append.
func (s *sources) listsOf(t int32, sure bool) (more []int32) {
	l := &s.in.lists
	for _, f := range l.wrong[t] {
		s.note(f)
	}
	for _, x := range l.unsure[t] {
		from := 0
		if sure {
			from = len(s.longest[x.key].values)
			if s.longest == nil {
				s.longest = make(map[int32]listRead)
			}
			if f, ok := merge(s.longest, x); !ok {
				s.note(f)
				from = 0
			}
		}
		more = append(more, s.elements(x, from, sure)...)
	}
	return more
}

// longestOf merges the longest lists of the transactions that certainly count with
// those of the others that are kept. It is false when they contradict each other.
func (s *sources) longestOf(keep []bool) (map[int32]listRead, bool) {
	longest, changed := s.longest, false
	for _, t := range slices.Sorted(maps.Keys(s.in.lists.unsure)) {
		if !keep[t] || s.sure[t] {
			continue
		}
		if !changed {
			longest, changed = maps.Clone(longest), true
			if longest == nil {
				longest = make(map[int32]listRead)
			}
		}
		for _, x := range s.in.lists.unsure[t] {
			if _, ok := merge(longest, x); !ok {
				return nil, false
			}
		}
	}
	return longest, !changed || len(s.torn(longest)) == 0
}

// torn returns what is wrong with the order of the elements: one that stands there
// twice, and appends of a transaction that are not next to each other. A list that ends
// in the middle of a transaction's appends is an intermediate read, unless that
// transaction itself reads it: see candidates.
func (s *sources) torn(longest map[int32]listRead) (faults []fault) {
	if len(longest) == 0 || s.ambiguous {
		return nil
	}
	position := make(map[int32]int) // of a value, from 1 on
	for _, k := range slices.Sorted(maps.Keys(longest)) {
		x := longest[k]
		for i, v := range x.values {
			if position[v] > 0 {
				return []fault{{IncompatibleOrder, x.txn, x.op, -1, -1}}
			}
			position[v] = i + 1
		}
	}
	l := last{make([]int32, s.in.keys), make([]int32, s.in.keys)}
	for t := range int32(s.in.txns()) {
		if s.in.fate[t] == history.Aborted {
			continue
		}
		ops := s.in.opsOf(t)
		for i, o := range ops {
			x, ok := longest[o.key]
			if !o.write || !ok {
				continue
			}
			if l.by[o.key] == t+1 {
				before, now := position[ops[l.op[o.key]].value], position[o.value]
				switch {
				case before == 0 && now > 0:
					faults = append(faults, fault{LostAppend, x.txn, x.op, t, l.op[o.key]})
				case before == 0 || before == len(x.values) && now == 0 || now == before+1:
				case now == 0:
					faults = append(faults, fault{LostAppend, x.txn, x.op, t, int32(i)})
				default:
					faults = append(faults, fault{IncompatibleOrder, x.txn, x.op, t, int32(i)})
				}
			}
			l.by[o.key], l.op[o.key] = t+1, int32(i)
		}
	}
	return faults
}

// readsBases reports whether one of the transactions reads what stands in a list before
// its own appends.
func (in *input) readsBases(txns []int) bool {
	return slices.ContainsFunc(txns, func(t int) bool {
		return t >= 0 && slices.ContainsFunc(in.opsOf(int32(t)), func(o op) bool { return o.base })
	})
}
