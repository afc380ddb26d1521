package checker

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// forceCC returns edges that, together with so ∪ wr, reach what causal
// consistency forces: for a read of x from t1 in t3 and another writer t2 of x
// with (t2, t3) ∈ (so ∪ wr)⁺, t2 → t1. order extends so ∪ wr.
//
// Of each chain the last such t2 is enough, O(n·k) for k chains (AWDIT, PLDI
// 2025, algorithm 3). Here the chains are taken some at a time, so that memory is
// O(n) whatever k is: what precedes a transaction is a row of positions, one for
// each chain in the band. An edge is left out when t2 precedes t1 already, by
// so ∪ wr or by what is forced.
func (f *form) forceCC(ctx context.Context, order []int32, w *writers) ([]edge, error) {
	workers := min(runtime.GOMAXPROCS(0), max(1, f.chains()/4))
	width := f.bandWidth(workers)
	var mu sync.Mutex
	var edges []edge
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	free := make(chan *band, workers)
	for range workers {
		free <- nil
	}
	first := 1 // the initial transaction comes before all others anyway
	if !f.init {
		first = 0
	}
	for c := first; c < f.chains(); c += width {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := <-free
			if b == nil {
				b = &band{f: f, width: width, row: make([]int32, f.n*width), forced: make([]int32, f.n*width)}
			}
			found := b.run(c, min(c+width, f.chains()), order, w)
			free <- b
			mu.Lock()
			edges = append(edges, found...)
			mu.Unlock()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(edges, func(a, b edge) int {
		if a.to != b.to {
			return int(a.to) - int(b.to)
		}
		return int(a.from) - int(b.from)
	})
	return edges, nil
}

// bandMemory is about how many bytes the rows of all workers may take.
const bandMemory = 256 << 20

// bandWidth returns how many chains to take at a time.
func (f *form) bandWidth(workers int) int {
	most := min(64, bandMemory/(8*workers*f.n))
	bands := (f.chains() + max(4, most) - 1) / max(4, most)
	bands = (bands + workers - 1) / workers * workers
	return (f.chains() + bands - 1) / bands
}

// band is what is known about some chains, those from lo up to hi.
type band struct {
	f      *form
	lo, hi int32
	width  int
	row    []int32 // row[t*width+c-lo]: how many of chain c come before t or are t
	forced []int32 // the same for what is forced to come before t
	ptr    []entry // by place in the writers: where a chain's search stands
}

// entry is a place in a list of writers, for one reading chain.
type entry struct{ chain, at int32 }

func (b *band) of(rows []int32, t int32) []int32 {
	i := int(t) * b.width
	return rows[i : i+int(b.hi-b.lo)]
}

func (b *band) run(lo, hi int, order []int32, w *writers) []edge {
	b.lo, b.hi = int32(lo), int32(hi)
	clear(b.row)
	for _, t := range order {
		b.raise(b.row, t)
		if c := b.f.chain[t]; c >= b.lo && c < b.hi {
			b.of(b.row, t)[c-b.lo] = b.f.at(t) + 1
		}
	}
	if !b.collect(w) {
		return nil
	}
	return b.reduce(order)
}

// raise makes t's row at least those of its direct predecessors.
func (b *band) raise(rows []int32, t int32) {
	own := b.of(rows, t)
	if u := b.f.prev[t]; u >= 0 {
		maxRow(own, b.of(rows, u))
	}
	last := int32(-1)
	for _, r := range b.f.readsOf(t) {
		if r.from != last && (r.from != 0 || !b.f.init) {
			maxRow(own, b.of(rows, r.from))
			last = r.from
		}
	}
}

func maxRow(a, b []int32) {
	b = b[:len(a)]
	for i, v := range b {
		a[i] = max(a[i], v)
	}
}

// collect notes, for each read, the last writer of its key in each chain that
// comes before the reader; it reports whether that forced anything.
func (b *band) collect(w *writers) bool {
	f := b.f
	clear(b.forced)
	b.ptr = make([]entry, len(w.txn))
	any := false
	for t3 := int32(1); int(t3) < f.n; t3++ {
		row := b.of(b.row, t3)
		for _, r := range f.readsOf(t3) {
			ws := w.of(r.key)
			row1, forced := b.of(b.row, r.from), b.of(b.forced, r.from)
			if b.lo == 0 && row[0] > 0 && row1[0] == 0 {
				forced[0], any = 1, true // the initial transaction, which is no session's
			}
			if len(ws) == 0 {
				continue
			}
			if b.lastWriters(t3, r, ws, b.ptr[w.off[r.key]:w.off[r.key+1]], row, row1, forced) {
				any = true
			}
		}
	}
	return any
}

// lastWriters does so for one read; ws are the writers of its key.
func (b *band) lastWriters(t3 int32, r read, ws []int32, ptr []entry, row, row1, forced []int32) bool {
	f := b.f
	any := false
	i, _ := slices.BinarySearch(ws, f.start[b.lo])
	for i < len(ws) {
		c := f.chain[ws[i]]
		if c >= b.hi {
			break
		}
		base, k := f.start[c], c-b.lo
		// Writers up to know come before t3; those up to old come before t1.
		know, old := base+row[k], base+row1[k]
		if c == f.chain[t3] {
			know = t3
		}
		if know > old {
			p := &ptr[i]
			at := int32(i)
			if p.chain == f.chain[t3]+1 {
				at = p.at
			}
			at = gallop(ws, at, know)
			*p = entry{f.chain[t3] + 1, at}
			if at > int32(i) {
				if t2 := ws[at-1]; t2 >= old && t2 != r.from && t2-base+1 > forced[k] {
					forced[k] = t2 - base + 1
					any = true
				}
			}
			i = int(at)
		}
		if i < len(ws) && f.chain[ws[i]] == c {
			i = int(gallop(ws, int32(i), f.start[c+1]))
		}
	}
	return any
}

// gallop returns the first place from at on with a writer that is not below t.
func gallop(ws []int32, at, t int32) int32 {
	step := int32(1)
	for int(at+step) < len(ws) && ws[at+step-1] < t {
		at += step
		step *= 2
	}
	n, _ := slices.BinarySearch(ws[at:min(len(ws), int(at+step))], t)
	return at + int32(n)
}

// reduce returns the forced edges that no others imply. On the way the rows
// become those of so ∪ wr and what is forced.
func (b *band) reduce(order []int32) []edge {
	var edges []edge
	for _, t := range order {
		b.raise(b.row, t)
		own := b.of(b.row, t)
		for k, v := range b.of(b.forced, t) {
			if v > own[k] {
				own[k] = v
				edges = append(edges, edge{b.f.start[b.lo+int32(k)] + v - 1, t})
			}
		}
	}
	return edges
}
