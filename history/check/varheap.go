package check

import "slices"

// varHeap gives the most active variable. Among equals it gives the first in rank: when
// those about the same time are decided one after another, contradictions are between
// recent decisions, and little has to be undone.
type varHeap struct {
	activity []float64
	step     float64
	rank     []int64 // which comes first of those with equal activity
	heap     []int32
	index    []int32 // in the heap, or -1
}

func (h *varHeap) reserve(n int) {
	h.activity, h.rank, h.index = slices.Grow(h.activity, n), slices.Grow(h.rank, n), slices.Grow(h.index, n)
}

// add makes the next variable, which is not in the heap.
func (h *varHeap) add(rank int64) {
	if h.step == 0 {
		h.step = 1
	}
	h.activity = append(h.activity, 0)
	h.rank = append(h.rank, rank)
	h.index = append(h.index, -1)
}

func (h *varHeap) restore(v int32) {
	if h.index[v] < 0 {
		h.index[v] = int32(len(h.heap))
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
	if h.index[v] >= 0 {
		h.up(int(h.index[v]))
	}
}

func (h *varHeap) decay() { h.step /= 0.95 }

func (h *varHeap) before(a, b int32) bool {
	return h.activity[a] > h.activity[b] || h.activity[a] == h.activity[b] && h.rank[a] < h.rank[b]
}

func (h *varHeap) swap(i, j int) {
	h.heap[i], h.heap[j] = h.heap[j], h.heap[i]
	h.index[h.heap[i]], h.index[h.heap[j]] = int32(i), int32(j)
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
	h.index[v] = -1
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
