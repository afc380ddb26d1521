package check

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// forceCC returns edges that, together with so ∪ wr, reach the edges that causal
// consistency forces. For a read of x from t1 in t3, and another writer t2 of x with
// (t2, t3) ∈ (so ∪ wr)⁺, it forces t2 → t1. order extends so ∪ wr.
//
// Of each chain the last such t2 is enough, O(n·k) for k chains (AWDIT, PLDI 2025,
// algorithm 3). Here the chains are taken some at a time: so memory is O(n) whatever k
// is. The past of a transaction is a row of positions, one for each chain in the band.
// An edge is left out when t2 precedes t1 already, by so ∪ wr or by what is forced.
//
// Where that is less, not the chains are gone through but the writers of x in a
// window of time: see window.
func (f *form) forceCC(ctx context.Context, order []int32, w *writers) ([]edge, error) {
	workers := min(runtime.GOMAXPROCS(0), max(1, f.chains()/4))
	width := f.bandWidth(workers)
	c := f.clock(order)
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
	for lo := first; lo < f.chains(); lo += width {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := <-free
			if b == nil {
				b = &band{f: f, w: w, clock: c, width: width, window: 2, row: make([]int32, f.n*width), floor: make([]int32, f.n)}
			}
			b.poller = poller{ctx: ctx}
			found := b.run(lo, min(lo+width, f.chains()), order)
			free <- b
			if err := ctx.Err(); err != nil {
				return err
			}
			mu.Lock()
			edges = append(edges, found...)
			mu.Unlock()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(edges, byTarget)
	return edges, nil
}

func byTarget(a, b edge) int {
	return cmp.Or(int(a.to)-int(b.to), int(a.from)-int(b.from))
}

// bandMemory is about how many bytes the rows of all workers may take.
const bandMemory = 256 << 20

// bandWidth returns how many chains to take at a time.
func (f *form) bandWidth(workers int) int {
	most := max(4, min(64, bandMemory/(4*workers*f.n)))
	bands := (f.chains() + most - 1) / most
	bands = (bands + workers - 1) / workers * workers
	return (f.chains() + bands - 1) / bands
}

// band is what is known about some chains, those from lo up to hi.
type band struct {
	f      *form
	w      *writers
	clock  *clock
	lo, hi int32
	width  int
	window int     // how many writers for each chain may be in a window that is gone through
	row    []int32 // row[t*width+c-lo]: how many of chain c come before t or are t
	floor  []int32 // all of these chains with a lesser time come before t or are t
	forced []edge
	limit  int // when to sort forced out
	poller poller
}

func (b *band) of(t int32) []int32 {
	i := int(t) * b.width
	return b.row[i : i+int(b.hi-b.lo)]
}

func (b *band) run(lo, hi int, order []int32) []edge {
	b.lo, b.hi = int32(lo), int32(hi)
	b.forced, b.limit = b.forced[:0], 1<<20
	clear(b.row)
	for _, t := range order {
		if b.poller.ended() {
			return nil
		}
		b.raise(t)
		own := b.of(t)
		if c := b.f.chain[t]; c >= b.lo && c < b.hi {
			own[c-b.lo] = b.f.at(t) + 1
		}
		b.floor[t] = b.earliest(own)
	}
	b.collect()
	b.sortOut()
	if len(b.forced) == 0 {
		return nil
	}
	return b.reduce(order)
}

// earliest returns the least time of a transaction that a row has not.
func (b *band) earliest(row []int32) int32 {
	least := int32(math.MaxInt32)
	for k, v := range row {
		if t := b.f.start[b.lo+int32(k)] + v; t < b.f.start[b.lo+int32(k)+1] {
			least = min(least, b.clock.time[t])
		}
	}
	return least
}

// raise makes t's row at least those of its direct predecessors.
func (b *band) raise(t int32) {
	own := b.of(t)
	if u := b.f.prev[t]; u >= 0 {
		maxRow(own, b.of(u))
	}
	last := int32(-1)
	for _, r := range b.f.readsOf(t) {
		if r.from != last && (r.from != 0 || !b.f.init) {
			maxRow(own, b.of(r.from))
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
// comes before the reader.
func (b *band) collect() {
	f := b.f
	for t3 := int32(1); int(t3) < f.n && !b.poller.ended(); t3++ {
		row := b.of(t3)
		for _, r := range f.readsOf(t3) {
			row1 := b.of(r.from)
			if b.lo == 0 && row[0] > 0 && row1[0] == 0 {
				b.force(0, r.from) // the initial transaction, which is no session's
			}
			if ws := b.clock.window(r.key, b.floor[r.from], b.clock.time[t3]); len(ws) <= b.window*int(b.hi-b.lo) {
				b.inWindow(t3, r, ws, row, row1)
			} else {
				b.lastWriters(t3, r, b.w.of(r.key), row, row1)
			}
		}
	}
}

func (b *band) force(t2, t1 int32) {
	b.forced = append(b.forced, edge{t2, t1})
	if len(b.forced) >= b.limit {
		b.sortOut()
		b.limit = 1<<20 + 2*len(b.forced)
	}
}

// sortOut leaves of the forced edges the last from each chain.
func (b *band) sortOut() {
	slices.SortFunc(b.forced, byTarget)
	kept := b.forced[:0]
	for _, e := range b.forced {
		if k := len(kept) - 1; k >= 0 && kept[k].to == e.to && b.f.chain[kept[k].from] == b.f.chain[e.from] {
			kept[k] = e
		} else {
			kept = append(kept, e)
		}
	}
	b.forced = kept
}

// inWindow looks at all writers of the key in a window.
func (b *band) inWindow(t3 int32, r read, ws, row, row1 []int32) {
	f := b.f
	for _, t2 := range ws {
		c := f.chain[t2]
		if c < b.lo || c >= b.hi || t2 == r.from || t2 == t3 {
			continue
		}
		if at := t2 - f.start[c]; at >= row1[c-b.lo] && at < row[c-b.lo] && (c != f.chain[t3] || t2 < t3) {
			b.force(t2, r.from)
		}
	}
}

// lastWriters looks at one writer of each chain; ws are all of the key.
func (b *band) lastWriters(t3 int32, r read, ws, row, row1 []int32) {
	f := b.f
	i, _ := slices.BinarySearch(ws, f.start[b.lo])
	for i < len(ws) {
		c := f.chain[ws[i]]
		if c >= b.hi {
			return
		}
		base, k := f.start[c], c-b.lo
		// Writers below know come before t3; those below old come before t1.
		know, old := base+row[k], base+row1[k]
		if c == f.chain[t3] {
			know = t3
		}
		if know > old {
			i = gallop(ws, i, know)
			if i > 0 && ws[i-1] >= old && ws[i-1] != r.from {
				b.force(ws[i-1], r.from)
			}
		}
		i = gallop(ws, i, f.start[c+1])
	}
}

// gallop returns the first place from at on with a writer that is not below t.
func gallop(ws []int32, at int, t int32) int {
	step := 1
	for at+step < len(ws) && ws[at+step-1] < t {
		at += step
		step *= 2
	}
	n, _ := slices.BinarySearch(ws[at:min(len(ws), at+step)], t)
	return at + n
}

// reduce returns the forced edges that no others imply. On the way the rows
// become those of so ∪ wr and what is forced.
func (b *band) reduce(order []int32) []edge {
	var edges []edge
	for _, t := range order {
		if b.poller.ended() {
			return nil
		}
		b.raise(t)
		own := b.of(t)
		i, _ := slices.BinarySearchFunc(b.forced, t, func(e edge, t int32) int { return int(e.to) - int(t) })
		for ; i < len(b.forced) && b.forced[i].to == t; i++ {
			t2 := b.forced[i].from
			if c := b.f.chain[t2]; b.f.at(t2) >= own[c-b.lo] {
				own[c-b.lo] = b.f.at(t2) + 1
				edges = append(edges, b.forced[i])
			}
		}
	}
	return edges
}
