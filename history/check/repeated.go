package check

import (
	"context"
	"maps"
	"slices"

	"github.com/txmc/txmc/history"
	"github.com/txmc/txmc/isolation"
)

// A value that was appended to a list several times may, where it stands in the list, be
// from each of these appends. The choices are gone through: for each, every append gets a
// value of its own, and the history is decided as one without repeated values.

// mostRepeated is how many choices are looked at before giving up.
const mostRepeated = 2000

// repeated are the points where there is a choice.
type repeated struct {
	s       *sources
	longest map[int32]listRead // by key, of all transactions that count or may
	points  []point
	wrong   []fault // lists that contradict those of transactions that certainly count
	left    int     // choices still to be looked at
}

// point is an element of a list, or a read of the last element alone, and the appends
// that it may be from.
type point struct {
	key, position int32 // position -1 for a read
	op            int32 // of all operations; -1 for an element
	from          []writeAt
}

// decideRepeated decides a level for a history with such values. What it returns is
// undecided when there are too many choices, or the lists of transactions that may count
// contradict each other.
func (s *sources) decideRepeated(ctx context.Context, level isolation.Level, o Options) (*Verdict, error) {
	undecided := &Verdict{Level: level, Why: "a list has a value that was appended several times"}
	r := &repeated{s: s, left: mostRepeated}
	if !r.collect() {
		return undecided, nil
	}
	v, err := r.search(ctx, level, o, 0, make([]writeAt, len(r.points)))
	switch {
	case err != nil || v != nil:
		return v, err
	case r.left <= 0 || ctx.Err() != nil:
		return undecided, nil
	}
	return &Verdict{Level: level, Outcome: Violated}, nil
}

// collect finds the points. It is false when this is given up.
func (r *repeated) collect() bool {
	in := r.s.in
	if len(in.preds)+len(in.versions) > 0 {
		return false
	}
	if !r.merge() {
		return false
	}
	for _, k := range slices.Sorted(maps.Keys(r.longest)) {
		for i, v := range r.longest[k].values {
			if from := r.appends(v); len(from) > 1 {
				r.points = append(r.points, point{k, int32(i), -1, from})
			}
		}
	}
	ends := make(map[int32]bool, len(in.lists.ends))
	for _, e := range in.lists.ends {
		ends[e.op] = true
	}
	for j, o := range in.ops {
		if _, ok := r.longest[o.key]; ok && !o.write && !ends[int32(j)] && !in.initial[o.value] {
			if from := r.appends(o.value); len(from) > 1 {
				r.points = append(r.points, point{o.key, -1, int32(j), from})
			}
		}
	}
	return true
}

// merge finds the longest lists. It is false when two transactions that may count, or may
// not, contradict each other.
func (r *repeated) merge() bool {
	r.longest = make(map[int32]listRead)
	maps.Copy(r.longest, r.s.longest)
	unsure := r.s.in.lists.unsure
	for _, t := range slices.Sorted(maps.Keys(unsure)) {
		for _, x := range unsure[t] {
			if !r.s.keep[t] {
				break
			}
			certain := map[int32]listRead{x.key: r.s.longest[x.key]}
			if f, ok := merge(certain, x); !ok {
				r.wrong = append(r.wrong, f)
			} else if _, ok := merge(r.longest, x); !ok {
				return false
			}
		}
	}
	return true
}

// appends are those of a value by transactions that have not aborted.
func (r *repeated) appends(v int32) []writeAt {
	return slices.DeleteFunc(slices.Clone(r.s.writes.of(v)), func(w writeAt) bool { return r.s.in.fate[w.txn] == history.Aborted })
}

// search chooses for the points from i on. It returns a verdict that is not a violation.
func (r *repeated) search(ctx context.Context, level isolation.Level, o Options, i int, chosen []writeAt) (*Verdict, error) {
	if i == len(r.points) {
		r.left--
		v, err := r.apply(chosen).resolve(false).judge(ctx, level, o)
		if err != nil || v.Outcome != Violated {
			return v, err
		}
		return nil, nil
	}
	p := r.points[i]
	from := p.from
	if r.doubtful(p) { // the lists that go on here may be of transactions that have aborted
		from = append(slices.Clip(from), nobody)
	}
	for _, w := range from {
		if p.op < 0 && w != nobody && slices.Contains(chosen[:i], w) { // it stands there already
			continue
		}
		chosen[i] = w
		if v, err := r.search(ctx, level, o, i+1, chosen); v != nil || err != nil || r.left <= 0 {
			return v, err
		}
	}
	return nil, nil
}

// nobody is chosen for an element where the list ends: those that read more did not commit.
var nobody = writeAt{txn: -1}

// doubtful reports whether only transactions of unknown fate have read so much of a list.
func (r *repeated) doubtful(p point) bool {
	return p.op < 0 && int(p.position) >= len(r.s.longest[p.key].values)
}

// apply makes the history in which the points are from the writes chosen.
func (r *repeated) apply(chosen []writeAt) *input {
	old := r.s.in
	in := *old
	in.ops, in.initial = slices.Clone(old.ops), slices.Clone(old.initial)
	fresh := func(w writeAt) int32 {
		o := &in.ops[old.off[w.txn]+w.op]
		if int(o.value) < len(old.initial) {
			o.value = int32(len(in.initial))
			in.initial = append(in.initial, false)
		}
		return o.value
	}
	lists := make(map[int32][]int32, len(r.longest))
	for k, x := range r.longest {
		lists[k] = slices.Clone(x.values)
	}
	for i, p := range r.points {
		for _, w := range p.from {
			fresh(w)
		}
		if list := lists[p.key]; p.op < 0 && (chosen[i] == nobody || int(p.position) >= len(list)) {
			lists[p.key] = list[:min(len(list), int(p.position))]
		} else if p.op < 0 {
			list[p.position] = fresh(chosen[i])
		} else {
			in.ops[p.op].value = fresh(chosen[i])
		}
	}
	for _, e := range old.lists.ends {
		list := lists[old.ops[e.op].key]
		if e.behind > 0 && int(e.behind) <= len(list) {
			in.ops[e.op].value = list[e.behind-1]
		}
	}
	in.lists = old.lists.with(lists, func(x listRead) bool {
		n := len(x.values)
		return r.s.keep[x.txn] && n <= len(lists[x.key]) && slices.Equal(x.values, r.longest[x.key].values[:n])
	})
	for _, f := range r.wrong {
		in.lists.misread(f)
	}
	for _, e := range old.lists.ends {
		if j := in.misplaced(e, lists[old.ops[e.op].key]); r.s.keep[e.txn] && j >= 0 {
			off := in.off[e.txn]
			in.lists.misread(fault{InternalRead, e.txn, e.op - off, e.txn, j - off})
		}
	}
	return &in
}

// misplaced returns an append of the transaction's own, of all operations, that is not at
// its place in the list that the transaction read. It is -1 when there is none.
func (in *input) misplaced(e listEnd, list []int32) int32 {
	at := int(e.behind)
	for j := in.off[e.txn]; j < e.op; j++ {
		if o := in.ops[j]; o.write && o.key == in.ops[e.op].key {
			if at >= len(list) || list[at] != o.value {
				return j
			}
			at++
		}
	}
	return -1
}

// with is l with other numbers for the elements of the lists that are kept.
func (l *lists) with(elements map[int32][]int32, kept func(listRead) bool) lists {
	out := lists{longest: make(map[int32]listRead, len(l.longest)), faults: l.faults,
		unsure: make(map[int32][]listRead, len(l.unsure)), wrong: make(map[int32][]fault, len(l.wrong))}
	for t, faults := range l.wrong {
		out.wrong[t] = slices.Clip(faults)
	}
	renumbered := func(x listRead) listRead {
		x.values = elements[x.key][:len(x.values)]
		return x
	}
	for k, x := range l.longest {
		out.longest[k] = renumbered(x)
	}
	for t, reads := range l.unsure {
		for _, x := range reads {
			if kept(x) {
				out.unsure[t] = append(out.unsure[t], renumbered(x))
			}
		}
	}
	return out
}
