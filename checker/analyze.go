package checker

import "slices"

// resolve learns from clause c, which is false: back to the last decision but for
// which it would not be, and the first unique implication point there becomes
// false instead.
func (s *solver) resolve(c int32) {
	lits, from := s.firstUIP(c)
	level := 0
	for _, l := range lits[1:] {
		level = max(level, int(s.level[l.of()]))
	}
	for i := 2; i < len(lits); i++ {
		if s.level[lits[i].of()] > s.level[lits[1].of()] {
			lits[1], lits[i] = lits[i], lits[1]
		}
	}
	s.backtrack(level)
	id := s.learn(clause{lits: lits, from: from})
	s.enqueue(lits[0], id)
	s.heap.decay()
}

// firstUIP resolves c with the reasons of its literals of the current level until
// one is left, which comes first in the result.
func (s *solver) firstUIP(c int32) (lits []lit, from []int32) {
	now := int32(len(s.limits))
	lits = []lit{0}
	open := 0
	var marked []int32
	i := len(s.trail)
	for {
		from = append(from, c)
		for _, l := range s.clauses[c].lits {
			v := l.of()
			if s.seen[v] {
				continue
			}
			s.seen[v] = true
			marked = append(marked, v)
			s.heap.bump(v)
			switch s.level[v] {
			case now:
				open++
			case 0:
				from = append(from, ^v)
			default:
				lits = append(lits, l)
			}
		}
		for i--; !s.seen[s.trail[i].of()]; i-- {
		}
		if open--; open == 0 {
			break
		}
		c = s.reason[s.trail[i].of()]
	}
	lits[0] = s.trail[i].not()
	for _, v := range marked {
		s.seen[v] = false
	}
	return lits, from
}

// refutation returns the transactions that show that there is no assignment.
func (s *solver) refutation() []int32 {
	var txns []int32
	clauses, vars := make(map[int32]bool), make(map[int32]bool)
	todo := slices.Clone(s.refuted)
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c < 0 {
			if !vars[^c] {
				vars[^c] = true
				todo = append(todo, s.reason[^c])
			}
			continue
		}
		if clauses[c] {
			continue
		}
		clauses[c] = true
		txns = append(txns, s.clauses[c].txns...)
		todo = append(todo, s.clauses[c].from...)
		for _, l := range s.clauses[c].lits {
			if s.value[l.of()] != 0 && s.level[l.of()] == 0 && s.reason[l.of()] != c {
				todo = append(todo, ^l.of())
			}
		}
	}
	slices.Sort(txns)
	return slices.Compact(txns)
}

// varHeap gives the most active variable. Of equals it gives the first in rank: when
// those about the same time are decided one after another, contradictions are
// between recent decisions, and little has to be undone.
type varHeap struct {
	activity []float64
	step     float64
	rank     []int64 // which comes first of those with equal activity
	heap     []int32
	place    []int32 // in the heap, or -1
}

func (h *varHeap) add(v int32, rank int64) {
	if h.step == 0 {
		h.step = 1
	}
	h.activity = append(h.activity, 0)
	h.rank = append(h.rank, rank)
	h.place = append(h.place, -1)
	h.restore(v)
}

func (h *varHeap) restore(v int32) {
	if h.place[v] < 0 {
		h.place[v] = int32(len(h.heap))
		h.heap = append(h.heap, v)
		h.up(len(h.heap) - 1)
	}
}

func (h *varHeap) bump(v int32) {
	if h.activity[v] += h.step; h.activity[v] > 1e100 {
		for i := range h.activity {
			h.activity[i] *= 1e-100
		}
		h.step *= 1e-100
	}
	if h.place[v] >= 0 {
		h.up(int(h.place[v]))
	}
}

func (h *varHeap) decay() { h.step /= 0.95 }

func (h *varHeap) before(a, b int32) bool {
	return h.activity[a] > h.activity[b] || h.activity[a] == h.activity[b] && h.rank[a] < h.rank[b]
}

func (h *varHeap) swap(i, j int) {
	h.heap[i], h.heap[j] = h.heap[j], h.heap[i]
	h.place[h.heap[i]], h.place[h.heap[j]] = int32(i), int32(j)
}

func (h *varHeap) up(i int) {
	for ; i > 0 && h.before(h.heap[i], h.heap[(i-1)/2]); i = (i - 1) / 2 {
		h.swap(i, (i-1)/2)
	}
}

func (h *varHeap) empty() bool { return len(h.heap) == 0 }

func (h *varHeap) pop() (int32, bool) {
	n := len(h.heap) - 1
	if n < 0 {
		return 0, false
	}
	v := h.heap[0]
	h.swap(0, n)
	h.heap = h.heap[:n]
	h.place[v] = -1
	for i := 0; ; {
		k := 2*i + 1
		if k >= n {
			return v, true
		}
		if k+1 < n && h.before(h.heap[k+1], h.heap[k]) {
			k++
		}
		if !h.before(h.heap[k], h.heap[i]) {
			return v, true
		}
		h.swap(i, k)
		i = k
	}
}
