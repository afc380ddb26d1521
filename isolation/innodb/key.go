package innodb

import (
	"slices"

	"github.com/txmc/txmc/isolation/model"
)

// Keys of states.
//
// Two states with equal keys have the same future. The key is a hash of a normal form.
// This form tells records by their place in their index, transactions by their session,
// and committed writers by what open read views see of them. It leaves out versions
// that no view can reach any more.

// Key stands for a state. Equal keys are equal futures, but for collisions of a
// hash of 128 bits.
type Key = model.Key

// Keyer computes keys. It can be used again and again, by one goroutine at a time.
type Keyer struct {
	s        *State
	hash     Key
	places   []int32 // by record: its place in its index, from 1; 0: the supremum
	seen     []int32 // the commits that open read views see, ascending
	deleters []int32 // with purge: commits in the order in which it takes them
	locks    []lock

	// variables says that the rows of the first index are the variables that the client knows
	// so far. Each row is there from the beginning on, and statements look at single rows
	// only. So a state is the same whether or not the client has loaded a row already.
	variables bool
}

// Reset begins the key of a state.
func (k *Keyer) Reset(s *State) { k.s, k.hash = s, Key{} }

// Sum is the key.
func (k *Keyer) Sum() Key { return k.hash }

// Add adds a number to the key.
func (k *Keyer) Add(n int) {
	k.hash[0] = hash(k.hash[0] ^ uint64(n))
	k.hash[1] = hash(k.hash[1]*0xd6e8feb86659fd93 + uint64(n))
}

func (k *Keyer) bits(flags ...bool) {
	n := 0
	for i, f := range flags {
		if f {
			n |= 1 << i
		}
	}
	k.Add(n)
}

// AddValues adds numbers and how many there are.
func (k *Keyer) AddValues(values []int) {
	k.Add(len(values))
	for _, v := range values {
		k.Add(v)
	}
}

// AddState adds the state.
func (k *Keyer) AddState() {
	s := k.s
	k.views()
	if s.options.Purge {
		k.deleters = s.deleters()
	}
	k.places = slices.Grow(k.places[:0], len(s.records))[:len(s.records)]
	for i := range s.order {
		k.places[i] = 0
		for at, r := range s.order[i] {
			k.places[r] = int32(at + 1)
			if k.sparse(i) {
				k.places[r] = int32(s.records[r].key[0] + 1)
			}
		}
	}
	for i := range s.trxs {
		if s.trxs[i].status == active {
			k.trx(Trx(i))
		}
	}
	for i := range s.order {
		if !k.sparse(i) {
			k.Add(len(s.order[i]))
		}
		for _, r := range s.order[i] {
			if k.sparse(i) {
				if s.records[r].untouched() {
					continue
				}
				k.Add(int(k.places[r]))
			}
			k.record(&s.records[r])
		}
	}
	k.waits()
}

// sparse reports whether the records of an index that are as they were at the beginning
// say nothing of the state.
func (k *Keyer) sparse(index int) bool { return k.variables && index == 0 }

// untouched reports whether the record of a clustered index is as it was at the beginning.
func (c *record) untouched() bool {
	return !c.marked && c.newest.prev == nil && c.newest.trx == 0
}

// views collects the open read views. A view is named by how many commits it
// sees, so views that see the same are one.
func (k *Keyer) views() {
	k.seen = k.seen[:0]
	for i := range k.s.trxs {
		if x := &k.s.trxs[i]; x.status == active && x.view && !slices.Contains(k.seen, x.seen) {
			k.seen = append(k.seen, x.seen)
		}
	}
	slices.Sort(k.seen)
}

// writer names who wrote something: a session, or how many of the views do not
// see it.
func (k *Keyer) writer(t Trx) {
	x := &k.s.trxs[t]
	if x.status == active {
		k.Add(int(x.owner))
		return
	}
	k.Add(-1 - k.hidden(x.commit))
	if k.s.options.Purge {
		k.Add(slices.Index(k.deleters, x.commit))
	}
}

// hidden is the number of views that do not see a commit.
func (k *Keyer) hidden(commit int32) int {
	n, _ := slices.BinarySearch(k.seen, commit)
	return n
}

func (k *Keyer) trx(t Trx) {
	x := &k.s.trxs[t]
	k.Add(int(x.owner))
	k.Add(int(x.level))
	k.bits(x.duplicates, x.victim, x.lost, x.view)
	if x.view {
		k.Add(k.hidden(x.seen))
	}
	if !k.s.options.Races {
		k.weight(x)
	}
	for u := x.undo; u != nil; u = u.prev {
		c := &k.s.records[u.rec]
		k.Add(int(u.op) + 1)
		k.Add(int(c.index))
		k.Add(int(k.places[u.rec]))
		k.writer(u.writer)
	}
	k.Add(0)
}

// weight tells what decides about the victim of a deadlock.
func (k *Keyer) weight(x *trx) {
	k.Add(int(x.structs))
	k.Add(int(x.shared))
	k.Add(int(x.exclusive))
	for i, word := range x.groups {
		if word != 0 {
			k.Add(i + 1)
			k.Add(int(word))
		}
	}
	k.Add(0)
}

func (k *Keyer) record(c *record) {
	k.AddValues(c.key)
	k.bits(c.marked)
	k.writer(c.writer)
	for v := c.newest; v != nil; v = v.prev {
		k.bits(true, v.deleted)
		k.AddValues(v.row)
		k.writer(v.trx)
		if x := &k.s.trxs[v.trx]; x.status == committed && k.hidden(x.commit) == 0 {
			break // every view, also one made later, stops here
		}
	}
	k.bits(false)
}

// waits tells the locks and what has yet to run. Waiting locks are told again
// in the order of their requests, in which deadlocks are looked for.
func (k *Keyer) waits() {
	k.locks = append(k.locks[:0], k.s.locks...)
	slices.SortStableFunc(k.locks, func(a, b lock) int {
		if x, y := k.s.records[a.rec].index, k.s.records[b.rec].index; x != y {
			return int(x - y)
		}
		return int(k.places[a.rec] - k.places[b.rec])
	})
	for i := range k.locks {
		k.lock(&k.locks[i])
	}
	k.Add(-1)
	for i := range k.s.locks {
		if l := &k.s.locks[i]; l.waiting {
			k.owner(l.trx)
		}
	}
	k.trxs(k.s.woken)
	k.trxs(k.s.cycle)
	k.trxs(k.s.recheck)
}

func (k *Keyer) trxs(list []Trx) {
	k.Add(-1)
	for _, t := range list {
		k.owner(t)
	}
}

func (k *Keyer) owner(t Trx) { k.Add(int(k.s.trxs[t].owner)) }

func (k *Keyer) lock(l *lock) {
	k.owner(l.trx)
	k.Add(int(k.s.records[l.rec].index))
	k.Add(int(k.places[l.rec]))
	k.Add(int(l.kind))
	k.bits(l.x, l.waiting)
}
