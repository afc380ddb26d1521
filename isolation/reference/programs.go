package reference

import (
	"slices"

	"github.com/txmc/txmc/semantics"
)

// Program is a client program as a pure function: what a transaction does is
// computed from its first operation for every choice of what its reads return.
type Program struct {
	Sessions int
	Final    int             // the session that follows all others, or -1
	Initial  func(x int) int // value of a variable
	Run      func(s int, before []Log, answers []int) Run
}

// Run is what the next transaction of a session does, after the session's logs
// before, until it ends or asks for an external read beyond the answers.
type Run struct {
	None    bool // the session has no further transaction
	Dropped bool // the session assumes what does not hold
	Log          // the From of external reads is left out
	Asks    int  // of a pending one: the variable that it reads next
}

// extensions calls visit with h and the next transaction of session s in all ways,
// at each external read and at the end. It does not go on after visit returns
// false.
func (p *Program) extensions(h *History, s int, visit func(h *History, run Run) bool) {
	var choose func(from []ID, answers []int)
	choose = func(from []ID, answers []int) {
		run := p.Run(s, h.Sessions[s], answers)
		if run.None || run.Dropped || !visit(h.with(s, run.link(from)), run) || run.Status != semantics.Pending {
			return
		}
		ids, vals := h.Writers(run.Asks, p.Initial(run.Asks))
		for i := range ids {
			choose(append(slices.Clip(from), ids[i]), append(slices.Clip(answers), vals[i]))
		}
	}
	choose(nil, nil)
}

// link returns the log with the sources of its external reads.
func (r *Run) link(from []ID) Log {
	l := Log{r.Status, slices.Clone(r.Steps)}
	for i := range l.Steps {
		if s := &l.Steps[i]; !s.Write && !s.Own {
			s.From, from = from[0], from[1:]
		}
	}
	return l
}

// with returns h with one more transaction of session s.
func (h *History) with(s int, l Log) *History {
	g := &History{slices.Clone(h.Sessions), h.Final}
	g.Sessions[s] = append(slices.Clip(g.Sessions[s]), l)
	return g
}

// Startable returns the sessions whose next transaction may start in h, a history
// of whole transactions.
func (p *Program) Startable(h *History) []int {
	var list []int
	for s := range p.Sessions {
		if (s != p.Final || len(list) == 0) && !p.Run(s, h.Sessions[s], nil).None {
			list = append(list, s)
		}
	}
	return list
}

// Extend calls visit with h and the next transaction of session s in all ways, at
// each external read, where it is pending, and at its end.
func (p *Program) Extend(h *History, s int, visit func(h *History, run Run)) {
	p.extensions(h, s, func(g *History, run Run) bool { visit(g, run); return true })
}

// Start returns the history before any session runs.
func (p *Program) Start() *History { return &History{make([][]Log, p.Sessions), p.Final} }

// Histories returns the complete histories of p by canonical form: all serial
// orders of the transactions that keep session order, every external read reading
// from any earlier committed writer. These are all histories whose so ∪ wr is
// acyclic: each has a topological order, and each serial order gives one.
//
// Different serial orders may have led to the same history. They go on in the same
// ways: so the search keeps one of them at each length. keep, if it is not nil, says
// which histories are extended and returned. It must hold of all prefixes of a history
// of which it holds. Histories gives up and returns nil when one length has more than
// limit histories; 0 means no limit.
func (p *Program) Histories(limit int, keep func(*History) bool) map[string]*History {
	complete := map[string]*History{}
	level := map[string]*History{"": p.Start()}
	for len(level) > 0 {
		longer := map[string]*History{}
		for _, h := range level {
			sessions := p.Startable(h)
			if len(sessions) == 0 {
				complete[h.String()] = h
			}
			for _, s := range sessions {
				p.extensions(h, s, func(g *History, run Run) bool {
					if keep != nil && !keep(g) {
						return false
					}
					if run.Status != semantics.Pending {
						longer[g.String()] = g
					}
					return limit == 0 || len(longer) <= limit
				})
				if limit > 0 && len(longer) > limit {
					return nil
				}
			}
		}
		level = longer
	}
	return complete
}

// HistoriesLiterally is Histories without keeping one of equals.
func (p *Program) HistoriesLiterally() map[string]*History {
	complete := map[string]*History{}
	var extend func(h *History)
	extend = func(h *History) {
		sessions := p.Startable(h)
		if len(sessions) == 0 {
			complete[h.String()] = h
		}
		for _, s := range sessions {
			p.Extend(h, s, func(g *History, run Run) {
				if run.Status != semantics.Pending {
					extend(g)
				}
			})
		}
	}
	extend(p.Start())
	return complete
}
