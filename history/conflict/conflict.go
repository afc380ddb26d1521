// Package conflict decides the two levels at which, of two transactions that write the same key,
// one sees the other: update atomic, which is read atomic with that rule, and parallel snapshot
// isolation, which is causal consistency with it (Cerone, Bernardi, Gotsman, "A framework for
// transactional consistency models with atomic visibility", CONCUR 2015).
//
// A transaction sees those before it in its session, those that it reads from, and those before it
// that write a key which it writes; at parallel snapshot isolation also what these see. If t3 reads x
// from t1 and sees t2, which writes x, then t2 comes before t1. Which of two writers of a key comes
// first is chosen, and what follows is drawn, until a choice contradicts itself: then it is taken
// back.
package conflict

import (
	"context"
	"errors"
	"math/bits"
	"slices"
)

// History is what the transactions do. Transaction 0 is the initial one, which writes every key.
type History interface {
	Len() int32
	Before(t int32) int32 // the one before t in session order, or -1
	Reads(t int32) int
	Read(t int32, i int) (key, from int32)
	Writes(t int32) []int32    // keys, ascending
	Writers(key int32) []int32 // without the initial one
	Known() [][2]int32         // writers of a key whose order is known
}

// Most is how many transactions a history may have: a bit is kept for each pair.
const Most = 20000

// ErrSize is returned for a history with more than [Most] transactions.
var ErrSize = errors.New("too many transactions for a search that keeps a bit for each pair of them")

// Decide returns an order of the transactions that shows the level, nil if there is none.
func Decide(ctx context.Context, h History, transitive bool) ([]int32, error) {
	if h.Len() > Most {
		return nil, ErrSize
	}
	s := newSearch(ctx, h, transitive)
	if !s.begin() {
		return nil, nil
	}
	ok, err := s.choose()
	if err != nil || !ok {
		return nil, err
	}
	return s.order(), nil
}

// search has what is known: row t of after are the transactions that come after t.
type search struct {
	ctx        context.Context
	h          History
	transitive bool
	n          int32
	words      int
	after      []uint64
	readers    [][]reader // by transaction: who reads from it
	trail      []change
	todo       []pair
}

type reader struct{ txn, key int32 }

type pair struct{ a, b int32 }

// change is a word of after before it was changed.
type change struct {
	at  int
	was uint64
}

func newSearch(ctx context.Context, h History, transitive bool) *search {
	n := h.Len()
	s := &search{ctx: ctx, h: h, transitive: transitive, n: n, words: int(n+63) / 64, readers: make([][]reader, n)}
	s.after = make([]uint64, int(n)*s.words)
	for t := range n {
		for i := range h.Reads(t) {
			x, from := h.Read(t, i)
			s.readers[from] = append(s.readers[from], reader{t, x})
		}
	}
	return s
}

func (s *search) row(t int32) []uint64 { return s.after[int(t)*s.words : (int(t)+1)*s.words] }

func (s *search) before(a, b int32) bool { return s.after[int(a)*s.words+int(b>>6)]>>(b&63)&1 == 1 }

// begin adds session order and reads. It is false when they contradict the level.
func (s *search) begin() bool {
	for t := range s.n {
		if u := s.h.Before(t); u >= 0 && !s.add(u, t) {
			return false
		}
		for i := range s.h.Reads(t) {
			if _, from := s.h.Read(t, i); from == t || !s.add(from, t) {
				return false
			}
		}
	}
	for _, p := range s.h.Known() {
		if !s.add(p[0], p[1]) {
			return false
		}
	}
	for t := int32(0); t < s.n && !s.transitive; t++ { // what update atomic sees, also without a common key
		for u := s.h.Before(t); u >= 0; u = s.h.Before(u) {
			if !s.seen(u, t) {
				return false
			}
		}
		for i := range s.h.Reads(t) {
			if _, from := s.h.Read(t, i); !s.seen(from, t) {
				return false
			}
		}
	}
	return s.propagate()
}

// add puts a before b, and draws the transitive closure. It is false when b is before a.
func (s *search) add(a, b int32) bool {
	switch {
	case s.before(a, b):
		return true
	case a == b || s.before(b, a):
		return false
	}
	to := s.row(b)
	for t := range s.n {
		if t != a && !s.before(t, a) {
			continue
		}
		from := s.row(t)
		for w := range from {
			more := to[w]
			if w == int(b>>6) {
				more |= 1 << (b & 63)
			}
			if more &^= from[w]; more == 0 {
				continue
			}
			s.trail = append(s.trail, change{int(t)*s.words + w, from[w]})
			from[w] |= more
			for ; more != 0; more &= more - 1 {
				s.todo = append(s.todo, pair{t, int32(w<<6 + bits.TrailingZeros64(more))})
			}
		}
	}
	return true
}

// propagate draws conclusions from what was added.
func (s *search) propagate() bool {
	for len(s.todo) > 0 {
		p := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if !s.follows(p.a, p.b) {
			s.todo = s.todo[:0]
			return false
		}
	}
	return true
}

// follows draws conclusions from a before b.
func (s *search) follows(a, b int32) bool {
	common := s.common(a, b)
	if (s.transitive || common) && !s.seen(a, b) {
		return false
	}
	if !common {
		return true
	}
	for _, r := range s.readers[a] { // who reads what b overwrites does not see b
		if r.txn != b && s.writes(b, r.key) && s.common(r.txn, b) && !s.add(r.txn, b) {
			return false
		}
	}
	return true
}

// seen draws conclusions from b seeing a.
func (s *search) seen(a, b int32) bool {
	for i := range s.h.Reads(b) {
		if x, from := s.h.Read(b, i); from != a && s.writes(a, x) && !s.add(a, from) {
			return false
		}
	}
	return true
}

func (s *search) writes(t, x int32) bool {
	if t == 0 {
		return true
	}
	_, ok := slices.BinarySearch(s.h.Writes(t), x)
	return ok
}

// common reports whether both write a key.
func (s *search) common(a, b int32) bool {
	x, y := s.h.Writes(a), s.h.Writes(b)
	if a == 0 || b == 0 {
		return len(x) > 0 || len(y) > 0
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			return true
		case x[i] < y[j]:
			i++
		default:
			j++
		}
	}
	return false
}

// choice is one of two orders of a pair, and what was known before.
type choice struct {
	pair
	trail  int
	second bool
}

// at is the transaction at which the pair was found: the lesser one, but for the initial one.
func (c *choice) at() int32 {
	if c.a == 0 {
		return c.b
	}
	return c.a
}

// choose orders all pairs of writers.
func (s *search) choose() (bool, error) {
	var made []choice
	for {
		if s.ctx.Err() != nil {
			return false, s.ctx.Err()
		}
		from := int32(1)
		if len(made) > 0 { // all before were in order when that choice was made
			from = made[len(made)-1].at()
		}
		p, ok := s.open(from)
		if !ok {
			return true, nil
		}
		made = append(made, choice{pair: p, trail: len(s.trail)})
		if s.add(p.a, p.b) && s.propagate() {
			continue
		}
		for {
			s.todo = s.todo[:0]
			if len(made) == 0 {
				return false, nil
			}
			c := &made[len(made)-1]
			s.undo(c.trail)
			if c.second {
				made = made[:len(made)-1]
				continue
			}
			c.second = true
			if s.add(c.b, c.a) && s.propagate() {
				break
			}
		}
	}
}

func (s *search) undo(to int) {
	for len(s.trail) > to {
		c := s.trail[len(s.trail)-1]
		s.after[c.at] = c.was
		s.trail = s.trail[:len(s.trail)-1]
	}
}

// open returns two writers of a key that are not in order. Those before from are in order with all.
func (s *search) open(from int32) (pair, bool) {
	for t := from; t < s.n; t++ {
		for _, x := range s.h.Writes(t) {
			for _, u := range s.h.Writers(x) {
				if u > t && !s.before(t, u) && !s.before(u, t) {
					return pair{t, u}, true
				}
			}
			if !s.before(0, t) && !s.before(t, 0) {
				return pair{0, t}, true
			}
		}
	}
	return pair{}, false
}

// order is one that extends what is known.
func (s *search) order() []int32 {
	rank := make([]int, s.n) // how many come after
	order := make([]int32, s.n)
	for t := range s.n {
		order[t] = t
		for _, w := range s.row(t) {
			rank[t] += bits.OnesCount64(w)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return rank[b] - rank[a] })
	return order
}
