package swap

import (
	"slices"

	"github.com/txmc/txmc/dpor/work"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Explorer is what every algorithm over histories is made of: the worker that
// counts and stops it, its moves, and where its outputs go.
type Explorer struct {
	*work.Worker
	Moves
	Outlet
	Probe work.Probe
}

// Search is a depth-first search over histories whose work can be split. Its
// frames say, call by call, what is not done yet.
type Search struct {
	Explorer
	Frames  []frame
	oldest  int    // frames before this one have no work left
	present *State // of the call that has begun last, when somebody may ask
}

// frame is what a call of explore has not done yet: the writers that its read has not
// tried, or the reads that its swaps have not looked at. Of a call of serial it is what
// is left when a session is skipped. As subtrees are independent, another worker may do
// it instead, from a copy of the history as it was at the call.
type frame struct {
	S           *State
	txns, reads int             // of the history at the call
	Node        *behaviour.Node // of a read; nil for swaps and for skips
	Next        int             // writer to try, read to look at, or session to skip; -1 when none is left
	skips       int             // of a call of serial: where its numbers begin in s.skips
	Taken       int             // of the serial engine: the decisions before the call, or with those that it has taken
}

// Task is a task: a call of explore, or what a frame has left, with a state of
// its own.
type Task struct {
	Kind string // as in Subtree
	S    *State
	Node *behaviour.Node
	Next int
}

// Enter counts a call for s and does what is wanted of the worker.
func (e *Search) Enter(s *State) error {
	if !e.Worker.Enter(s.H.Len() - 1) {
		return e.Prog.Err()
	}
	e.present = s
	return e.Attend()
}

// Output outputs the complete history of s, of the call that has begun last.
func (e *Search) Output(s *State) error {
	e.present = s
	return e.Explorer.output(s)
}

// Push notes work for later, of a read at node or, where that is nil, of another kind; it returns
// the frame's index. The frame is set in place, which is faster than to copy one.
func (e *Search) Push(s *State, node *behaviour.Node, next int) int {
	i := len(e.Frames)
	if i == cap(e.Frames) {
		e.Frames = append(e.Frames, frame{})
	}
	e.Frames = e.Frames[:i+1]
	f := &e.Frames[i]
	f.S, f.txns, f.reads, f.Node, f.Next = s, s.H.Len(), len(s.H.Reads), node, next
	f.skips, f.Taken = len(s.Skips)-s.H.Sessions(), s.Canonical.Decisions()
	return i
}

// Pop ends the call of the last frame.
func (e *Search) Pop() {
	e.Frames = e.Frames[:len(e.Frames)-1]
	e.oldest = min(e.oldest, len(e.Frames))
}

// Split takes what the oldest frame has left.
func (e *Search) Split() work.Task {
	for e.oldest < len(e.Frames) && e.Frames[e.oldest].Next < 0 {
		e.oldest++
	}
	if e.oldest == len(e.Frames) {
		return nil
	}
	f := &e.Frames[e.oldest]
	p := &Task{Kind: f.kind(), S: e.copyPrefix(f.S, f.txns, f.reads, f.Node), Node: f.Node, Next: f.Next}
	if len(f.S.Skips) > 0 {
		p.S.Skips = append(p.S.Skips, f.skipped()...)
	}
	p.S.Canonical.ContinueFrom(&f.S.Canonical, f.Taken, &p.S.H)
	f.Next = -1
	return p
}

func (f *frame) kind() string {
	if f.Node != nil {
		return work.RestReads
	}
	return work.RestOther
}

// skipped returns the numbers of a call of serial.
func (f *frame) skipped() []int32 { return f.S.Skips[f.skips:][:f.S.H.Sessions()] }

// Depth is the number of transactions before the task.
func (p *Task) Depth() int { return p.S.H.Len() - 1 }

// Describe makes data of the task.
func (p *Task) Describe() work.Subtree {
	h := &p.S.H
	sub := describe(h, h.Len(), len(h.Reads), h.Last().Status == semantics.Pending)
	sub.Kind, sub.Next, sub.Skips, sub.Taken = p.Kind, p.Next, p.S.Skips, p.S.Canonical.Numbers(p.S.Canonical.Decisions())
	return sub
}

// Remaining describes what is left, of a worker at rest.
func (e *Search) Remaining() []work.Subtree {
	var list []work.Subtree
	for i := range e.Frames {
		f := &e.Frames[i]
		if f.Next < 0 {
			continue
		}
		sub := describe(&f.S.H, f.txns, f.reads, f.Node != nil)
		sub.Kind, sub.Next = f.kind(), f.Next
		if len(f.S.Skips) > 0 {
			sub.Skips = slices.Clone(f.skipped())
			sub.Taken = f.S.Canonical.Numbers(f.Taken)
		}
		list = append(list, sub)
	}
	if s := e.present; s != nil {
		call := Task{Kind: work.WholeCall, S: s}
		sub := call.Describe()
		sub.Skips = nil
		if n := len(s.Skips) - s.H.Sessions(); n >= 0 && len(s.Skips) > 0 {
			sub.Skips = slices.Clone(s.Skips[n:])
		}
		list = append(list, sub)
	}
	return list
}

// describe makes data of the first txns transactions and the first reads reads of
// h, the last transaction pending at node unless that is nil.
func describe(h *semantics.Ordered, txns, reads int, open bool) work.Subtree {
	s := work.Subtree{Open: open}
	for t := 1; t < txns; t++ {
		from, to := h.ReadsOf(t)
		row := make([]int, 1, 1+to-from)
		row[0] = int(h.Txns[t].Session)
		for _, r := range h.Reads[from:min(to, max(reads, from))] {
			row = append(row, int(r.From))
		}
		s.Txns = append(s.Txns, row)
	}
	return s
}
