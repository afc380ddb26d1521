package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// dfs is the paper's baseline (PLDI 2023, section 7): no partial order
// reduction, all interleavings of whole transactions, every read from every
// committed writer that keeps the level asked for. It reaches a history once for
// each order of its transactions.
func (e *engine) dfs(s *state) error {
	if err := e.enter(s); err != nil {
		return err
	}
	h := &s.h
	if node := h.Last().Node; node != nil && h.Len() > h.Ended() {
		return e.dfsStep(s, node)
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
		if err := e.dfsStep(s, h.Last().Node); err != nil {
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

// dfsStep takes the pending transaction's next step in every way.
func (e *engine) dfsStep(s *state, node *program.Node) error {
	h := &s.h
	switch node.Kind {
	case program.Read:
		return e.dfsRead(s, node)
	case program.Commit:
		h.Commit(node.Writes)
		defer h.UndoCommit()
	case program.Abort:
		h.Abort()
		defer h.UndoAbort()
	}
	if !e.checker.Allows(h, e.opts.Level) {
		e.count.blocked++
		return nil
	}
	return e.dfs(s)
}

func (e *engine) dfsRead(s *state, node *program.Node) error {
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
		if e.checker.Allows(h, e.opts.Level) {
			blocked = false
			child, err := e.prog.Child(node, e.value(h, t, node.Var))
			if err != nil {
				return err
			}
			h.Last().Node = child
			if err := e.dfs(s); err != nil {
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
func (e *engine) deviate(is bool) int {
	switch {
	case !is || !e.opts.Near:
		return 0
	case e.deviations == e.opts.Deviations:
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
