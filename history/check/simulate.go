package check

import (
	"container/heap"
	"context"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// simulate gives the nodes an initial topological order by simulating a store. Often that
// is a commit order already, and the solver has little to do. Transactions advance in the
// likely order. A write waits while a transaction has still to read the value that it
// overwrites; when all transactions wait, one of them goes on all the same. Where that happens
// often, what follows is far from right; then an order that is the likely one but for what must
// come first is nearer. The order with the least misses is taken. simulate returns false when the
// graph has a cycle or the context ends.
func (g *digraph) simulate(ctx context.Context, level isolation.Level) bool {
	var best []int32
	least := int64(0)
	for rank, waits := range g.f.likely(ctx, &least) {
		s := newSimulation(g, level, rank, waits)
		if !s.run(poller{ctx: ctx}) {
			return false
		}
		if best == nil || s.misses.sum < least {
			best, least = slices.Clone(g.ord), s.misses.sum
		}
		if least == 0 {
			break
		}
	}
	copy(g.ord, best)
	return true
}

func newSimulation(g *digraph, level isolation.Level, rank []float64, waits bool) *simulation {
	return &simulation{g: g, level: level, waits: waits, misses: newMisses(g.f),
		missing: make([]int32, len(g.ord)), state: make([]uint8, len(g.ord)),
		store:   store{pending: make([]int32, g.f.keys), current: make([]int32, g.f.keys), holder: make([]int32, g.f.keys)},
		waiting: make(map[int32][]int32),
		ready:   &nodes{rank: rank, split: g.split}, blocked: &nodes{rank: rank, split: g.split}}
}

// simulation is the state of the simulated store.
type simulation struct {
	g       *digraph
	level   isolation.Level
	waits   bool // a write waits for reads
	misses  *misses
	missing []int32 // predecessors not performed
	store
	waiting map[int32][]int32
	ready   *nodes
	blocked *nodes
	state   []uint8
	done    int32
}

// store has the keys of the simulated store.
type store struct {
	current []int32 // of a key: who wrote it last
	pending []int32 // and how many have still to read that
	holder  []int32 // who writes it and has begun, SI only
}

const (
	nodeReady = iota + 1
	nodeBlocked
	nodeDone
)

func (s *simulation) run(p poller) bool {
	g := s.g
	for v := range s.missing {
		g.eachPrev(int32(v), func(int32, int32) bool { s.missing[v]++; return true })
	}
	for v, m := range s.missing {
		if m == 0 {
			s.push(int32(v))
		}
	}
	s.countReaders(0)
	for int(s.done) < len(g.ord) {
		if p.ended() {
			return false
		}
		var v int32
		if s.ready.Len() > 0 {
			v = heap.Pop(s.ready).(int32)
			if s.state[v] != nodeReady {
				continue
			}
			if x, ok := s.obstacle(v); ok && s.waits {
				s.state[v] = nodeBlocked
				s.waiting[x] = append(s.waiting[x], v)
				heap.Push(s.blocked, v)
				continue
			}
		} else if s.blocked.Len() > 0 {
			v = heap.Pop(s.blocked).(int32)
			if s.state[v] != nodeBlocked {
				continue
			}
		} else {
			return false
		}
		s.perform(v)
	}
	return true
}

func (s *simulation) push(v int32) {
	s.state[v] = nodeReady
	heap.Push(s.ready, v)
}

// obstacle returns a key because of which v should wait.
func (s *simulation) obstacle(v int32) (int32, bool) {
	t := s.g.txn(v)
	if s.g.split && v&1 == 0 {
		if s.level == isolation.SI {
			for _, x := range s.g.f.writesOf(t) {
				if s.holder[x] != 0 {
					return x, true
				}
			}
		}
		return 0, false
	}
	for _, x := range s.g.f.writesOf(t) {
		p := s.pending[x]
		if p == 1 && !s.g.split && s.readsNow(t, x) {
			p = 0
		}
		if p != 0 {
			return x, true
		}
	}
	return 0, false
}

// readsNow reports whether t reads the current value of x.
func (s *simulation) readsNow(t, x int32) bool {
	return slices.Contains(s.g.f.readsOf(t), read{x, s.current[x]})
}

func (s *simulation) perform(v int32) {
	g := s.g
	s.state[v] = nodeDone
	g.ord[v] = s.done
	s.done++
	t := g.txn(v)
	if v == g.reads(t) {
		s.read(t)
	}
	if v == g.writes(t) && t != 0 {
		s.write(t)
	}
	next := func(w int32) {
		if s.missing[w]--; s.missing[w] == 0 {
			s.push(w)
		}
	}
	g.eachNext(v, func(w, _ int32) bool { next(w); return true })
	if t == 0 && g.f.init && v == g.writes(0) {
		for u := int32(1); int(u) < g.f.n; u++ {
			if g.f.prev[u] == 0 {
				next(g.reads(u))
			}
		}
	}
}

func (s *simulation) read(t int32) {
	if s.level == isolation.SI {
		for _, x := range s.g.f.writesOf(t) {
			if s.holder[x] == 0 {
				s.holder[x] = t
			} else {
				s.misses.overlap(s.holder[x], s.done)
			}
		}
	}
	reads := s.g.f.readsOf(t)
	s.misses.begin(t, s.done)
	for i, r := range reads {
		if s.current[r.key] != r.from {
			s.misses.read(r, s.done)
		} else if !slices.Contains(reads[:i], r) {
			if s.pending[r.key]--; s.pending[r.key] <= 1 {
				s.wake(r.key)
			}
		}
	}
}

func (s *simulation) write(t int32) {
	for _, x := range s.g.f.writesOf(t) {
		s.misses.overwrite(s.current[x], x, s.done)
		s.current[x], s.pending[x] = t, 0
		if s.holder[x] == t {
			s.holder[x] = 0
		}
	}
	s.countReaders(t)
	for _, x := range s.g.f.writesOf(t) {
		if s.pending[x] == 0 || s.level == isolation.SI {
			s.wake(x)
		}
	}
}

// countReaders counts who has still to read what t has written. A transaction that reads a
// value twice counts once.
func (s *simulation) countReaders(t int32) {
	readers := s.g.rd.of(t)
	for i, r := range readers {
		if i == 0 || readers[i-1] != r {
			s.pending[r.key]++
		}
	}
}

func (s *simulation) wake(x int32) {
	for _, v := range s.waiting[x] {
		if s.state[v] == nodeBlocked {
			s.push(v)
		}
	}
	delete(s.waiting, x)
}

// nodes is a heap of nodes, the first in priority on top.
type nodes struct {
	rank  []float64 // of a transaction
	split bool
	v     []int32
}

func (h *nodes) priority(v int32) float64 {
	if h.split {
		v >>= 1
	}
	return h.rank[v]
}

func (h *nodes) Len() int { return len(h.v) }
func (h *nodes) Less(i, j int) bool {
	a, b := h.priority(h.v[i]), h.priority(h.v[j])
	return a < b || a == b && h.v[i] < h.v[j]
}
func (h *nodes) Swap(i, j int) { h.v[i], h.v[j] = h.v[j], h.v[i] }
func (h *nodes) Push(x any)    { h.v = append(h.v, x.(int32)) }
func (h *nodes) Pop() any {
	v := h.v[len(h.v)-1]
	h.v = h.v[:len(h.v)-1]
	return v
}
