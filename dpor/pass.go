package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// passes is what the serial engine knows of the transactions' accesses. Dead ends
// are sessions that were skipped and then never find a writer to read from; the
// chooser sees them coming from what is known. Client code can do what it has not
// done before. So the knowledge is an assumption, and it is checked: a pass over
// all histories leaves out those with an access that is not known, and notes the
// access. What a pass has noted becomes known, and another pass is made, which
// outputs the histories that were left out before. The last pass notes nothing:
// then no history has an access that is not known (docs/serial.md).
//
// Workers only read passes while a pass runs.
type passes struct {
	known     *accesses // the pass leaves out what is not known
	before    *accesses // known in the pass before, nil in the first
	lookahead *lookahead
	sessions  int // of the program
	symmetry  *symmetry
	workers   []*serial
}

// knowsRead reports whether it is known that the pending transaction may read
// what it reads at node.
func (e *serial) knowsRead(h *semantics.Ordered, node *program.Node) bool {
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
func (e *serial) knowsWrites(h *semantics.Ordered, node *program.Node) bool {
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
func (p *passes) repeated(h *semantics.Ordered) bool { return p.before != nil && p.before.has(h) }

// next prepares another pass if the workers noted something in the one that has
// ended.
func (p *passes) next() bool {
	noted, news := p.gather()
	if news {
		noted.union(p.known)
		p.start(noted)
	}
	return news
}

// gather returns what the workers have noted, and whether there is something.
func (p *passes) gather() (noted *accesses, news bool) {
	noted = &accesses{}
	for _, e := range p.workers {
		noted.union(&e.noted)
		news = news || e.news
	}
	return noted, news
}

// start begins a pass with what is known.
func (p *passes) start(known *accesses) {
	p.symmetry.close(known)
	known.settle(p.sessions)
	p.before, p.known = p.known, known
	p.look()
	for _, e := range p.workers {
		e.noted, e.news = accesses{}, false
	}
}

// look makes the lookahead of what is known.
func (p *passes) look() { p.lookahead = newLookahead(p.known, p.sessions) }

// describe makes data of the passes.
func (p *passes) describe(c *program.Client) *Passes {
	noted, news := p.gather()
	return &Passes{
		Known: p.known.keys(c), Before: p.before.keys(c), First: p.before == nil,
		Noted: noted.keys(c), News: news,
	}
}

// passesFrom is the inverse of describe, except for what was noted: the first
// worker gets that when there are workers.
func passesFrom(c *program.Client, f *Passes) *passes {
	p := &passes{known: fromKeys(c, f.Known), sessions: c.Sessions()}
	p.known.settle(p.sessions)
	if !f.First {
		p.before = fromKeys(c, f.Before)
		p.before.settle(p.sessions)
	}
	p.look()
	return p
}
