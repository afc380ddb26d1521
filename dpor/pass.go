package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Dead ends are sessions that were skipped and then never find a writer to read
// from. To see them coming, choose relies on what is known of the transactions'
// accesses. Client code can do what it has not done before, so that this is an
// assumption, and it is checked: a pass over all histories leaves out those with
// an access that is not known, and notes it. When a pass has noted something, it
// becomes known and another pass is made, which outputs the histories that were
// left out before. The last pass notes nothing; then no history has an access that
// is not known (docs/serial.md).

// passing is where the serial engine stands with its passes. Workers only read
// known, before and outlook while a pass runs.
type passing struct {
	known   *accesses // the pass leaves out what is not known
	before  *accesses // known in the pass before, nil in the first
	outlook *outlook  // of known
	noted   accesses  // by this worker: what it met and was not known
	news    bool      // there is something
}

// knowsRead reports whether it is known that the pending transaction may read
// what it reads at node.
func (e *engine) knowsRead(h *semantics.Ordered, node *program.Node) bool {
	t := h.Last()
	if e.known.hasRead(t, node.Var) || int(t.Session) == h.Final() {
		return true
	}
	e.noted.read(t, node.Var)
	e.news = true
	return false
}

// knowsWrites is the same for its writes at a commit.
func (e *engine) knowsWrites(h *semantics.Ordered, node *program.Node) bool {
	t := h.Last()
	if e.known.hasWrites(t, node.Writes) || int(t.Session) == h.Final() {
		return true
	}
	e.noted.write(t, node.Writes)
	e.news = true
	return false
}

// repeated reports whether a pass before has output the complete history.
func (e *engine) repeated(h *semantics.Ordered) bool { return e.before != nil && e.before.has(h) }

// nextPass prepares another pass if the workers noted something in the one that
// has ended.
func nextPass(workers []*engine) bool {
	known := &accesses{}
	known.union(workers[0].known)
	news := false
	for _, e := range workers {
		known.union(&e.noted)
		news = news || e.news
	}
	if news {
		startPass(workers, known)
	}
	return news
}

// startPass gives all workers what is known.
func startPass(workers []*engine, known *accesses) {
	p := passing{known: known, before: workers[0].known, outlook: newOutlook(known, workers[0].prog.Sessions())}
	for _, e := range workers {
		e.passing = p
	}
}
