package serial

import (
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Exploration is what the serial engine knows of the transactions' accesses. Dead ends
// are sessions that were skipped and then never find a writer to read from; the
// chooser sees them coming from what is known. Client code can do what it has not
// done before. So the knowledge is an assumption, and it is checked: a pass over
// all histories leaves out those with an access that is not known, and notes the
// access. What a pass has noted becomes known, and another pass is made, which
// outputs the histories that were left out before. The last pass notes nothing:
// then no history has an access that is not known (docs/serial.md).
//
// Workers only read passes while a pass runs.
type Exploration struct {
	known     *Accesses // the pass leaves out what is not known
	before    *Accesses // known in the pass before, nil in the first
	lookahead *lookahead
	sessions  int // of the program
	symmetry  *orbit.Symmetry
	workers   []*Engine
}

// knowsRead reports whether it is known that the pending transaction may read
// what it reads at node.
func (e *Engine) knowsRead(h *semantics.Ordered, node *behaviour.Node) bool {
	if e.pending.reads.has(node.Var) {
		return true
	}
	t := h.Last()
	if int(t.Session) == h.Final() {
		return true
	}
	if !e.noted.hasRead(t, node.Var) {
		e.noted.read(t, node.Var)
	}
	if e.known.immaterial(t, node.Var) { // for another pass, if there is one
		return true
	}
	e.news = true
	return false
}

// knowsWrites is the same for its writes at a commit.
func (e *Engine) knowsWrites(h *semantics.Ordered, node *behaviour.Node) bool {
	if e.pending.hasWritten(node.Writes) {
		return true
	}
	t := h.Last()
	if int(t.Session) == h.Final() {
		return true
	}
	e.noted.write(t, node.Writes)
	e.news = true
	return false
}

// repeated reports whether a pass before has output the complete history.
func (p *Exploration) repeated(h *semantics.Ordered) bool { return p.before != nil && p.before.has(h) }

// Next prepares another pass if the workers noted something in the one that has
// ended.
func (p *Exploration) Next() bool {
	noted, news := p.gather()
	if news {
		noted.union(p.known)
		p.start(noted)
	}
	return news
}

// gather returns what the workers have noted, and whether there is something.
func (p *Exploration) gather() (noted *Accesses, news bool) {
	noted = &Accesses{}
	for _, e := range p.workers {
		noted.union(&e.noted)
		news = news || e.news
	}
	return noted, news
}

// start begins a pass with what is known.
func (p *Exploration) start(known *Accesses) {
	known.close(p.symmetry)
	known.settle(p.sessions)
	p.before, p.known = p.known, known
	p.look()
	for _, e := range p.workers {
		e.noted, e.news = Accesses{}, false
	}
}

// look makes the lookahead of what is known.
func (p *Exploration) look() { p.lookahead = newLookahead(p.known, p.sessions) }

// Describe makes data of the passes.
func (p *Exploration) Describe(c *program.Client) *Passes {
	noted, news := p.gather()
	return &Passes{
		Known: p.known.keys(c), Before: p.before.keys(c), First: p.before == nil,
		Noted: noted.keys(c), News: news,
	}
}

// Resume is the inverse of describe, except for what was noted: see resume.
func Resume(c *program.Client, f *Passes, y *orbit.Symmetry) *Exploration {
	p := &Exploration{known: fromKeys(c, f.Known), sessions: c.Sessions(), symmetry: y}
	p.known.settle(p.sessions)
	if !f.First {
		p.before = fromKeys(c, f.Before)
		p.before.settle(p.sessions)
	}
	p.look()
	return p
}

// TakeNoted gives the first worker what was noted.
func (p *Exploration) TakeNoted(c *program.Client, f *Passes) {
	p.workers[0].noted, p.workers[0].news = *fromKeys(c, f.Noted), f.News
}

// New are passes that begin with what is known.
func New(known *Accesses, sessions int, y *orbit.Symmetry) *Exploration {
	p := &Exploration{sessions: sessions, symmetry: y}
	p.start(known)
	return p
}

// Anew returns passes that begin with what p knows, which has not begun.
func (p *Exploration) Anew() *Exploration {
	return &Exploration{known: p.known, lookahead: p.lookahead, sessions: p.sessions}
}

// Engine makes a worker's engine. Repeatable says that the base level lets no transaction read a
// variable from two others.
func (p *Exploration) Engine(e swap.Explorer, a Ablation, repeatable bool) *Engine {
	s := &Engine{Search: swap.Search{Explorer: e}, chooser: chooser{ablation: a}, Exploration: p, repeatable: repeatable}
	p.workers = append(p.workers, s)
	return s
}
