package dpor

import "github.com/txmc/txmc/program"

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
		h.Begin(i)
		if err := e.dfsStep(s, h.Last().Node); err != nil {
			return err
		}
		h.UndoBegin()
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
	for t := h.Writers(node.Var).Next(0); t >= 0; t = h.Writers(node.Var).Next(t + 1) {
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
	}
	if blocked {
		e.count.blocked++
	}
	return nil
}
