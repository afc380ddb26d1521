package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// Histories with a certificate: the database tells the timestamps of the transactions or
// a serialization order. A replay of that order decides the level in one pass.

// hints tells about when transactions committed: by the commit timestamps, or by the order of
// the recording, unless that is one session after another.
func (r *Recording) hints() {
	in := r.in
	in.timed = len(r.commit) == in.txns() && in.txns() > 0
	if !in.timed && in.bySession() {
		return
	}
	first := int64(0)
	if in.timed {
		first = slices.Min(r.commit)
	}
	in.hint = make([]float64, in.txns())
	for t := range in.hint {
		in.hint[t] = float64(t)
		if in.timed {
			in.hint[t] = float64(r.commit[t] - first)
		}
	}
}

// bySession reports whether the sessions were recorded one after another.
func (in *input) bySession() bool {
	ended := make(map[int32]bool)
	for t, s := range in.session {
		if t == 0 || in.session[t-1] == s {
			continue
		}
		if ended[s] {
			return false
		}
		ended[in.session[t-1]] = true
	}
	return true
}

// predicateReads numbers the versions of predicate reads; it returns those whose
// result is not what matches.
func (r *Recording) predicateReads() []fault {
	for _, p := range r.predicates {
		if p.where != nil && !p.where.listed {
			continue
		}
		set := make([]keyValue, 0, len(p.set))
		want := make(map[int32]bool)
		for _, v := range p.set {
			n := r.number(v)
			set = append(set, keyValue{int32(v.Key), n})
			if p.match(v) {
				want[n] = true
			}
		}
		wrong := false
		for _, v := range p.result {
			n := r.number(v)
			wrong = wrong || !want[n]
			delete(want, n)
		}
		if wrong || len(want) > 0 {
			r.wrong = append(r.wrong, fault{WrongResult, p.txn, -1, -1, -1})
		}
		slices.SortFunc(set, func(a, b keyValue) int { return int(a.key) - int(b.key) })
		match := func(v int32) bool {
			k := r.values.key[v]
			if k < 0 {
				return p.match(Version{Key: Key(-1 - k), Initial: true})
			}
			return p.match(Version{Key: Key(k), Value: r.values.value[v]})
		}
		r.in.preds = append(r.in.preds, predicateRead{txn: p.txn, set: set, match: match, where: p.where, snapshot: p.snapshot})
	}
	r.predicates = nil
	return r.wrong
}

// Timestamps decides whether the history is one of SI or SER by the times of
// Recording.Timestamps. There transactions read and write at these times. For SER that
// is when they commit. The check takes one pass over the transactions sorted by time. A
// history that fails may still satisfy the level at other times.
func (c *Checker) Timestamps(level isolation.Level) (*Verdict, error) {
	if level != isolation.SI && level != isolation.SER {
		return nil, fmt.Errorf("timestamps are checked for si and ser, not for %v", level)
	}
	if len(c.r.commit) != c.r.in.txns() {
		return nil, fmt.Errorf("only %d of %d transactions have timestamps", len(c.r.commit), c.r.in.txns())
	}
	n, v := c.certified(level)
	if n.f == nil {
		return v, nil
	}
	start, commit := make([]int64, n.f.n), make([]int64, n.f.n)
	for i, t := range n.orig[1:] {
		start[i+1], commit[i+1] = c.r.start[t], c.r.commit[t]
	}
	points := n.f.byTimestamps(level, start, commit)
	return c.conclude(n, v, points, n.f.replay(level, points)), nil
}

// Serial decides whether the history is that of its transactions run one after
// another in the order told by Recording.Serial: serializability, in one pass. Transactions that
// only read need no place in the order: they get the first one that their reads and their
// session allow.
func (c *Checker) Serial() (*Verdict, error) {
	if c.r.serial == nil {
		return nil, fmt.Errorf("the history tells no serialization order")
	}
	n, v := c.certified(isolation.SER)
	if n.f == nil {
		return v, nil
	}
	number := make([]int32, c.r.in.txns())
	for i, t := range n.orig[1:] {
		number[t] = int32(i) + 1
	}
	var points []int32
	for _, t := range c.r.serial {
		if t < 0 || t >= len(number) {
			return nil, fmt.Errorf("the serialization order has a transaction %d, of %d", t, len(number))
		}
		if number[t] > 0 {
			points = append(points, number[t])
			number[t] = -number[t]
		} else if number[t] < 0 {
			return c.conclude(n, v, points, &mismatch{kind: Missing, txn: -number[t], key: -1}), nil
		}
	}
	var readers []int32
	for _, k := range number {
		switch {
		case k <= 0:
		case len(n.f.writesOf(k)) > 0:
			return c.conclude(n, v, points, &mismatch{kind: Missing, txn: k, key: -1}), nil
		default:
			readers = append(readers, k)
		}
	}
	points = n.f.placed(points, readers)
	return c.conclude(n, v, points, n.f.replay(isolation.SER, points)), nil
}

// placed puts transactions that only read between others. Such a transaction gets the first
// place after all that it reads from: before a later one there is only more that it did not
// see.
func (f *form) placed(points, readers []int32) []int32 {
	if len(readers) == 0 {
		return points
	}
	after := make([]int, f.n) // how many of the points come before, or are the transaction itself
	for i, t := range points {
		after[t] = i + 1
	}
	slices.Sort(readers) // those of a session in its order
	for _, t := range readers {
		if u := f.prev[t]; u >= 0 {
			after[t] = after[u]
		}
		for _, r := range f.readsOf(t) {
			after[t] = max(after[t], after[r.from])
		}
	}
	slices.SortStableFunc(readers, func(a, b int32) int { return cmp.Compare(after[a], after[b]) })
	all := make([]int32, 0, len(points)+len(readers))
	for i := 0; i <= len(points); i++ {
		for len(readers) > 0 && after[readers[0]] == i {
			all, readers = append(all, readers[0]), readers[1:]
		}
		if i < len(points) {
			all = append(all, points[i])
		}
	}
	return all
}

// certified returns the form of a history with a certificate, or a verdict without one.
func (c *Checker) certified(level isolation.Level) (numbered, *Verdict) {
	v := &Verdict{Level: level}
	if v.addFaults(c.s.faults) {
		return numbered{}, v
	}
	if len(c.s.open) > 0 || c.s.ambiguous {
		v.Why = "several transactions wrote the same value"
		return numbered{}, v
	}
	n, _ := c.s.form(c.o.rules(), nil)
	return n, v
}

func (c *Checker) conclude(n numbered, v *Verdict, points []int32, m *mismatch) *Verdict {
	if m != nil {
		v.Outcome = Violated
		v.Mismatch = &Mismatch{Kind: m.kind, Txn: int(n.orig[m.txn]), Read: int(n.orig[m.read]), Other: int(n.orig[m.other])}
		if m.key >= 0 {
			v.Mismatch.Key = c.r.names[m.key]
		}
		return v
	}
	v.Outcome = Satisfied
	if c.o.Certificate {
		v.Order = append(v.Order, -1)
		for _, p := range points {
			if v.Level == isolation.SER {
				v.Order = append(v.Order, int(n.orig[p]))
			} else if p&1 == 1 {
				v.Order = append(v.Order, int(n.orig[p>>1]))
			}
		}
	}
	return v
}

// mismatch is a contradiction between a certificate and the history: see Mismatch.
type mismatch struct {
	kind             MismatchKind
	txn              int32
	key, read, other int32
}

// replay goes once through the transactions, in the order of the points at which they
// read and write, and compares each read with what is there. It returns nil when all is
// right. points are nodes of a digraph, split unless the level is SER.
//
// This is Enne's replay of an expected serialization order (Clark, Donaldson, Wickerson,
// Rigger, "Validating database system isolation level implementations with version
// certificate recovery", EuroSys 2024, section 5), and Chronos' check of start and commit
// timestamps (Li et al., "Online timestamp-based transactional isolation checking of
// database systems", ICDE 2025).
func (f *form) replay(level isolation.Level, points []int32) *mismatch {
	split := level != isolation.SER
	current := make([]int32, f.keys)
	at := make([]int32, f.keys) // when it was written
	began := make([]int32, f.n) // when a transaction read, plus 1
	ended := make([]bool, f.n)
	ended[0] = f.init
	for i, v := range points {
		t := v
		if split {
			t = v >> 1
		}
		if !split || v&1 == 0 {
			began[t] = int32(i) + 1
			if u := f.prev[t]; u >= 0 && !ended[u] {
				return &mismatch{kind: Early, txn: t, key: -1, other: u}
			}
			for _, r := range f.readsOf(t) {
				if current[r.key] != r.from {
					return &mismatch{WrongRead, t, r.key, r.from, current[r.key]}
				}
			}
		}
		if !split || v&1 == 1 {
			ended[t] = true
			for _, x := range f.writesOf(t) {
				if level == isolation.SI && at[x] >= began[t] {
					return &mismatch{Overlap, t, x, t, current[x]}
				}
				current[x], at[x] = t, int32(i)+1
			}
		}
	}
	return nil
}

// byTimestamps returns the points in the order of their timestamps. At the same
// time commits come before begins, and transactions that begin and commit at that
// time between the two. For SER a transaction happens when it commits.
func (f *form) byTimestamps(level isolation.Level, start, commit []int64) []int32 {
	type stamped struct {
		at   int64
		kind int32
		node int32
	}
	points := make([]stamped, 0, 2*f.n)
	for t := int32(1); int(t) < f.n; t++ {
		switch {
		case level == isolation.SER:
			points = append(points, stamped{commit[t], 0, t})
		case start[t] == commit[t]:
			points = append(points, stamped{start[t], 1, 2 * t}, stamped{commit[t], 1, 2*t + 1})
		default:
			points = append(points, stamped{start[t], 2, 2 * t}, stamped{commit[t], 0, 2*t + 1})
		}
	}
	slices.SortFunc(points, func(a, b stamped) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind), cmp.Compare(a.node, b.node))
	})
	nodes := make([]int32, len(points))
	for i, p := range points {
		nodes[i] = p.node
	}
	return nodes
}
