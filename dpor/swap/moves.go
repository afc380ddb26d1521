package swap

import (
	"github.com/txmc/txmc/dpor/orbit"
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// State is an ordered history, what the base level's axiom forces of the commit
// order, and whether the level asked for allows the history.
type State struct {
	H         semantics.Ordered
	Known     isolation.Known
	filter    isolation.Filter
	Skips     []int32         // of the serial engine: skip.go
	Canonical orbit.Canonical // of the serial engine
}

// Moves are the steps that lead from one ordered history to another, each with
// its inverse. The algorithms and the estimates of their size make the same moves.
type Moves struct {
	Prog  *program.Client
	Level isolation.Level // asked for
	Base  isolation.Level // that each history on the way satisfies
	// filtered: the states' filters follow the history, so that a complete one
	// is judged at once. They rest on the base CC.
	Filtered  bool
	Exclusive bool            // the level implies SI: who overwrites what it has read is the only one
	Checked   bool            // every step is judged by the level: of DFS
	free      []*State        // for reuse
	Bound     *work.NodeLimit // nil without a bound
	Symmetry  *orbit.Symmetry
	orbit.Following
	Newest bool // reads try the last writer first
}

// Initial returns the history before any session runs.
func (m *Moves) Initial() (*State, error) {
	roots := make([]*behaviour.Node, m.Prog.Sessions())
	for i := range roots {
		root, err := m.Prog.Root(i)
		if err != nil {
			return nil, err
		}
		if err := m.Symmetry.Holds(root); err != nil {
			return nil, err
		}
		roots[i] = root
	}
	s := m.fresh()
	s.H.Reset(len(roots), m.Prog.Final(), roots)
	s.Known.Reset(&s.H, m.Base)
	s.filter.Reset(m.Level)
	s.Skips = s.Skips[:0]
	s.Canonical.Reset(m.Symmetry.Group(orbit.ByDecisions))
	return s, nil
}

// FirstWriter is the writer of x that a read of the pending transaction tries first.
func (m *Moves) FirstWriter(h *semantics.Ordered, x behaviour.VarID) int {
	if m.Newest {
		return h.Writers(x).Previous(h.Len() - 1)
	}
	return h.Writers(x).Next(0)
}

// NextWriter is the writer of x that it tries after t, or -1.
func (m *Moves) NextWriter(h *semantics.Ordered, x behaviour.VarID, t int) int {
	if !m.Newest {
		return h.Writers(x).Next(t + 1)
	}
	if t == 0 {
		return -1
	}
	return h.Writers(x).Previous(t - 1)
}

// read lets the pending transaction read x from transaction t. It reports whether
// the base level allows that; undoRead takes the read back in both cases.
func (s *State) read(x behaviour.VarID, t int) (mark int, allowed bool) {
	mark = s.Known.Mark()
	s.H.Read(x, t)
	return mark, s.Known.Read(&s.H)
}

// ReadOnly is read where no swap follows.
func (s *State) ReadOnly(x behaviour.VarID, t int) (mark int, allowed bool) {
	mark = s.Known.Mark()
	s.H.ReadOnly(x, t)
	return mark, s.Known.ReadOnly(&s.H)
}

// UndoRead takes back the last read.
func (s *State) UndoRead(mark int) {
	s.Known.Undo(mark)
	s.H.UndoRead()
}

// allows reports whether the base level lets the pending transaction read x from
// transaction t.
func (s *State) allows(x behaviour.VarID, t int) bool {
	mark, allowed := s.read(x, t)
	s.UndoRead(mark)
	return allowed
}

// Answer lets the session, which has read at node from transaction t, go on with
// the value that t wrote.
func (m *Moves) Answer(s *State, node *behaviour.Node, t int) error {
	if m.Bound == nil && m.Symmetry == nil { // else somebody looks at each node
		if child := node.Known(m.value(&s.H, t, node.Var)); child != nil {
			s.H.Answer(child)
			return nil
		}
	}
	child, err := m.child(s, node, t)
	if err == nil {
		s.H.Answer(child)
	}
	return err
}

// child returns the point after node when its read is from transaction t.
func (m *Moves) child(s *State, node *behaviour.Node, t int) (*behaviour.Node, error) {
	child, err := m.Prog.Child(node, m.value(&s.H, t, node.Var))
	if m.Bound != nil && err == nil {
		err = m.Bound.Count(child)
	}
	if m.Symmetry != nil && err == nil {
		err = m.Symmetry.Holds(child)
	}
	return child, err
}

// value returns the value of x that transaction t wrote.
func (m *Moves) value(h *semantics.Ordered, t int, x behaviour.VarID) behaviour.ValueID {
	if t == 0 {
		return m.Prog.Initial(x)
	}
	v, _ := h.Txns[t].Node.Written(x)
	return v
}

// End ends the pending transaction as its session ends it.
func (m *Moves) End(s *State) { m.EndFree(s, true) }

// EndFree is end. The pending transaction is not free when each of its reads had one writer only
// that the base does not forbid. Then the level allows it: put last, it can read what was written
// last, and there is nothing else to read.
func (m *Moves) EndFree(s *State, free bool) {
	if node := s.H.Last().Node; node.Kind == behaviour.Commit {
		s.H.Commit(node.Writes)
	} else {
		s.H.Abort()
	}
	s.Known.End(&s.H)
	switch {
	case !m.Filtered:
	case free:
		s.filter.End(&s.H, &s.Known)
	default:
		s.filter.EndAllowed()
	}
}

// UndoEnd is the inverse of end.
func (m *Moves) UndoEnd(s *State) {
	if m.Filtered {
		s.filter.UndoEnd()
	}
	s.Known.UndoEnd()
	if s.H.Last().Status == semantics.Committed {
		s.H.UndoCommit()
	} else {
		s.H.UndoAbort()
	}
}

// copyPrefix returns a state of its own: the first txns transactions of s, the
// last of them pending at node, before its read number reads, unless node is nil.
func (m *Moves) copyPrefix(s *State, txns, reads int, node *behaviour.Node) *State {
	c := m.fresh()
	c.H.CopyPrefix(&s.H, txns, reads, node)
	n := c.H.Ended()
	c.Known.Continue(&c.H, &s.Known, n)
	c.Known.Replay(&c.H, n)
	if m.Filtered {
		c.filter.Copy(&s.filter, n)
	}
	c.Skips = c.Skips[:0]
	return c
}

// Keeps reports whether the level allows the ended transactions of s, which satisfy
// the base.
func (m *Moves) Keeps(s *State) bool { return !m.Filtered || s.filter.Valid() }

// fresh returns a state for use, and recycle takes one back.
func (m *Moves) fresh() *State {
	if n := len(m.free); n > 0 {
		s := m.free[n-1]
		m.free = m.free[:n-1]
		return s
	}
	return &State{}
}

// Recycle takes back a state that fresh has given.
func (m *Moves) Recycle(s *State) { m.free = append(m.free, s) }

// LosesUpdate reports whether the pending transaction, which is about to commit, loses
// an update. It does when it overwrites a variable that it has read, and another
// transaction has read the same version and overwritten it too. SI and SER forbid that;
// it is seen here before the filter has to search.
func (m *Moves) LosesUpdate(h *semantics.Ordered, node *behaviour.Node) bool {
	if !m.Exclusive || len(node.Writes) == 0 {
		return false
	}
	from, to := h.ReadsOf(h.Len() - 1)
	for _, r := range h.Reads[from:to] {
		if _, writes := node.Written(r.Var); !writes {
			continue
		}
		writers := h.Writers(r.Var)
		first := writers.Next(int(r.From) + 1) // who reads from r.From comes after it
		if first < 0 {
			continue
		}
		for k := int(h.Txns[first].First); k < from; k++ {
			u := &h.Reads[k]
			if u.From == r.From && u.Var == r.Var && writers.Has(int(u.Txn)) {
				return true
			}
		}
	}
	return false
}
