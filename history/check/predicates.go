package check

import (
	"cmp"
	"maps"
	"slices"
)

// Dependencies of predicate reads (Adya 1999, section 4.4.2). A version changes a predicate
// when the key matches from there on and did not before, or the other way round. The reader
// depends on the last such version of each key up to the one it saw; the next such version
// depends on the reader. These versions are the same for all reads of a predicate: they are
// found once for each name, and looked up by the version that was seen.

// predicates finds dependencies.
type predicates struct {
	in       *input
	position []int32           // of a value in its order, plus 1
	orders   map[int32][]int32 // by key: its orders in in.versions
}

// changes are the positions in an order at which versions begin or cease to match.
type changes struct {
	order int // in input.versions
	at    []int32
}

// predicateDependency is what a predicate read has to do with a version of a key.
type predicateDependency struct {
	order   int // in input.versions
	value   int32
	anti    bool // the reader does not see it
	matches bool // it matches, and the one before it did not; or the other way round
}

func newPredicates(in *input) *predicates {
	p := &predicates{in, make([]int32, len(in.initial)), make(map[int32][]int32)}
	for n, o := range in.versions {
		p.orders[o.key] = append(p.orders[o.key], int32(n))
		for i, v := range o.values {
			p.position[v] = int32(i) + 1
		}
	}
	return p
}

// changesOf finds where an order changes.
func (p *predicates) changesOf(order int, match func(int32) bool) (c changes) {
	c.order = order
	before := false
	for i, v := range p.in.versions[order].values {
		if now := match(v); now != before {
			c.at = append(c.at, int32(i))
			before = now
		}
	}
	return c
}

// allChanges are those of the keys that can match a predicate.
func (p *predicates) allChanges(r *predicateRead) (list []changes) {
	add := func(order int) {
		if c := p.changesOf(order, r.match); len(c.at) > 0 {
			list = append(list, c)
		}
	}
	if r.where == nil {
		for order := range p.in.versions {
			add(order)
		}
		return list
	}
	if r.where.known {
		return r.where.changes
	}
	var keys []int32
	for v := range r.where.matches {
		keys = append(keys, int32(v.Key))
	}
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		for _, order := range p.orders[k] {
			add(int(order))
		}
	}
	r.where.changes, r.where.known = list, true
	return list
}

// of hands on the dependencies of a predicate read.
func (p *predicates) of(r *predicateRead, each func(predicateDependency)) {
	for _, c := range p.allChanges(r) {
		p.ofChanges(r, c, each)
	}
}

// ofChanges hands on those that are about an order: at most two.
func (p *predicates) ofChanges(r *predicateRead, c changes, each func(predicateDependency)) {
	o := &p.in.versions[c.order]
	saw, ok := p.saw(r, o.key)
	if !ok {
		return
	}
	next, found := slices.BinarySearch(c.at, saw)
	if found {
		next++
	}
	if next > 0 {
		each(predicateDependency{c.order, o.values[c.at[next-1]], false, next%2 == 1})
	}
	if next < len(c.at) {
		each(predicateDependency{c.order, o.values[c.at[next]], true, next%2 == 0})
	}
}

// saw is the position of the version of a key that a predicate read saw, -1 for the initial
// one; false when nobody knows.
func (p *predicates) saw(r *predicateRead, key int32) (int32, bool) {
	v, ok := r.saw(key)
	if ok && !p.in.initial[v] {
		return p.position[v] - 1, p.position[v] > 0
	}
	last := int32(-1)
	for _, d := range p.in.deletions[key] {
		if !ok && r.sawDeletion(d) {
			last = max(last, p.position[d.value]-1)
		}
	}
	return last, true
}

// nearest are the predicate dependencies of a form's transactions: of each chain the last
// transaction that one sees, and the first one that it does not see. The others follow: of
// a chain each comes after the one before it.
type nearest struct {
	f      *form
	sees   map[edge]int32 // by transaction, and chain
	misses map[edge]int32
}

// add adds a dependency of t on u, if there is such a transaction.
func (n *nearest) add(t, u int32, anti bool) {
	if u <= 0 || u == t {
		return
	}
	at := edge{t, n.f.chain[u]}
	if !anti {
		n.sees[at] = max(n.sees[at], u)
	} else if first, ok := n.misses[at]; !ok || u < first {
		n.misses[at] = u
	}
}

// end adds them to the form.
func (n *nearest) end() {
	order := func(a, b edge) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) }
	for _, at := range slices.SortedFunc(maps.Keys(n.sees), order) {
		n.f.extra = append(n.f.extra, dependency{edge{n.sees[at], at.from}, false})
	}
	for _, at := range slices.SortedFunc(maps.Keys(n.misses), order) {
		n.f.extra = append(n.f.extra, dependency{edge{at.from, n.misses[at]}, true})
	}
}

// dependencies finds those of all predicate reads. number is a transaction's in the form, 0
// when it is not there; installer gives that of a value.
func (p *predicates) dependencies(f *form, number []int32, installer func(value int32) int32) {
	n := nearest{f, map[edge]int32{}, map[edge]int32{}}
	named := map[*named][]*predicateRead{}
	for i := range p.in.preds {
		r := &p.in.preds[i]
		switch t := number[r.txn]; {
		case t <= 0:
		case r.where == nil:
			p.of(r, func(d predicateDependency) { n.add(t, installer(d.value), d.anti) })
		default:
			named[r.where] = append(named[r.where], r)
		}
	}
	for _, reads := range named {
		s := newSweep(p, reads[0], f, installer)
		slices.SortFunc(reads, func(a, b *predicateRead) int { return slices.Compare(a.snapshot, b.snapshot) })
		for _, r := range reads {
			t := number[r.txn]
			s.read(r, t, func(d predicateDependency) { n.add(t, installer(d.value), d.anti) }, func(u int32, anti bool) { n.add(t, u, anti) })
		}
	}
	n.end()
}
