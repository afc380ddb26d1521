package dpor_test

import (
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// randomHistory returns a history of up to nine transactions that no program has
// to give. One in six may have cycles; in the others the reads keep a level by
// definition and most break the next one if they can, so that each level has
// something to decide.
func randomHistory(r *rand.Rand) *refHistory {
	keep := []isolation.Level{isolation.True, isolation.RC, isolation.RA, isolation.RA, isolation.CC, isolation.CC, isolation.CC, isolation.PC, isolation.SI, isolation.SER}
	g := historyGenerator{Rand: r, vars: 1 + r.IntN(3), most: 2 + r.IntN(4), keep: keep[r.IntN(len(keep))], cycles: r.IntN(6) == 0}
	n := 2 + r.IntN(3)
	g.h = &refHistory{make([][]txnLog, n), -1}
	if r.IntN(4) == 0 {
		n--
		g.h.final = n
	}
	var plan []txnPlan
	for range 4 + r.IntN(5) {
		plan = append(plan, g.plan(r.IntN(n)))
	}
	if g.h.final >= 0 {
		plan = append(plan, g.plan(g.h.final))
	}
	g.link(plan)
	return g.h
}

// txnPlan is a transaction whose reads are from nowhere yet.
type txnPlan struct {
	id txnID
	txnLog
}

type historyGenerator struct {
	*rand.Rand
	vars, most int
	keep       isolation.Level // what the reads keep, unless there may be cycles
	cycles     bool
	h          *refHistory
}

// plan draws a transaction of a session and puts an empty one into the history.
func (g *historyGenerator) plan(session int) txnPlan {
	logs := &g.h.sessions[session]
	p := txnPlan{txnID{session, len(*logs)}, txnLog{status: committed}}
	*logs = append(*logs, txnLog{})
	if g.IntN(12) == 0 {
		p.status = aborted
	}
	own := map[int]bool{}
	only, write := g.IntN(2) == 0, g.IntN(2) == 0 // reads only, or writes only
	for range 1 + g.IntN(g.most) {
		s := step{v: g.IntN(g.vars), write: only && write || !only && g.IntN(2) == 0}
		s.own = !s.write && own[s.v]
		if s.write {
			own[s.v] = true
			s.val = 1 + g.IntN(3)
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// link carries out the plans, in an order that extends so and, but for cycles, wr.
func (g *historyGenerator) link(plan []txnPlan) {
	if g.cycles {
		for _, p := range plan {
			*g.log(p.id) = txnLog{p.status, slices.Clone(p.steps)}
		}
	} else {
		g.h.sessions = slices.Clone(g.h.sessions)
		for s, logs := range g.h.sessions {
			g.h.sessions[s] = logs[:0]
		}
	}
	for i, p := range plan {
		if !g.cycles {
			g.h.sessions[p.id.session] = append(g.h.sessions[p.id.session], txnLog{status: pending})
		}
		log := g.log(p.id)
		log.steps = nil
		for _, s := range p.steps {
			if log.steps = append(log.steps, s); !s.write && !s.own {
				g.choose(log, p.id)
			}
		}
		if log.status = p.status; log.status == committed && !g.cycles && i == len(plan)-1 && g.IntN(4) == 0 {
			log.status = pending // nothing of its session comes after it
		}
	}
}

// choose links the last read of a log to a random writer.
func (g *historyGenerator) choose(log *txnLog, id txnID) {
	s := &log.steps[len(log.steps)-1]
	from, _ := g.h.writers(s.v)
	from = slices.DeleteFunc(from, func(u txnID) bool { return u == id })
	s.from = from[g.IntN(len(from))]
	if g.cycles {
		return
	}
	g.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	kept, spoil := initID, g.keep < isolation.SER && g.IntN(4) > 0
	for _, s.from = range from {
		if satisfies(g.h, g.keep) {
			kept = s.from
			if !spoil || !satisfies(g.h, g.keep+1) {
				return
			}
		}
	}
	s.from = kept
}

func (g *historyGenerator) log(id txnID) *txnLog { return &g.h.sessions[id.session][id.index] }
