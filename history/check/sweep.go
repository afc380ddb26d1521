package check

import (
	"cmp"
	"math"
	"slices"
)

// A row that was inserted and deleted long ago still says something of every read of its
// predicate. To look at all rows for each read takes time that grows with the square of the
// history. But what a row says changes only once, at its deletion: a read with an earlier
// snapshot misses its insertion, and one with a later snapshot sees the deletion. So the reads
// of a predicate are taken in the order of their snapshots. Each chain keeps its deleted rows
// apart from the others, so that the nearest of either kind is found at once. Rows in a read's
// own set are looked at one by one, as are those with a life of another kind.

// life is a key that was deleted once at most. It has the transactions on which a read depends
// that has no version of the key in its set. A number of 0 or less is a transaction that
// nobody knows.
type life struct {
	key     int32
	at      int64 // of the deletion; math.MaxInt64 if there was none
	missed  int32 // without the deletion: the one that it does not see
	saw     int32 // with the deletion
	missing int32 // with the deletion: the next one that it does not see

	before, after *life // in alive
}

// sweep goes through the reads of a named predicate by their snapshots.
type sweep struct {
	p      *predicates
	chain  []int32 // of a transaction
	all    map[int32][]changes
	others []changes         // of keys that have no life
	lives  []*life           // by deletion
	passed int               // how many of them are deleted
	by     map[int64][]int32 // keys by deletion

	alive   []*life       // by chain: the first one by missed
	saw     []transitions // by chain: of those deleted
	missing []transitions // likewise
}

// newSweep prepares a predicate; installer gives the transaction of a value, 0 or less when
// nobody knows it.
func newSweep(p *predicates, r *predicateRead, f *form, installer func(int32) int32) *sweep {
	s := &sweep{
		p: p, chain: f.chain, all: map[int32][]changes{}, by: map[int64][]int32{},
		alive: make([]*life, f.chains()), saw: make([]transitions, f.chains()), missing: make([]transitions, f.chains()),
	}
	for _, c := range p.allChanges(r) {
		key := p.in.versions[c.order].key
		s.all[key] = append(s.all[key], c)
		if l := p.lifeOf(c, installer); l != nil {
			s.lives = append(s.lives, l)
			s.by[l.at] = append(s.by[l.at], key)
		} else {
			s.others = append(s.others, c)
		}
	}
	slices.SortFunc(s.lives, func(a, b *life) int { return cmp.Compare(b.missed, a.missed) })
	for _, l := range s.lives {
		s.begin(l)
	}
	slices.SortFunc(s.lives, func(a, b *life) int { return cmp.Compare(a.at, b.at) })
	return s
}

// lifeOf is the life of a key, nil if it has none.
func (p *predicates) lifeOf(c changes, installer func(int32) int32) *life {
	o := &p.in.versions[c.order]
	deletions := p.in.deletions[o.key]
	if len(deletions) > 1 || len(p.orders[o.key]) > 1 {
		return nil
	}
	l := &life{key: o.key, at: math.MaxInt64, missed: installer(o.values[c.at[0]])}
	if len(deletions) == 0 {
		return l
	}
	l.at = deletions[0].at
	next, found := slices.BinarySearch(c.at, p.position[deletions[0].value]-1)
	if found {
		next++
	}
	if next > 0 {
		l.saw = installer(o.values[c.at[next-1]])
	}
	if next < len(c.at) {
		l.missing = installer(o.values[c.at[next]])
	}
	return l
}

// begin puts a life before the others of its chain.
func (s *sweep) begin(l *life) {
	if l.missed <= 0 {
		return
	}
	first := &s.alive[s.chain[l.missed]]
	if l.after = *first; l.after != nil {
		l.after.before = l
	}
	*first = l
}

// end takes a life out.
func (s *sweep) end(l *life) {
	if l.missed <= 0 {
		return
	}
	if l.after != nil {
		l.after.before = l.before
	}
	if l.before != nil {
		l.before.after = l.after
	} else {
		s.alive[s.chain[l.missed]] = l.after
	}
}

// pass goes on to the reads whose snapshots begin at that deletion.
func (s *sweep) pass(first int64) {
	for ; s.passed < len(s.lives) && s.lives[s.passed].at < first; s.passed++ {
		l := s.lives[s.passed]
		s.end(l)
		if l.saw > 0 {
			s.saw[s.chain[l.saw]].add(l.saw, l)
		}
		if l.missing > 0 {
			s.missing[s.chain[l.missing]].add(l.missing, l)
		}
	}
}

// read hands on the dependencies of a read by transaction t. Some are looked up by chain: of
// these it hands on the nearest transactions of each chain. Snapshots must not decrease.
func (s *sweep) read(r *predicateRead, t int32, each func(predicateDependency), nearest func(u int32, anti bool)) {
	var running []int64
	if len(r.snapshot) > 0 {
		s.pass(r.snapshot[0])
		running = r.snapshot[1:]
	}
	for _, c := range s.others {
		s.p.ofChanges(r, c, each)
	}
	for _, v := range r.set {
		s.of(r, v.key, each)
	}
	for _, at := range running {
		for _, key := range s.by[at] {
			s.of(r, key, each)
		}
	}
	counts := func(l *life, u int32) bool {
		_, own := r.saw(l.key)
		return !own && u != t && !slices.Contains(running, l.at)
	}
	for c, l := range s.alive {
		for l != nil && !counts(l, l.missed) {
			l = l.after
		}
		if l != nil {
			nearest(l.missed, true)
		}
		if x := s.missing[c].first(counts); x != nil {
			nearest(x.txn, true)
		}
		if x := s.saw[c].last(counts); x != nil {
			nearest(x.txn, false)
		}
	}
}

// of hands on the dependencies of a read that are about a key.
func (s *sweep) of(r *predicateRead, key int32, each func(predicateDependency)) {
	for _, c := range s.all[key] {
		s.p.ofChanges(r, c, each)
	}
}

// transition is a change of a life's key by a transaction.
type transition struct {
	txn int32
	of  *life
}

// transitions are in the order of their transactions.
type transitions []transition

// add adds one, which mostly comes last.
func (x *transitions) add(u int32, l *life) {
	i, _ := slices.BinarySearchFunc(*x, u, func(n transition, u int32) int { return cmp.Compare(n.txn, u) })
	*x = slices.Insert(*x, i, transition{u, l})
}

// first is the first one that counts, nil if none does.
func (x transitions) first(counts func(*life, int32) bool) *transition {
	for i := range x {
		if counts(x[i].of, x[i].txn) {
			return &x[i]
		}
	}
	return nil
}

// last is the last one that counts, nil if none does.
func (x transitions) last(counts func(*life, int32) bool) *transition {
	for i := len(x) - 1; i >= 0; i-- {
		if counts(x[i].of, x[i].txn) {
			return &x[i]
		}
	}
	return nil
}
