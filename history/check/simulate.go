package check

import (
	"container/heap"
	"context"

	"github.com/txmc/txmc/isolation"
)

// simulate gives the nodes an initial topological order by simulating a store. Often that
// is a commit order already, and the solver has little to do. Transactions advance at
// about the rate of their sessions. A write waits while a transaction has still to read
// the value that it overwrites; when all transactions wait, one of them goes on all the
// same. simulate returns false when the graph has a cycle or the context ends.
func (g *digraph) simulate(ctx context.Context, level isolation.Level) bool {
	rank := g.f.ranks()
	s := &simulation{g: g, level: level,
		missing: make([]int32, len(g.ord)), state: make([]uint8, len(g.ord)),
		pending: make([]int32, g.f.keys), current: make([]int32, g.f.keys), holder: make([]int32, g.f.keys),
		waiting: make(map[int32][]int32),
		ready:   &nodes{rank: rank, split: g.split}, blocked: &nodes{rank: rank, split: g.split}}
	return s.run(poller{ctx: ctx})
}

// simulation is the state of the simulated store.
type simulation struct {
	g       *digraph
	level   isolation.Level
	missing []int32 // predecessors not performed
	current []int32 // of a key: who wrote it last
	pending []int32 // and how many have still to read that
	holder  []int32 // who writes it and has begun, SI only
	waiting map[int32][]int32
	ready   *nodes
	blocked *nodes
	state   []uint8
	done    int32
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
			if x, ok := s.obstacle(v); ok {
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
	for _, r := range s.g.f.readsOf(t) {
		if r.key == x {
			return r.from == s.current[x]
		}
	}
	return false
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
			}
		}
	}
	for _, r := range s.g.f.readsOf(t) {
		if s.current[r.key] == r.from {
			if s.pending[r.key]--; s.pending[r.key] <= 1 {
				s.wake(r.key)
			}
		}
	}
}

func (s *simulation) write(t int32) {
	for _, x := range s.g.f.writesOf(t) {
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

func (s *simulation) countReaders(t int32) {
	for _, r := range s.g.rd.of(t) {
		s.pending[r.key]++
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

// ranks tells how early a transaction should be: those that write nothing first,
// the others by the share of the session that has gone before.
func (f *form) ranks() []float64 {
	rank := make([]float64, f.n)
	for t := range rank {
		c := f.chain[t]
		switch {
		case f.writeOff[t] == f.writeOff[t+1]:
			rank[t] = -1
		case f.hint != nil:
			rank[t] = f.hint[t]
		default:
			rank[t] = float64(f.at(int32(t))) / float64(f.start[c+1]-f.start[c])
		}
	}
	return rank
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
