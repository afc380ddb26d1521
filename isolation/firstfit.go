package isolation

import (
	"math/bits"

	"github.com/txmc/txmc/semantics"
)

// firstFit looks for a commit order at PC as search.snapshot does, but takes nothing back: it
// lets write who may write next. Mostly that leads to an order, in a fraction of the time of a
// search.
//
// Some transactions can write now without loss, because they hold nobody up, now or later.
// Nobody reads what they write, or nobody else is left who would overwrite it. If there is
// no such transaction, the first that may write is taken. That may be wrong only where there
// are others. Where there never were others, no order found means that there is none.
//
// It is for histories without locking reads whose sets of transactions are single words.
type firstFit struct {
	h      *semantics.Ordered
	known  *Known
	all    uint64
	read   uint64 // transactions that have read
	wrote  uint64 // transactions that have written, or have nothing to write
	held   uint64 // transactions that would overwrite what somebody has not read yet
	wanted uint64 // transactions that somebody reads from, and that have not written

	undecided bool  // one of several was taken
	states    int64 // as in Work
	tries     int64
}

// arrange reports whether the first n transactions of h come to an order, which it appends to
// order, the initial transaction first.
func (f *firstFit) arrange(n int, order []int32) ([]int32, bool) {
	f.read, f.wrote = 1, 1
	f.all = uint64(1)<<n - 1
	for f.letRead(); f.wrote != f.all; f.letRead() {
		f.states++
		t := f.next()
		if t < 0 {
			return order, false
		}
		f.wrote |= 1 << t
		order = append(order, int32(t))
	}
	return order, true
}

// letRead lets everybody read whose so ∪ wr predecessors have written. They stand before
// it in the ordered history.
func (f *firstFit) letRead() {
	f.held, f.wanted = 0, 0
	for b := f.all &^ f.read; b != 0; b &= b - 1 {
		t := bits.TrailingZeros64(b)
		if f.h.Past(t)[0]&^f.wrote != 0 {
			f.hold(t)
			continue
		}
		f.read |= 1 << t
		if len(f.h.Txns[t].Writes) == 0 {
			f.wrote |= 1 << t
		}
	}
}

// hold notes what t is going to read, when t cannot read yet. Some of the versions are
// there, and nobody else may overwrite them. Others have yet to be written.
func (f *firstFit) hold(t int) {
	from, to := f.h.ReadsOf(t)
	for i := from; i < to; i++ {
		if r := &f.h.Reads[i]; f.wrote>>r.From&1 != 0 {
			f.held |= f.h.Writers(r.Var)[0]
		} else {
			f.wanted |= 1 << r.From
		}
	}
}

// next returns the transaction that is to write next, or -1.
func (f *firstFit) next() int {
	first := -1
	several := false
	for b := f.read &^ f.wrote &^ f.held; b != 0; b &= b - 1 {
		f.tries++
		t := bits.TrailingZeros64(b)
		if f.known.Before(t)[0]&^f.wrote != 0 {
			continue
		}
		if f.wanted>>t&1 == 0 || f.last(t) {
			return t
		}
		several = first >= 0
		if first < 0 {
			first = t
		}
	}
	f.undecided = f.undecided || several
	return first
}

// last reports whether nobody else is left who writes what t writes.
func (f *firstFit) last(t int) bool {
	for _, w := range f.h.Txns[t].Writes {
		if f.h.Writers(w.Var)[0]&^f.wrote != 1<<t {
			return false
		}
	}
	return true
}
