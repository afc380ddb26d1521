package dpor_test

import (
	"github.com/txmc/txmc/isolation/reference"
	"github.com/txmc/txmc/semantics"
	"math/rand/v2"
	"slices"

	"github.com/txmc/txmc/isolation"
)

// randomHistory returns a history of up to nine transactions that no program has to
// give. One history in six may have cycles. In the others the reads keep a level by
// definition, and most break the next level if they can. So each level has something to
// decide.
func randomHistory(r *rand.Rand) *reference.History {
	keep := []isolation.Level{isolation.True, isolation.RC, isolation.RA, isolation.RA, isolation.CC, isolation.CC, isolation.CC, isolation.PC, isolation.SI, isolation.SER}
	g := historyGenerator{Rand: r, vars: 1 + r.IntN(3), most: 2 + r.IntN(4), keep: keep[r.IntN(len(keep))], cycles: r.IntN(6) == 0}
	n := 2 + r.IntN(3)
	g.h = &reference.History{Sessions: make([][]reference.Log, n), Final: -1}
	if r.IntN(4) == 0 {
		n--
		g.h.Final = n
	}
	var plan []txnPlan
	for range 4 + r.IntN(5) {
		plan = append(plan, g.plan(r.IntN(n)))
	}
	if g.h.Final >= 0 {
		plan = append(plan, g.plan(g.h.Final))
	}
	g.link(plan)
	return g.h
}

// txnPlan is a transaction whose reads are from nowhere yet.
type txnPlan struct {
	id reference.ID
	reference.Log
}

type historyGenerator struct {
	*rand.Rand
	vars, most int
	keep       isolation.Level // what the reads keep, unless there may be cycles
	cycles     bool
	h          *reference.History
}

// plan draws a transaction of a session and puts an empty one into the history.
func (g *historyGenerator) plan(session int) txnPlan {
	logs := &g.h.Sessions[session]
	p := txnPlan{reference.ID{Session: session, Index: len(*logs)}, reference.Log{Status: semantics.Committed}}
	*logs = append(*logs, reference.Log{})
	if g.IntN(12) == 0 {
		p.Status = semantics.Aborted
	}
	own := map[int]bool{}
	only, write := g.IntN(2) == 0, g.IntN(2) == 0 // reads only, or writes only
	for range 1 + g.IntN(g.most) {
		s := reference.Step{Var: g.IntN(g.vars), Write: only && write || !only && g.IntN(2) == 0}
		s.Own = !s.Write && own[s.Var]
		if s.Write {
			own[s.Var] = true
			s.Val = 1 + g.IntN(3)
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}

// link carries out the plans, in an order that extends so and, but for cycles, wr.
func (g *historyGenerator) link(plan []txnPlan) {
	if g.cycles {
		for _, p := range plan {
			*g.log(p.id) = reference.Log{Status: p.Status, Steps: slices.Clone(p.Steps)}
		}
	} else {
		g.h.Sessions = slices.Clone(g.h.Sessions)
		for s, logs := range g.h.Sessions {
			g.h.Sessions[s] = logs[:0]
		}
	}
	for i, p := range plan {
		if !g.cycles {
			g.h.Sessions[p.id.Session] = append(g.h.Sessions[p.id.Session], reference.Log{Status: semantics.Pending})
		}
		log := g.log(p.id)
		log.Steps = nil
		for _, s := range p.Steps {
			if log.Steps = append(log.Steps, s); !s.Write && !s.Own {
				g.choose(log, p.id)
			}
		}
		if log.Status = p.Status; log.Status == semantics.Committed && !g.cycles && i == len(plan)-1 && g.IntN(4) == 0 {
			log.Status = semantics.Pending // nothing of its session comes after it
		}
	}
}

// choose links the last read of a log to a random writer.
func (g *historyGenerator) choose(log *reference.Log, id reference.ID) {
	s := &log.Steps[len(log.Steps)-1]
	from, _ := g.h.Writers(s.Var, 0)
	from = slices.DeleteFunc(from, func(u reference.ID) bool { return u == id })
	s.From = from[g.IntN(len(from))]
	if g.cycles {
		return
	}
	g.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	kept, spoil := reference.Init, g.keep < isolation.SER && g.IntN(4) > 0
	for _, s.From = range from {
		if g.h.Satisfies(g.keep) {
			kept = s.From
			if !spoil || !g.h.Satisfies(g.keep+1) {
				return
			}
		}
	}
	s.From = kept
}

func (g *historyGenerator) log(id reference.ID) *reference.Log { return g.h.Log(id) }
