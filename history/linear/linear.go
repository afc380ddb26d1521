// Package linear decides whether the operations on a register are linearizable: whether each can
// take effect at a moment between its call and its return so that reads return what was written last
// (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", TOPLAS
// 1990). A history of several registers is linearizable if each register's is.
//
// The search is that of Wing and Gong, "Testing and verifying concurrent objects", JPDC 1993, with
// what was looked at before kept, as Lowe, "Testing for linearizability", CCPE 2017, has it.
package linear

import (
	"context"
	"math"
	"slices"
)

// Op is an operation on the register: it reads a value, writes one, or does both at once.
type Op struct {
	Called, Returned int64 // Never for one that did not return
	Reads, Writes    bool
	Read, Write      int32
	// Optional operations may have had no effect: nobody knows.
	Optional bool
}

// Never is when an operation returned that did not.
const Never = math.MaxInt64

// Linearize returns an order of operations, by their indexes, that explains what they read; nil if there
// is none. Optional operations may be left out of it. One that returned before another was called comes
// before it.
func Linearize(ctx context.Context, ops []Op, initial int32) (order []int32, err error) {
	s := newSearch(ops, initial)
	if err := s.run(ctx); err != nil || s.left > 0 {
		return nil, err
	}
	order = []int32{}
	for _, t := range s.taken {
		order = append(order, t.op)
	}
	return order, nil
}

// Shortest returns the operation with which the history is no longer linearizable: up to its return it
// is not, and up to any return before that it is. The history must not be linearizable.
func Shortest(ctx context.Context, ops []Op, initial int32) (int, error) {
	byReturn := []int{}
	for i, o := range ops {
		if o.Returned != Never {
			byReturn = append(byReturn, i)
		}
	}
	slices.SortStableFunc(byReturn, func(a, b int) int { return compare(ops[a].Returned, ops[b].Returned) })
	var failed error
	n, _ := slices.BinarySearchFunc(byReturn, true, func(i int, _ bool) int {
		order, err := Linearize(ctx, upTo(ops, ops[i].Returned), initial)
		if err != nil {
			failed = err
		}
		if order == nil && err == nil {
			return 1
		}
		return -1
	})
	if failed != nil || n == len(byReturn) {
		return -1, failed
	}
	return byReturn[n], nil
}

// upTo is what is known at a time: who has not returned may have had its effect or not.
func upTo(ops []Op, end int64) (list []Op) {
	for _, o := range ops {
		if o.Called > end {
			continue
		}
		if o.Returned > end {
			if o.Returned, o.Optional, o.Reads = Never, true, o.Reads && o.Writes; !o.Writes {
				continue
			}
		}
		list = append(list, o)
	}
	return list
}

// event is a call or a return in a list of those that are left, in the order of time.
type event struct {
	op         int32
	call       bool
	before, at int32 // neighbours: the one before, and the next
}

// search takes operations out of the list of events, one after another.
type search struct {
	ops    []Op
	events []event // 0 is before the first one; the returns of an operation follow its call
	ret    []int32 // by operation: its return, 0 for none
	value  int32
	left   int // operations that must still be taken
	taken  []taken
	set    []uint64 // of operations taken
	hash   uint64
	seen   map[uint64][]state
}

// taken is an operation that was taken, and what was there before.
type taken struct {
	op, at int32
	before int32
}

// state is a set of operations taken and the value after them.
type state struct {
	set   []uint64
	value int32
}

func newSearch(ops []Op, initial int32) *search {
	s := &search{ops: ops, value: initial, set: make([]uint64, (len(ops)+63)/64), ret: make([]int32, len(ops)), seen: map[uint64][]state{}}
	type moment struct {
		at   int64
		call bool
		op   int32
	}
	var list []moment
	for i, o := range ops {
		list = append(list, moment{o.Called, true, int32(i)})
		if !o.Optional {
			list = append(list, moment{o.Returned, false, int32(i)})
			s.left++
		}
	}
	slices.SortStableFunc(list, func(a, b moment) int {
		if c := compare(a.at, b.at); c != 0 {
			return c
		}
		if a.call != b.call { // who returns as another is called is not before it
			if a.call {
				return -1
			}
			return 1
		}
		return 0
	})
	s.events = make([]event, len(list)+1)
	for i, m := range list {
		n := int32(i + 1)
		s.events[n] = event{m.op, m.call, n - 1, 0}
		s.events[n-1].at = n
		if !m.call {
			s.ret[m.op] = n
		}
	}
	return s
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (s *search) run(ctx context.Context) error {
	at := s.events[0].at
	for steps := 1; s.left > 0; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := &s.events[at]
		if at != 0 && e.call {
			if s.take(at) {
				at = s.events[0].at
			} else {
				at = e.at
			}
			continue
		}
		if len(s.taken) == 0 { // a return whose call could not be taken
			return nil
		}
		at = s.undo()
	}
	return nil
}

// take takes the operation that is called there, if its read is right and it leads to something new.
func (s *search) take(at int32) bool {
	i := s.events[at].op
	o := &s.ops[i]
	if o.Reads && o.Read != s.value {
		return false
	}
	value := s.value
	if o.Writes {
		value = o.Write
	}
	s.set[i>>6] ^= 1 << (i & 63)
	hash := s.hash ^ mix(uint64(i)+1)
	if !s.isNew(hash^mix(^uint64(uint32(value))), value) {
		s.set[i>>6] ^= 1 << (i & 63)
		return false
	}
	s.taken = append(s.taken, taken{i, at, s.value})
	s.hash, s.value = hash, value
	s.unlink(at)
	if !o.Optional {
		s.unlink(s.ret[i])
		s.left--
	}
	return true
}

// undo puts the last operation back, and returns the event after its call.
func (s *search) undo() int32 {
	t := s.taken[len(s.taken)-1]
	s.taken = s.taken[:len(s.taken)-1]
	if !s.ops[t.op].Optional {
		s.link(s.ret[t.op])
		s.left++
	}
	s.link(t.at)
	s.value, s.hash = t.before, s.hash^mix(uint64(t.op)+1)
	s.set[t.op>>6] ^= 1 << (t.op & 63)
	return s.events[t.at].at
}

func (s *search) unlink(at int32) {
	e := &s.events[at]
	s.events[e.before].at = e.at
	if e.at != 0 {
		s.events[e.at].before = e.before
	}
}

func (s *search) link(at int32) {
	e := &s.events[at]
	s.events[e.before].at = at
	if e.at != 0 {
		s.events[e.at].before = at
	}
}

// isNew reports whether these operations were not taken before with that value after them, and notes
// them.
func (s *search) isNew(hash uint64, value int32) bool {
	for _, x := range s.seen[hash] {
		if x.value == value && slices.Equal(x.set, s.set) {
			return false
		}
	}
	s.seen[hash] = append(s.seen[hash], state{slices.Clone(s.set), value})
	return true
}

// mix is the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
