package postgres

import (
	"math/bits"
	"slices"

	"github.com/txmc/txmc/isolation/model"
)

// Keys: two states with the same key have the same future, up to the numbers of
// transactions and versions. A key is a hash of 128 bits over a normal form,
// which leaves out what no statement can meet again and names the rest by its
// place. keystate.go and keyssi.go write the normal form.

// Key stands for a state. Equal keys are equal futures, but for collisions of a
// hash of 128 bits.
type Key = model.Key

// Keyer computes keys. A client that keeps versions beside the State names them
// with Refer between Reset and AddState. A Keyer can be used again and again; one
// goroutine may use it at a time.
type Keyer struct {
	s    *State
	hash Key
	versionsInUse
	snapshotsInUse
	recordsInUse
}

// versionsInUse are the versions that matter.
type versionsInUse struct {
	order []TID   // those beside the seed, in their order in the normal form
	place []int32 // of each version beside the seed in order; a negative number is not in it
	seeds []TID   // the versions of the seed that somebody has changed, locked or queued for, or may use
	roots []TID   // of each version beside the seed: see findRoots
	used  []TID   // and those of them that an operation or a client may use
}

// snapshotsInUse are the snapshots that matter.
type snapshotsInUse struct {
	snapshots []int32 // that are in use, ascending
	oldest    int32   // the oldest of them, by the number of commits before it
	commits   []int32 // the numbers of the commits that snapshots have to tell apart, ascending
	views     []int32 // snapshots that the client may use later
}

// recordsInUse is the order of the serializable transactions.
type recordsInUse struct {
	records []int32 // place of each record in the normal form
	placed  []int32 // the records in their order there
	ends    []int32 // of finished records, each by the number of xmins before it, ascending
	xmins   []int32 // xmins of running records, and running transactions, ascending
	numbers []int32 // of preparations and commits, ascending
}

const (
	unplaced int32 = -1 - iota
	referred
)

// Reset begins the key of a state.
func (k *Keyer) Reset(s *State) {
	k.s, k.hash = s, Key{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9}
	k.place, k.views, k.used = k.place[:0], k.views[:0], k.used[:0]
	for range s.heap {
		k.place = append(k.place, unplaced)
	}
}

// Refer says that the client may use a version later.
func (k *Keyer) Refer(t TID) {
	switch n := k.s.seeds(); {
	case t == none:
	case t >= n:
		k.place[t-n] = referred
	case !slices.Contains(k.used, t):
		k.used = append(k.used, t)
	}
}

// keep says that the client may use a snapshot later.
func (k *Keyer) keep(snapshot int32) { k.views = append(k.views, snapshot) }

// Add adds a number to the key.
func (k *Keyer) Add(x uint64) {
	k.hash[0] = mix(k.hash[0]^x, 0xa0761d6478bd642f)
	k.hash[1] = mix(k.hash[1]^x, 0xe7037ed1a0b428db) + x
}

// AddTID adds a version.
func (k *Keyer) AddTID(t TID) { k.Add(k.tid(t)) }

// Sum is the key.
func (k *Keyer) Sum() Key { return k.hash }

// tid is the place of a version, 0 for none and for those that are left out. Those of the
// seed come first.
func (k *Keyer) tid(t TID) uint64 {
	n := k.s.seeds()
	switch {
	case t == none:
		return 0
	case t < n:
		if k.dead(k.s.at(t)) && !slices.Contains(k.used, t) {
			return 0
		}
		return uint64(t) + 1
	case k.place[t-n] < 0:
		return 0
	}
	return uint64(n) + uint64(k.place[t-n]) + 1
}

// unordered is the sum of the hashes of entries whose order does not matter.
type unordered Key

func (u *unordered) add(x uint64) {
	h := hashOf(x)
	u[0] += h[0]
	u[1] += h[1]
}

func (u *unordered) subtract(x uint64) {
	h := hashOf(x)
	u[0] -= h[0]
	u[1] -= h[1]
}

// hashOf hashes an entry. The product of a number with itself turned round is far from
// linear, so that sums of entries that have exchanged a part differ.
func hashOf(x uint64) Key {
	turned := bits.RotateLeft64(x, 32)
	return Key{mix(x^0x94d049bb133111eb, turned^0xa0761d6478bd642f), mix(x^0xd6e8feb86659fd93, turned^0xe7037ed1a0b428db)}
}

// mix folds the product of two numbers.
func mix(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

func (k *Keyer) addUnordered(u unordered) {
	k.Add(u[0])
	k.Add(u[1])
}

// insert puts a number into an ascending list without duplicates.
func insert(list []int32, x int32) []int32 {
	i := len(list)
	for i > 0 && list[i-1] > x {
		i--
	}
	if i > 0 && list[i-1] == x {
		return list
	}
	list = append(list, 0)
	copy(list[i+1:], list[i:])
	list[i] = x
	return list
}

// rank counts the numbers of an ascending list that are less than x.
func rank(list []int32, x int32) uint64 {
	i := 0
	for i < len(list) && list[i] < x {
		i++
	}
	return uint64(i)
}

// b2u is 1 for true.
func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// pack puts flags into one number.
func pack(flags ...bool) (x uint64) {
	for i, f := range flags {
		x |= b2u(f) << i
	}
	return x
}
