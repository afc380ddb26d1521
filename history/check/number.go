package check

import (
	"slices"

	"github.com/txmc/txmc/history"
)

// numbered is a form and what its numbers stand for.
type numbered struct {
	f       *form
	orig    []int32            // by transaction of the form: the one of the input, -1 for the initial one
	longest map[int32]listRead // by key, of these transactions
}

// rules are how a history is to be read.
type rules struct {
	init    bool // the initial transaction comes before all others
	session bool // sessions are ordered
}

// form makes the form of the transactions that count when the open reads are from
// the transactions chosen: indexes into openRead.from, or -1 to leave the read out.
// It is false when one of them has a read that no level allows.
func (s *sources) form(r rules, chosen []int) (numbered, bool) {
	for i, o := range s.open {
		s.from[o.op] = several
		if chosen != nil && chosen[i] >= 0 {
			s.from[o.op] = o.from[chosen[i]]
		}
	}
	keep, ok := s.counting()
	if !ok {
		return numbered{}, false
	}
	longest, ok := s.longestOf(keep)
	if !ok {
		return numbered{}, false
	}
	order, chain := s.chains(r, keep)
	number := make([]int32, s.in.txns())
	for i, t := range order {
		number[t] = int32(i) + 1
	}
	b := newBuilder(s.in.keys, r.init)
	b.f.reserve(len(order), s.in)
	orig := append(make([]int32, 0, len(order)+1), -1)
	for i, t := range order {
		orig = append(orig, t)
		b.begin(i == 0 || chain[i] != chain[i-1], r.session)
		for j := s.in.off[t]; j < s.in.off[t+1]; j++ {
			if o := s.in.ops[j]; o.write {
				if s.in.fate[t] != history.Aborted {
					b.write(o.key)
				}
			} else if from := s.from[j]; from == 0 {
				b.read(o.key, 0)
			} else if from > 0 {
				b.read(o.key, number[from-1])
			}
		}
	}
	f := b.end()
	if s.in.hint != nil {
		f.hint, f.timed = make([]float64, f.n), s.in.timed
		for i, t := range order {
			f.hint[i+1] = s.in.hint[t]
		}
	}
	if x := s.in.real; x != nil {
		f.real = initialInterval(f.init)
		for _, t := range order {
			f.real.Called, f.real.Returned = append(f.real.Called, x.Called[t]), append(f.real.Returned, x.Returned[t])
		}
	}
	n := numbered{f, orig, longest}
	s.addVersions(n, number)
	return n, true
}

// reserve makes room for so many transactions.
func (f *form) reserve(n int, in *input) {
	f.chain, f.prev = slices.Grow(f.chain, n), slices.Grow(f.prev, n)
	f.readOff, f.writeOff = slices.Grow(f.readOff, n), slices.Grow(f.writeOff, n)
	writes := 0
	for _, o := range in.ops {
		if o.write {
			writes++
		}
	}
	f.writes = make([]int32, 0, writes)
	f.reads = make([]read, 0, len(in.ops)-writes)
}

// counting returns the transactions that count; false when one has a faulty read.
func (s *sources) counting() ([]bool, bool) {
	if len(s.open) == 0 {
		return s.keep, true
	}
	keep := make([]bool, len(s.keep))
	var todo []int32
	for t := range s.keep {
		if s.sure[t] {
			keep[t] = true
			todo = append(todo, int32(t))
		}
	}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.faulty[t] && !s.sure[t] {
			return nil, false
		}
		add := func(u int32) {
			if s.keep[u] && !keep[u] {
				keep[u] = true
				todo = append(todo, u)
			}
		}
		for j := s.in.off[t]; j < s.in.off[t+1]; j++ {
			if u := s.from[j] - 1; u >= 0 {
				add(u)
			}
		}
		for _, x := range s.in.lists.unsure[t] {
			for _, v := range x.values {
				if w, wrong := s.appender(v); wrong == NoFault {
					add(w.txn)
				}
			}
		}
	}
	return keep, true
}

// chains puts the transactions that count into an order of chains: sessions, or,
// when they are not ordered, paths of the write-read relation.
func (s *sources) chains(r rules, keep []bool) (order, chain []int32) {
	in := s.in
	of := in.session
	if !r.session {
		of = s.paths(keep)
	}
	chains := int32(0)
	for _, c := range of {
		chains = max(chains, c+1)
	}
	size := make([]int32, chains+1)
	n := int32(0)
	for t, c := range of {
		if keep[t] {
			size[c+1]++
			n++
		}
	}
	for c := range chains {
		size[c+1] += size[c]
	}
	order, chain = make([]int32, n), make([]int32, n)
	put := func(t int32) {
		i := size[of[t]]
		size[of[t]]++
		order[i], chain[i] = t, of[t]
	}
	if r.session {
		for t := range int32(in.txns()) {
			if keep[t] {
				put(t)
			}
		}
		return order, chain
	}
	for _, t := range s.causal(keep) {
		put(t)
	}
	return order, chain
}

// paths gives each transaction a chain: that of one it reads from, if that is the
// last of its chain.
func (s *sources) paths(keep []bool) []int32 {
	of := slices.Repeat([]int32{-1}, s.in.txns())
	last := []int32{}
	for _, t := range s.causal(keep) {
		of[t] = -1
		for j := s.in.off[t]; j < s.in.off[t+1]; j++ {
			if u := s.from[j] - 1; u >= 0 && of[u] >= 0 && last[of[u]] == u {
				of[t] = of[u]
				last[of[t]] = t
				break
			}
		}
		if of[t] < 0 {
			of[t] = int32(len(last))
			last = append(last, t)
		}
	}
	return of
}

// causal returns the transactions that count, writers before readers, as far as
// the write-read relation has no cycle.
func (s *sources) causal(keep []bool) []int32 {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, s.in.txns())
	next := make([]int32, s.in.txns())
	var order, path []int32
	for root := range int32(s.in.txns()) {
		if !keep[root] || state[root] != unseen {
			continue
		}
		path = append(path, root)
		state[root] = open
		next[root] = s.in.off[root]
		for len(path) > 0 {
			t := path[len(path)-1]
			if next[t] == s.in.off[t+1] {
				state[t] = done
				order = append(order, t)
				path = path[:len(path)-1]
				continue
			}
			u := s.from[next[t]] - 1
			next[t]++
			if u >= 0 && state[u] == unseen {
				state[u] = open
				next[u] = s.in.off[u]
				path = append(path, u)
			}
		}
	}
	return order
}
