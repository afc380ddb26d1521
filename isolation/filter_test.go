package isolation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// A filter keeps knowledge of a history that grows. This tells the same as a search from the
// beginning, also when the filter was told that some transactions can be put last. The histories
// come close to what is forbidden: few variables, many writers.
func TestFilter(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for i := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, i))
		g := grown{sessions: 2 + r.IntN(5), txns: 5 + r.IntN(8), vars: 2 + r.IntN(4), locks: i%5 == 0}
		for _, l := range []isolation.Level{isolation.PC, isolation.SI, isolation.SER} {
			if err := g.follow(r, l); err != nil {
				t.Fatalf("%v: %v (seed %d, %d)", l, err, seed, i)
			}
		}
	}
}

// readsLast reports whether the last transaction reads each variable from a transaction that is known to come after all
// others that have written it.
func readsLast(h *semantics.Ordered, known *isolation.Known) bool {
	t := h.Len() - 1
	from, to := h.ReadsOf(t)
	for _, r := range h.Reads[from:to] {
		writers := h.Writers(r.Var)
		for u := writers.Next(0); u >= 0 && u < t; u = writers.Next(u + 1) {
			if u != int(r.From) && !known.Before(int(r.From)).Has(u) {
				return false
			}
		}
	}
	return true
}

// follow lets a history grow, with a filter and without.
func (g grown) follow(r *rand.Rand, l isolation.Level) error {
	var h semantics.Ordered
	var known isolation.Known
	var filter isolation.Filter
	var checker isolation.Checker
	h.Reset(g.sessions, -1, nil)
	known.Reset(&h, isolation.CC)
	filter.Reset(l)
	for range 3 * g.txns {
		mark, reads := known.Mark(), len(h.Reads)
		h.Begin(r.IntN(g.sessions))
		var writes []behaviour.Write
		for _, x := range r.Perm(g.vars)[:r.IntN(min(4, g.vars+1))] {
			g.read(r, &h, &known, behaviour.VarID(x))
			if r.IntN(3) == 0 {
				writes = append(writes, behaviour.Write{Var: behaviour.VarID(x), Val: 1})
			}
		}
		if x := behaviour.VarID(r.IntN(g.vars)); len(writes) == 0 && r.IntN(2) == 0 {
			writes = append(writes, behaviour.Write{Var: x, Val: 1})
		}
		aborts := r.IntN(6) == 0
		if aborts {
			h.Abort()
		} else {
			h.Commit(writes)
		}
		known.End(&h)
		filter.End(&h, &known)
		allowed := checker.AllowsKnown(&h, &known, l)
		if filter.Valid() != allowed {
			return fmt.Errorf("the filter says %v, the search %v, of %v and reads %v", filter.Valid(), allowed, h.Txns, h.Reads)
		}
		if allowed && h.Len() <= g.txns {
			if known.Mark() == mark && readsLast(&h, &known) && r.IntN(3) > 0 { // its reads have forced nothing
				filter.UndoEnd()
				filter.EndAllowed()
			}
			continue
		}
		filter.UndoEnd()
		known.UndoEnd()
		if aborts {
			h.UndoAbort()
		} else {
			h.UndoCommit()
		}
		h.UndoReads(reads)
		known.Undo(mark)
		h.UndoBegin()
	}
	return nil
}
