package check

import (
	"slices"

	"github.com/txmc/txmc/history"
)

// Which write each read is from, and the reads that no level allows (Adya 1999: G1a
// and G1b; Kingsbury and Alvaro, VLDB 2020, for the others).

// Fault is a kind of read that no level allows, whatever the commit order.
type Fault uint8

const (
	// NoFault: nothing is wrong with the reads as such.
	NoFault Fault = iota
	// AbortedRead reads a value that only an aborted transaction wrote (Adya: G1a).
	AbortedRead
	// IntermediateRead reads a value that its transaction overwrote (G1b).
	IntermediateRead
	// GarbageRead reads a value that nobody wrote.
	GarbageRead
	// FutureRead reads a value that only its own transaction writes, and later.
	FutureRead
	// InternalRead does not read what its own transaction wrote before.
	InternalRead
	// DuplicateWrite writes a value of a key that has been written before, where
	// values are said to be unique.
	DuplicateWrite
	// IncompatibleOrder: of two lists of a key neither begins with the other; or a list
	// has an element twice, or a transaction's appends in another order or with others
	// between them.
	IncompatibleOrder
	// WrongResult: a predicate returned something else than the versions of its set
	// that match.
	WrongResult
	// LostAppend: a list without an append, and with another of the same transaction,
	// which others follow.
	LostAppend
)

var faultNames = [...]string{"", "aborted read", "intermediate read", "garbage read", "future read",
	"internal inconsistency", "duplicate write", "incompatible order", "wrong predicate result", "lost append"}

// String returns the anomaly's name.
func (f Fault) String() string { return faultNames[f] }

// fault is a faulty operation, and one that it contradicts, or -1.
type fault struct {
	kind      Fault
	txn, op   int32
	other, by int32 // transaction and operation
}

// writeAt is a write of a value; final unless the transaction overwrites it.
type writeAt struct {
	txn, op int32
	final   bool
}

// valueWriters lists the writes of each value.
type valueWriters struct {
	off []int32
	at  []writeAt
}

func (v *valueWriters) of(value int32) []writeAt { return v.at[v.off[value]:v.off[value+1]] }

// last numbers a transaction's last write of each key.
type last struct {
	by []int32 // by key: the transaction of which it tells, plus 1
	op []int32
}

// beginsInitial reports whether the first transaction of the recording is the initial
// one: it writes initial values and does nothing else.
func (in *input) beginsInitial() bool {
	return in.txns() > 0 && in.off[1] > 0 && in.fate[0] == history.Committed &&
		!slices.ContainsFunc(in.opsOf(0), func(o op) bool { return !o.write || !in.initial[o.value] })
}

func (in *input) valueWriters() *valueWriters {
	v := &valueWriters{off: make([]int32, len(in.initial)+1)}
	first := int32(0)
	if in.beginsInitial() {
		first = 1
	}
	for t := first; int(t) < in.txns(); t++ {
		for _, o := range in.opsOf(t) {
			if o.write {
				v.off[o.value+1]++
			}
		}
	}
	for i := range in.initial {
		v.off[i+1] += v.off[i]
	}
	v.at = make([]writeAt, v.off[len(in.initial)])
	next := slices.Clone(v.off[:len(in.initial)])
	l := last{make([]int32, in.keys), make([]int32, in.keys)}
	for t := first; int(t) < in.txns(); t++ {
		ops := in.opsOf(t)
		for i, o := range ops {
			if o.write {
				l.by[o.key], l.op[o.key] = t+1, int32(i)
			}
		}
		for i, o := range ops {
			if o.write {
				v.at[next[o.value]] = writeAt{t, int32(i), l.op[o.key] == int32(i)}
				next[o.value]++
			}
		}
	}
	return v
}

// sources holds the possible writers of each read.
type sources struct {
	in     *input
	writes *valueWriters
	keep   []bool  // transactions that count, or may
	sure   []bool  // transactions that count
	faulty []bool  // transactions with a read that no level allows
	from   []int32 // by operation: of an external read the writer, plus 1, or 0 for the initial one; or own, or several
	open   []openRead
	faults []fault // the first of each kind, in transactions that count

	longest   map[int32]listRead // by key, of transactions that certainly count
	ambiguous bool               // a list has an element that was appended several times

	only   numbered // the form, when there are no open reads
	onlyBy rules
}

// own marks operations that are not external reads, several those with an openRead.
const (
	own     = -1
	several = -2
)

// openRead is an external read of a value that several transactions wrote.
type openRead struct {
	txn  int32
	op   int32   // place among all operations
	from []int32 // as in sources.from
}

// resolve finds the writers of each read. A transaction of unknown fate counts when a
// transaction that counts reads from it. Otherwise it is left out: leaving out a
// transaction that nobody reads from violates no level.
func (in *input) resolve(unique bool) *sources {
	n := in.txns()
	s := &sources{in: in, writes: in.valueWriters(), keep: make([]bool, n), sure: make([]bool, n),
		faulty: make([]bool, n), from: make([]int32, len(in.ops))}
	if unique {
		s.duplicates()
	}
	l := &last{make([]int32, in.keys), make([]int32, in.keys)}
	var todo []int32
	for t := range int32(n) {
		if in.fate[t] == history.Committed && (t > 0 || !in.beginsInitial()) {
			s.keep[t], s.sure[t] = true, true
			todo = append(todo, t)
		}
	}
	todo = append(todo, s.committedLists()...)
	for len(todo) > 0 {
		todo = append(todo, s.readsFrom(todo[0], l, true)...)
		todo = todo[1:]
	}
	for _, f := range s.torn(s.longest) {
		if !slices.ContainsFunc(s.faults, func(g fault) bool { return g.txn == f.txn && g.op == f.op }) {
			s.fault(f)
		}
	}
	for i := 0; i < len(s.open); i++ {
		for _, u := range s.open[i].from {
			if u > 0 && !s.keep[u-1] {
				s.keep[u-1] = true
				todo = append(todo, u-1)
			}
		}
		for len(todo) > 0 {
			todo = append(todo, s.readsFrom(todo[0], l, false)...)
			todo = todo[1:]
		}
	}
	return s
}

// note keeps a fault of a read.
func (s *sources) note(f fault) {
	s.faulty[f.txn] = true
	if s.sure[f.txn] {
		s.fault(f)
	}
}

// fault keeps a fault when it is the first of its kind.
func (s *sources) fault(f fault) {
	if !slices.ContainsFunc(s.faults, func(g fault) bool { return g.kind == f.kind }) {
		s.faults = append(s.faults, f)
	}
}

// duplicates notes values that are written twice.
func (s *sources) duplicates() {
	for value := range int32(len(s.in.initial)) {
		ws := s.writes.of(value)
		if s.in.initial[value] && len(ws) > 0 {
			s.fault(fault{DuplicateWrite, ws[0].txn, ws[0].op, -1, -1})
			return
		} else if len(ws) > 1 {
			s.fault(fault{DuplicateWrite, ws[1].txn, ws[1].op, ws[0].txn, ws[0].op})
			return
		}
	}
}

// readsFrom finds the writers of the reads of transaction t. It returns the transactions
// of unknown fate that t reads from: they count now. sure says whether t certainly counts.
func (s *sources) readsFrom(t int32, l *last, sure bool) (more []int32) {
	in := s.in
	base := in.off[t]
	for i, o := range in.opsOf(t) {
		i := int32(i)
		s.from[base+i] = own
		if o.write {
			l.by[o.key], l.op[o.key] = t+1, i
			continue
		}
		if l.by[o.key] == t+1 && !o.base {
			if w := in.opsOf(t)[l.op[o.key]]; w.value != o.value {
				s.note(fault{InternalRead, t, i, t, l.op[o.key]})
			}
			continue
		}
		from, bad := s.candidates(t, i, o)
		switch {
		case bad.kind != NoFault:
			s.note(bad)
		case len(from) > 1:
			s.from[base+i] = several
			s.open = append(s.open, openRead{t, base + i, from})
		default:
			s.from[base+i] = from[0]
			if u := from[0]; u > 0 && !s.keep[u-1] {
				s.keep[u-1], s.sure[u-1] = true, sure
				more = append(more, u-1)
			}
		}
	}
	for _, o := range in.opsOf(t) {
		l.by[o.key] = 0
	}
	return append(more, s.listsOf(t, sure)...)
}

// candidates returns the possible writers of a read, as in sources.from. If there are
// none, it returns the fault of the read.
func (s *sources) candidates(t, i int32, o op) ([]int32, fault) {
	var from []int32
	if s.in.initial[o.value] {
		from = append(from, 0)
	}
	bad := fault{GarbageRead, t, i, -1, -1}
	for _, w := range s.writes.of(o.value) {
		var kind Fault
		switch {
		case w.txn == t && w.op < i: // what stands before the own appends
			kind = InternalRead
		case w.txn == t:
			kind = FutureRead
		case s.in.fate[w.txn] == history.Aborted:
			kind = AbortedRead
		case !w.final:
			kind = IntermediateRead
		default:
			from = append(from, w.txn+1)
			continue
		}
		if bad.other < 0 || kind < bad.kind {
			bad = fault{kind, t, i, w.txn, w.op}
		}
	}
	if len(from) > 0 {
		return from, fault{}
	}
	return nil, bad
}
