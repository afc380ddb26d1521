package swap

import (
	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// DFS is the paper's baseline DFS(I) (PLDI 2023, section 7): no partial order
// reduction, all interleavings of whole transactions, every read from every
// committed writer that keeps the level asked for. It reaches a history once for
// each order of its transactions. One worker does it all: its work is not shared and
// not estimated. What is left of it can be resumed, but where it is bounded (near).
type DFS struct {
	Search
	near
}

// near bounds how far a history is from a serial run: see Options.Near.
type near struct {
	bounded    bool
	most       int // deviations
	deviations int // of the present history
}

// NewDFS is DFS(I). Where it is bounded, it keeps to histories of at most so many deviations.
func NewDFS(e Explorer, bounded bool, most int) *DFS {
	return &DFS{Search{Explorer: e}, near{bounded: bounded, most: most}}
}

// All is the exploration of all histories.
func (e *DFS) All() (work.Task, error) {
	s, err := e.Initial()
	return &Task{Kind: work.WholeCall, S: s}, err
}

// Do explores what a task stands for.
func (e *DFS) Do(t work.Task) error {
	p := t.(*Task)
	switch p.Kind {
	case work.RestReads:
		return e.readFrom(p.S, p.Node, p.Next, false)
	case work.RestOther:
		return e.begin(p.S, p.Next)
	}
	return e.explore(p.S)
}

// Split gives nothing away: one worker does it all.
func (e *DFS) Split() work.Task { return nil }

// Restore follows the history of a subtree.
func (e *DFS) Restore(sub *work.Subtree) (work.Task, error) {
	p, err := e.RestorePart(sub)
	if err == nil && (len(sub.Skips) > 0 || sub.Kind == work.RestOther && sub.Next >= p.S.H.Sessions()) {
		err = work.MisfitRest(sub)
	}
	return p, err
}

// Tree is nil: the size is not estimated.
func (e *DFS) Tree() work.Tree { return nil }

// explore extends the history by its next event in every way, beginning any
// session's transaction when none is pending.
func (e *DFS) explore(s *State) error {
	if err := e.Enter(s); err != nil {
		return err
	}
	h := &s.H
	if node := h.Last().Node; node != nil && h.Len() > h.Ended() {
		return e.step(s, node)
	}
	first := upNext(h, 0)
	if first < 0 {
		return e.Output(s)
	}
	return e.begin(s, first)
}

// begin begins a transaction of that session, and of each one after it.
func (e *DFS) begin(s *State, session int) error {
	h := &s.H
	f := e.Push(s, nil, 0)
	defer e.Pop()
	for i := session; i >= 0; i = e.Frames[f].Next {
		e.Frames[f].Next = upNext(h, i+1)
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
		if h.Node(i).Kind != behaviour.End && (i != h.Final() || othersEnded(h)) {
			return i
		}
	}
	return -1
}

// othersEnded reports whether all sessions but the final one have ended.
func othersEnded(h *semantics.Ordered) bool {
	for i := range h.Sessions() {
		if i != h.Final() && h.Node(i).Kind != behaviour.End {
			return false
		}
	}
	return true
}

// step takes the pending transaction's next step in every way.
func (e *DFS) step(s *State, node *behaviour.Node) error {
	h := &s.H
	switch node.Kind {
	case behaviour.Read:
		return e.read(s, node)
	case behaviour.Commit:
		h.Commit(node.Writes)
		defer h.UndoCommit()
	case behaviour.Abort:
		h.Abort()
		defer h.UndoAbort()
	}
	if !e.checker.Allows(h, e.Level) {
		e.Count.Blocked++
		return nil
	}
	return e.explore(s)
}

// read lets the pending transaction read from every writer that keeps the level.
func (e *DFS) read(s *State, node *behaviour.Node) error {
	return e.readFrom(s, node, s.H.Writers(node.Var).Next(0), true)
}

// readFrom does so from writer t on; blocked says that none before t was allowed.
func (e *DFS) readFrom(s *State, node *behaviour.Node, t int, blocked bool) error {
	h := &s.H
	f := e.Push(s, node, 0)
	defer e.Pop()
	last := lastWriter(h, node.Var)
	for ; t >= 0; t = e.Frames[f].Next {
		e.Frames[f].Next = h.Writers(node.Var).Next(t + 1)
		leave := e.deviate(t != last)
		if leave < 0 {
			blocked = false
			continue
		}
		h.Read(node.Var, t)
		if e.checker.Allows(h, e.Level) {
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
		e.Count.Blocked++
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
	return last >= 0 && last != i && h.Node(last).Kind != behaviour.End
}

// lastWriter returns the transaction that has written x last.
func lastWriter(h *semantics.Ordered, x behaviour.VarID) int {
	last := 0
	for t := h.Writers(x).Next(0); t >= 0; t = h.Writers(x).Next(t + 1) {
		last = t
	}
	return last
}
