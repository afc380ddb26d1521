package checker

import (
	"fmt"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// hints lets the search for an order begin with the commit timestamps.
func (r *Recording) hints() {
	if len(r.commit) != r.in.txns() || len(r.commit) == 0 {
		return
	}
	first := r.commit[0]
	for _, c := range r.commit {
		first = min(first, c)
	}
	r.in.hint = make([]float64, len(r.commit))
	for t, c := range r.commit {
		r.in.hint[t] = float64(c - first)
	}
}

// predicateReads numbers the versions of predicate reads; it returns those whose
// result is not what matches.
func (r *Recording) predicateReads() []fault {
	for _, p := range r.predicates {
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
		r.in.preds = append(r.in.preds, predicateRead{txn: p.txn, set: set, match: match})
	}
	r.predicates = nil
	return r.wrong
}

// Timestamps decides whether the history is one of SI or SER in which transactions
// read and write at the times told by Recording.Timestamps; for SER that is when
// they commit. This takes one pass over the transactions sorted by time; a history
// that fails may still satisfy the level at other times.
func (c *Checker) Timestamps(level isolation.Level) (*Verdict, error) {
	if level != isolation.SI && level != isolation.SER {
		return nil, fmt.Errorf("timestamps are checked for si and ser, not for %v", level)
	}
	if len(c.r.commit) != c.r.in.txns() {
		return nil, fmt.Errorf("only %d of %d transactions have timestamps", len(c.r.commit), c.r.in.txns())
	}
	n, v := c.claimed(level)
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
// another in the order told by Recording.Serial: serializability, in one pass.
func (c *Checker) Serial() (*Verdict, error) {
	if c.r.serial == nil {
		return nil, fmt.Errorf("the history tells no serialization order")
	}
	n, v := c.claimed(isolation.SER)
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
	for _, k := range number {
		if k > 0 {
			return c.conclude(n, v, points, &mismatch{kind: Missing, txn: k, key: -1}), nil
		}
	}
	return c.conclude(n, v, points, n.f.replay(isolation.SER, points)), nil
}

// claimed returns the form for a claim, or a verdict without one.
func (c *Checker) claimed(level isolation.Level) (numbered, *Verdict) {
	v := &Verdict{Level: level}
	if v.addFaults(c.s.faults) {
		return numbered{}, v
	}
	if len(c.s.open) > 0 {
		v.Why = "several transactions wrote the same value"
		return numbered{}, v
	}
	n, _ := c.s.form(c.o.rules(), nil)
	return n, v
}

func (c *Checker) conclude(n numbered, v *Verdict, points []int32, m *mismatch) *Verdict {
	if m != nil {
		v.Outcome = Violated
		v.Claim = &Claim{Kind: m.kind, Txn: int(n.orig[m.txn]), Read: int(n.orig[m.read]), Other: int(n.orig[m.other])}
		if m.key >= 0 {
			v.Claim.Key = c.r.names[m.key]
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
