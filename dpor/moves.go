package dpor

import (
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// state is an ordered history, what the base level's axiom forces of the commit
// order, and whether the level asked for allows the history.
type state struct {
	h      semantics.Ordered
	known  isolation.Known
	filter isolation.Filter
	skips  []int32 // of the serial engine: skip.go
	least  least   // of the serial engine
}

// moves are the steps that lead from one ordered history to another, each with
// its inverse. The algorithms and the estimates of their size make the same moves.
type moves struct {
	prog  *program.Client
	level isolation.Level // asked for
	base  isolation.Level // that each history on the way satisfies
	// filtered: the states' filters follow the history, so that a complete one
	// is judged at once. They rest on the base CC.
	filtered  bool
	exclusive bool     // the level implies SI: who overwrites what it has read is the only one
	checked   bool     // every step is judged by the level: of DFS
	free      []*state // for reuse
	reach     *reach   // nil without a bound
	symmetry  *symmetry
	following
	newest bool // reads try the last writer first
}

// initial returns the history before any session runs.
func (m *moves) initial() (*state, error) {
	roots := make([]*program.Node, m.prog.Sessions())
	for i := range roots {
		root, err := m.prog.Root(i)
		if err != nil {
			return nil, err
		}
		if err := m.symmetry.holds(root); err != nil {
			return nil, err
		}
		roots[i] = root
	}
	s := m.fresh()
	s.h.Reset(len(roots), m.prog.Final(), roots)
	s.known.Reset(&s.h, m.base)
	s.filter.Reset(m.level)
	s.skips = s.skips[:0]
	s.least.reset(m.symmetry.permutations(Serial))
	return s, nil
}

// firstWriter is the writer of x that a read of the pending transaction tries first.
func (m *moves) firstWriter(h *semantics.Ordered, x program.VarID) int {
	if m.newest {
		return h.Writers(x).Previous(h.Len() - 1)
	}
	return h.Writers(x).Next(0)
}

// nextWriter is the writer of x that it tries after t, or -1.
func (m *moves) nextWriter(h *semantics.Ordered, x program.VarID, t int) int {
	if !m.newest {
		return h.Writers(x).Next(t + 1)
	}
	if t == 0 {
		return -1
	}
	return h.Writers(x).Previous(t - 1)
}

// read lets the pending transaction read x from transaction t. It reports whether
// the base level allows that; undoRead takes the read back in both cases.
func (s *state) read(x program.VarID, t int) (mark int, allowed bool) {
	mark = s.known.Mark()
	s.h.Read(x, t)
	return mark, s.known.Read(&s.h)
}

// readOnly is read where no swap follows.
func (s *state) readOnly(x program.VarID, t int) (mark int, allowed bool) {
	mark = s.known.Mark()
	s.h.ReadOnly(x, t)
	return mark, s.known.ReadOnly(&s.h)
}

func (s *state) undoRead(mark int) {
	s.known.Undo(mark)
	s.h.UndoRead()
}

// allows reports whether the base level lets the pending transaction read x from
// transaction t.
func (s *state) allows(x program.VarID, t int) bool {
	mark, allowed := s.read(x, t)
	s.undoRead(mark)
	return allowed
}

// answer lets the session, which has read at node from transaction t, go on with
// the value that t wrote.
func (m *moves) answer(s *state, node *program.Node, t int) error {
	if m.reach == nil && m.symmetry == nil { // else somebody looks at each node
		if child := node.Known(m.value(&s.h, t, node.Var)); child != nil {
			s.h.Answer(child)
			return nil
		}
	}
	child, err := m.child(s, node, t)
	if err == nil {
		s.h.Answer(child)
	}
	return err
}

// child returns the point after node when its read is from transaction t.
func (m *moves) child(s *state, node *program.Node, t int) (*program.Node, error) {
	child, err := m.prog.Child(node, m.value(&s.h, t, node.Var))
	if m.reach != nil && err == nil {
		err = m.reach.visit(child)
	}
	if m.symmetry != nil && err == nil {
		err = m.symmetry.holds(child)
	}
	return child, err
}

// value returns the value of x that transaction t wrote.
func (m *moves) value(h *semantics.Ordered, t int, x program.VarID) program.ValueID {
	if t == 0 {
		return m.prog.Initial(x)
	}
	v, _ := h.Txns[t].Node.Written(x)
	return v
}

// end ends the pending transaction as its session ends it.
func (m *moves) end(s *state) { m.endFree(s, true) }

// endFree is end. The pending transaction is not free when each of its reads had one writer only
// that the base does not forbid. Then the level allows it: put last, it can read what was written
// last, and there is nothing else to read.
func (m *moves) endFree(s *state, free bool) {
	if node := s.h.Last().Node; node.Kind == program.Commit {
		s.h.Commit(node.Writes)
	} else {
		s.h.Abort()
	}
	s.known.End(&s.h)
	switch {
	case !m.filtered:
	case free:
		s.filter.End(&s.h, &s.known)
	default:
		s.filter.EndAllowed()
	}
}

// undoEnd is the inverse of end.
func (m *moves) undoEnd(s *state) {
	if m.filtered {
		s.filter.UndoEnd()
	}
	s.known.UndoEnd()
	if s.h.Last().Status == semantics.Committed {
		s.h.UndoCommit()
	} else {
		s.h.UndoAbort()
	}
}

// copyPrefix returns a state of its own: the first txns transactions of s, the
// last of them pending at node, before its read number reads, unless node is nil.
func (m *moves) copyPrefix(s *state, txns, reads int, node *program.Node) *state {
	c := m.fresh()
	c.h.CopyPrefix(&s.h, txns, reads, node)
	n := c.h.Ended()
	c.known.Continue(&c.h, &s.known, n)
	c.known.Replay(&c.h, n)
	if m.filtered {
		c.filter.Copy(&s.filter, n)
	}
	c.skips = c.skips[:0]
	return c
}

// keeps reports whether the level allows the ended transactions of s, which satisfy
// the base.
func (m *moves) keeps(s *state) bool { return !m.filtered || s.filter.Valid() }

// fresh returns a state for use, and recycle takes one back.
func (m *moves) fresh() *state {
	if n := len(m.free); n > 0 {
		s := m.free[n-1]
		m.free = m.free[:n-1]
		return s
	}
	return &state{}
}

func (m *moves) recycle(s *state) { m.free = append(m.free, s) }
