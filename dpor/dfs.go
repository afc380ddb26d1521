package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// dfs is the paper's baseline DFS(I) (PLDI 2023, section 7): no partial order
// reduction, all interleavings of whole transactions, every read from every
// committed writer that keeps the level asked for. It reaches a history once for
// each order of its transactions. One worker does it all: its work is not split,
// cannot be resumed, and is not estimated.
type dfs struct {
	explorer
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

func (e *dfs) do(t task) error { return e.explore(t.(*part).s) }

func (e *dfs) split() task { return nil }

func (e *dfs) remaining() []Subtree { return nil }

func (e *dfs) restore(*Subtree) (task, error) {
	return nil, misfit("the baseline without reduction cannot be resumed")
}

func (e *dfs) tree() tree { return nil }

// explore extends the history by its next event in every way, beginning any
// session's transaction when none is pending.
func (e *dfs) explore(s *state) error {
	if e.enter(s.h.Len() - 1) {
		if err := e.attend(); err != nil {
			return err
		}
	}
	h := &s.h
	if node := h.Last().Node; node != nil && h.Len() > h.Ended() {
		return e.step(s, node)
	}
	over := true
	for i := range h.Sessions() {
		if h.Node(i).Kind == program.End || i == h.Final() && !over {
			continue
		}
		over = false
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
	if over {
		return e.output(s)
	}
	return nil
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
	h := &s.h
	blocked := true
	last := lastWriter(h, node.Var)
	for t := h.Writers(node.Var).Next(0); t >= 0; t = h.Writers(node.Var).Next(t + 1) {
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
			h.Last().Node = child
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
