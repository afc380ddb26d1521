package anomaly_test

import (
	"cmp"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/program/deadlinetest"
	"github.com/txmc/txmc/semantics"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "seed of the random histories; 0 means one from the clock")
	countFlag = deadlinetest.Flag("histories", 1500, 500, "number of random histories")
)

// randomly calls check with random histories, and names the seed of one that it
// fails for.
func randomly(t *testing.T, n int, check func(t *testing.T, h *semantics.History)) {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	} else {
		n = 1
	}
	for range n {
		h := randomHistory(rand.New(rand.NewPCG(seed, 0)))
		if check(t, h); t.Failed() {
			t.Fatalf("-seed=%d\n%s", seed, show(h))
		}
		seed++
	}
}

// generator makes a history transaction by transaction. Mostly the reads keep a
// level, and break the next one if they can.
type generator struct {
	*rand.Rand
	h    *semantics.History
	keep isolation.Level
}

func randomHistory(r *rand.Rand) *semantics.History {
	sessions, vars := 2+r.IntN(4), 1+r.IntN(3)
	keep := []isolation.Level{isolation.True, isolation.RC, isolation.RA, isolation.CC, isolation.CC, isolation.PC, isolation.PC, isolation.SI, isolation.SI, isolation.SI, isolation.SER}
	g := generator{r, &semantics.History{Sessions: sessions, Final: -1}, keep[r.IntN(len(keep))]}
	g.h.Txns = []semantics.Txn{{Session: -1, Status: semantics.Committed}}
	counts := make([]int, sessions)
	for range 2 + r.IntN(5) {
		s := r.IntN(sessions)
		g.add(s, counts[s], vars)
		counts[s]++
	}
	if r.IntN(4) == 0 {
		g.h.Sessions++
		g.h.Final = sessions
		g.add(sessions, 0, vars)
	}
	if r.IntN(20) == 0 {
		g.disturb()
	}
	return sorted(g.h)
}

// add adds a transaction.
func (g *generator) add(session, index, vars int) {
	t := semantics.Txn{Session: session, Index: index, Status: semantics.Committed}
	if g.IntN(12) == 0 {
		t.Status = semantics.Aborted
	}
	g.h.Txns = append(g.h.Txns, t)
	log := &g.h.Txns[len(g.h.Txns)-1]
	written := map[behaviour.VarID]bool{}
	for range 1 + g.IntN(4) {
		e := semantics.Event{Var: behaviour.VarID(g.IntN(vars)), Val: behaviour.ValueID(1 + g.IntN(3))}
		switch {
		case g.IntN(2) == 0:
			e.Kind = semantics.Write
			written[e.Var] = true
		case written[e.Var]:
			e.From = semantics.Own
		}
		log.Events = append(log.Events, e)
		if e.Kind == semantics.Read && e.From != semantics.Own {
			g.link(&log.Events[len(log.Events)-1])
		}
	}
}

// link draws where the last event, a read, reads from.
func (g *generator) link(e *semantics.Event) {
	kept := 0
	for _, u := range g.Perm(len(g.h.Txns) - 1) {
		if e.From = u; writes(g.h, u, e.Var) && isolation.Satisfies(g.h, g.keep) {
			kept = u
			if g.keep == isolation.SER || !isolation.Satisfies(g.h, g.keep+1) {
				return
			}
		}
	}
	e.From = kept
}

// disturb lets a read read from anybody.
func (g *generator) disturb() {
	t := 1 + g.IntN(len(g.h.Txns)-1)
	for i := range g.h.Txns[t].Events {
		if e := &g.h.Txns[t].Events[i]; e.Kind == semantics.Read && e.From != semantics.Own {
			if u := g.IntN(len(g.h.Txns)); u != t {
				e.From = u
			}
			return
		}
	}
}

// sorted puts the transactions in the order that histories have.
func sorted(h *semantics.History) *semantics.History {
	order := make([]int, len(h.Txns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		t, u := h.Txns[a], h.Txns[b]
		return cmp.Or(cmp.Compare(t.Session, u.Session), cmp.Compare(t.Index, u.Index))
	})
	return permuted(h, order)
}

// permuted is h with its transactions in another order.
func permuted(h *semantics.History, order []int) *semantics.History {
	g := &semantics.History{Sessions: h.Sessions, Final: h.Final}
	number := make([]int, len(order))
	for i, t := range order {
		number[t] = i
	}
	for _, t := range order {
		txn := h.Txns[t]
		txn.Events = slices.Clone(txn.Events)
		for i := range txn.Events {
			if e := &txn.Events[i]; e.From > 0 {
				e.From = number[e.From]
			}
		}
		g.Txns = append(g.Txns, txn)
	}
	return g
}

// writes reports whether t makes a write of x visible.
func writes(h *semantics.History, t int, x behaviour.VarID) bool {
	if t == 0 {
		return true
	}
	for _, e := range h.Txns[t].Events {
		if e.Kind == semantics.Write && e.Var == x {
			return h.Txns[t].Status == semantics.Committed
		}
	}
	return false
}
