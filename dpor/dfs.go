package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// dfs is the paper's baseline DFS(I) (PLDI 2023, section 7): no partial order
// reduction, all interleavings of whole transactions, every read from every
// committed writer that keeps the level asked for. It reaches a history once for
// each order of its transactions. One worker does it all: its work is not shared and
// not estimated. What is left of it can be resumed, but where it is bounded (near).
type dfs struct {
	search
	near
}

// near bounds how far a history is from a serial run: see Options.Near.
type near struct {
	bounded    bool
	most       int // deviations
	deviations int // of the present history
}

func (e *dfs) all() (task, error) {
	s, err := e.initial()
	return &part{kind: wholeCall, s: s}, err
}

func (e *dfs) do(t task) error {
	p := t.(*part)
	switch p.kind {
	case restReads:
		return e.readFrom(p.s, p.node, p.next, false)
	case restOther:
		return e.begin(p.s, p.next)
	}
	return e.explore(p.s)
}

func (e *dfs) split() task { return nil }

func (e *dfs) restore(sub *Subtree) (task, error) {
	p, err := e.restorePart(sub)
	if err == nil && (len(sub.Skips) > 0 || sub.Kind == restOther && sub.Next >= p.s.h.Sessions()) {
		err = misfitRest(sub)
	}
	return p, err
}

func (e *dfs) tree() tree { return nil }

// explore extends the history by its next event in every way, beginning any
// session's transaction when none is pending.
func (e *dfs) explore(s *state) error {
	if err := e.enter(s); err != nil {
		return err
	}
	h := &s.h
	if node := h.Last().Node; node != nil && h.Len() > h.Ended() {
		return e.step(s, node)
	}
	first := upNext(h, 0)
	if first < 0 {
		return e.output(s)
	}
	return e.begin(s, first)
}

// begin begins a transaction of that session, and of each one after it.
func (e *dfs) begin(s *state, session int) error {
	h := &s.h
	f := e.push(s, nil, 0)
	defer e.pop()
	for i := session; i >= 0; i = e.frames[f].next {
		e.frames[f].next = upNext(h, i+1)
		leave := e.deviate(preempts(h, i))
		if leave < 0 {
			continue
		}
		h.Begin(i)
		if err := e.step(s, h.Last().Node); err != nil {
			return err
		}
		h.UndoBegin()
		e.deviations -= leave
	}
	return nil
}

// upNext is the first session from i on that can begin a transaction, or -1. The
// final one waits for all others.
func upNext(h *semantics.Ordered, i int) int {
	for ; i < h.Sessions(); i++ {
		if h.Node(i).Kind != program.End && (i != h.Final() || othersEnded(h)) {
			return i
		}
	}
	return -1
}

// othersEnded reports whether all sessions but the final one have ended.
func othersEnded(h *semantics.Ordered) bool {
	for i := range h.Sessions() {
		if i != h.Final() && h.Node(i).Kind != program.End {
			return false
		}
	}
	return true
}

// step takes the pending transaction's next step in every way.
func (e *dfs) step(s *state, node *program.Node) error {
	h := &s.h
	switch node.Kind {
	case program.Read:
		return e.read(s, node)
	case program.Commit:
		h.Commit(node.Writes)
		defer h.UndoCommit()
	case program.Abort:
		h.Abort()
		defer h.UndoAbort()
	}
	if !e.checker.Allows(h, e.level) {
		e.count.blocked++
		return nil
	}
	return e.explore(s)
}

// read lets the pending transaction read from every writer that keeps the level.
func (e *dfs) read(s *state, node *program.Node) error {
	return e.readFrom(s, node, s.h.Writers(node.Var).Next(0), true)
}

// readFrom does so from writer t on; blocked says that none before t was allowed.
func (e *dfs) readFrom(s *state, node *program.Node, t int, blocked bool) error {
	h := &s.h
	f := e.push(s, node, 0)
	defer e.pop()
	last := lastWriter(h, node.Var)
	for ; t >= 0; t = e.frames[f].next {
		e.frames[f].next = h.Writers(node.Var).Next(t + 1)
		leave := e.deviate(t != last)
		if leave < 0 {
			blocked = false
			continue
		}
		h.Read(node.Var, t)
		if e.checker.Allows(h, e.level) {
			blocked = false
			child, err := e.child(s, node, t)
			if err != nil {
				return err
			}
			h.Answer(child)
			if err := e.explore(s); err != nil {
				return err
			}
			h.Last().Node = node
		}
		h.UndoRead()
		e.deviations -= leave
	}
	if blocked {
		e.count.blocked++
	}
	return nil
}

// deviate counts a deviation from a serial run, if it is one. It returns how many
// have been counted, or -1 when that would be more than are allowed.
func (e *near) deviate(is bool) int {
	switch {
	case !is || !e.bounded:
		return 0
	case e.deviations == e.most:
		return -1
	}
	e.deviations++
	return 1
}

// preempts reports whether session i would go on although the one that was last
// has not ended.
func preempts(h *semantics.Ordered, i int) bool {
	last := int(h.Last().Session)
	return last >= 0 && last != i && h.Node(last).Kind != program.End
}

// lastWriter returns the transaction that has written x last.
func lastWriter(h *semantics.Ordered, x program.VarID) int {
	last := 0
	for t := h.Writers(x).Next(0); t >= 0; t = h.Writers(x).Next(t + 1) {
		last = t
	}
	return last
}
