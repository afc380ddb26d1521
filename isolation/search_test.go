package isolation

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// The searches decide the same as trying all orders, on histories that are too large for
// the literal definition. At PC the orders that take nothing back decide the same, when
// they are sure.
func TestSearches(t *testing.T) {
	t.Parallel()
	var unsure, sure, allowed, forbidden int
	for seed := range uint64(6_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		h, known := randomCausal(r, 2+r.IntN(5), 4+r.IntN(9), 2+r.IntN(4))
		var s search
		n := h.Ended()
		a := &allOrders{h: h, n: n, dead: map[uint64]bool{}}
		want := a.prefix(1)
		ok, certain := s.firstFit(h, known, n)
		if certain && ok != want || ok && !want {
			t.Fatalf("seed %d: without a search %v, sure %v, want %v", seed, ok, certain, want)
		}
		if got := s.decide(h, known, n, PC); got != want {
			t.Fatalf("seed %d: PC %v, want %v", seed, got, want)
		}
		a.dead = map[uint64]bool{}
		if got, want := s.decide(h, known, n, SER), a.serial(1); got != want {
			t.Fatalf("seed %d: SER %v, want %v", seed, got, want)
		}
		if a.dead = map[uint64]bool{}; n <= 10 {
			if got, want := s.decide(h, known, n, SI), a.snapshot(1, 1); got != want {
				t.Fatalf("seed %d: SI %v, want %v", seed, got, want)
			}
		}
		count(certain, &sure, &unsure)
		count(want, &allowed, &forbidden)
	}
	if unsure < 20 || sure < 100 || allowed < 100 || forbidden < 100 {
		t.Errorf("%d are sure without a search, %d are not; %d are allowed, %d are not", sure, unsure, allowed, forbidden)
	}
}

func count(is bool, yes, no *int) {
	if is {
		*yes++
	} else {
		*no++
	}
}

// allOrders tries all orders; sets from which none leads on are remembered, as what may come
// next depends on the set.
type allOrders struct {
	h    *semantics.Ordered
	n    int
	dead map[uint64]bool
}

// blocks reports whether t would overwrite what somebody else reads who has not read.
func (a *allOrders) blocks(t int, read, wrote uint64) bool {
	for _, r := range a.h.Reads {
		if int(r.Txn) != t && read>>r.Txn&1 == 0 && wrote>>r.From&1 != 0 && int(r.From) != t && a.h.Writers(r.Var).Has(t) {
			return true
		}
	}
	return false
}

func (a *allOrders) serial(wrote uint64) bool {
	if bits.OnesCount64(wrote) == a.n {
		return true
	}
	if a.dead[wrote] {
		return false
	}
	for t := range a.n {
		if wrote>>t&1 == 0 && a.h.Past(t)[0]&^wrote == 0 && !a.blocks(t, wrote, wrote) && a.serial(wrote|1<<t) {
			return true
		}
	}
	a.dead[wrote] = true
	return false
}

// prefix lets everybody read as soon as possible, and write in all orders.
func (a *allOrders) prefix(wrote uint64) bool {
	read := uint64(0)
	for t := range a.n {
		if a.h.Past(t)[0]&^wrote == 0 {
			if read |= 1 << t; len(a.h.Txns[t].Writes) == 0 {
				wrote |= 1 << t
			}
		}
	}
	if bits.OnesCount64(wrote) == a.n {
		return true
	}
	if a.dead[wrote] {
		return false
	}
	for t := range a.n {
		if (read&^wrote)>>t&1 != 0 && !a.blocks(t, read, wrote) && a.prefix(wrote|1<<t) {
			return true
		}
	}
	a.dead[wrote] = true
	return false
}

// snapshot lets one transaction after another read or write, in all orders.
func (a *allOrders) snapshot(read, wrote uint64) bool {
	if bits.OnesCount64(wrote) == a.n {
		return true
	}
	if a.dead[read<<32|wrote] {
		return false
	}
	for t := range a.n {
		switch {
		case wrote>>t&1 != 0:
		case read>>t&1 != 0:
			if !a.blocks(t, read, wrote) && a.snapshot(read, wrote|1<<t) {
				return true
			}
		case a.h.Past(t)[0]&^wrote == 0 && !a.overlaps(t, read&^wrote):
			if a.snapshot(read|1<<t, wrote) {
				return true
			}
		}
	}
	a.dead[read<<32|wrote] = true
	return false
}

// overlaps reports whether one of the open transactions writes what t writes.
func (a *allOrders) overlaps(t int, open uint64) bool {
	for _, w := range a.h.Txns[t].Writes {
		if a.h.Writers(w.Var)[0]&open != 0 {
			return true
		}
	}
	return false
}

// randomCausal returns a random history that satisfies CC, with what is known of it.
func randomCausal(r *rand.Rand, sessions, txns, vars int) (*semantics.Ordered, *Known) {
	h, known := &semantics.Ordered{}, &Known{}
	h.Reset(sessions, -1, nil)
	known.Reset(h, CC)
	for range txns {
		h.Begin(r.IntN(sessions))
		for _, x := range r.Perm(vars)[:r.IntN(3)] {
			writers := h.Writers(behaviour.VarID(x))
			var from []int
			for w := writers.Next(0); w >= 0; w = writers.Next(w + 1) {
				from = append(from, w)
			}
			for _, i := range r.Perm(len(from)) {
				mark := known.Mark()
				if h.Read(behaviour.VarID(x), from[i]); known.Read(h) {
					break
				}
				known.Undo(mark)
				h.UndoRead()
			}
		}
		var writes []behaviour.Write
		for _, x := range r.Perm(vars)[:min(vars, r.IntN(3))] {
			writes = append(writes, behaviour.Write{Var: behaviour.VarID(x), Val: 1})
		}
		h.Commit(writes)
		known.End(h)
	}
	return h, known
}

// Work returns what f has done.
func (f *Filter) Work() Work { return f.search.work }
