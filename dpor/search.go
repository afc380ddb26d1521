package dpor

import (
	"slices"

	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// explorer is what every algorithm over histories is made of: the worker that
// counts and stops it, its moves, and where its outputs go.
type explorer struct {
	*worker
	moves
	outlet
	probe probe
}

// search is a depth-first search over histories whose work can be split. Its
// frames say, call by call, what is not done yet.
type search struct {
	explorer
	frames  []frame
	oldest  int    // frames before this one have no work left
	present *state // of the call that has begun last, when somebody may ask
}

// frame is what a call of explore has not done yet: the writers that its read has not
// tried, or the reads that its swaps have not looked at. Of a call of serial it is what
// is left when a session is skipped. As subtrees are independent, another worker may do
// it instead, from a copy of the history as it was at the call.
type frame struct {
	s           *state
	txns, reads int           // of the history at the call
	node        *program.Node // of a read; nil for swaps and for skips
	next        int           // writer to try, read to look at, or session to skip; -1 when none is left
	skips       int           // of a call of serial: where its numbers begin in s.skips
	taken       int           // of the serial engine: the decisions before the call, or with those that it has taken
}

// part is a task: a call of explore, or what a frame has left, with a state of
// its own.
type part struct {
	kind string // as in Subtree
	s    *state
	node *program.Node
	next int
}

// enter counts a call for s and does what is wanted of the worker.
func (e *search) enter(s *state) error {
	if !e.worker.enter(s.h.Len() - 1) {
		return e.prog.Err()
	}
	e.present = s
	return e.attend()
}

// output outputs the complete history of s, of the call that has begun last.
func (e *search) output(s *state) error {
	e.present = s
	return e.explorer.output(s)
}

// push notes work for later, of a read at node or, where that is nil, of another kind; it returns
// the frame's index. The frame is set in place, which is faster than to copy one.
func (e *search) push(s *state, node *program.Node, next int) int {
	i := len(e.frames)
	if i == cap(e.frames) {
		e.frames = append(e.frames, frame{})
	}
	e.frames = e.frames[:i+1]
	f := &e.frames[i]
	f.s, f.txns, f.reads, f.node, f.next = s, s.h.Len(), len(s.h.Reads), node, next
	f.skips, f.taken = len(s.skips)-s.h.Sessions(), len(s.least.taken)
	return i
}

func (e *search) pop() {
	e.frames = e.frames[:len(e.frames)-1]
	e.oldest = min(e.oldest, len(e.frames))
}

func (e *search) split() task {
	for e.oldest < len(e.frames) && e.frames[e.oldest].next < 0 {
		e.oldest++
	}
	if e.oldest == len(e.frames) {
		return nil
	}
	f := &e.frames[e.oldest]
	p := &part{kind: f.kind(), s: e.copyPrefix(f.s, f.txns, f.reads, f.node), node: f.node, next: f.next}
	if len(f.s.skips) > 0 {
		p.s.skips = append(p.s.skips, f.skipped()...)
	}
	p.s.least.continueFrom(&f.s.least, f.taken, &p.s.h)
	f.next = -1
	return p
}

func (f *frame) kind() string {
	if f.node != nil {
		return restReads
	}
	return restOther
}

// skipped returns the numbers of a call of serial.
func (f *frame) skipped() []int32 { return f.s.skips[f.skips:][:f.s.h.Sessions()] }

func (p *part) depth() int { return p.s.h.Len() - 1 }

func (p *part) describe() Subtree {
	h := &p.s.h
	sub := describe(h, h.Len(), len(h.Reads), h.Last().Status == semantics.Pending)
	sub.Kind, sub.Next, sub.Skips, sub.Taken = p.kind, p.next, p.s.skips, flat(p.s.least.taken)
	return sub
}

func (e *search) remaining() []Subtree {
	var list []Subtree
	for i := range e.frames {
		f := &e.frames[i]
		if f.next < 0 {
			continue
		}
		sub := describe(&f.s.h, f.txns, f.reads, f.node != nil)
		sub.Kind, sub.Next = f.kind(), f.next
		if len(f.s.skips) > 0 {
			sub.Skips = slices.Clone(f.skipped())
			sub.Taken = flat(f.s.least.taken[:f.taken])
		}
		list = append(list, sub)
	}
	if s := e.present; s != nil {
		call := part{kind: wholeCall, s: s}
		sub := call.describe()
		sub.Skips = nil
		if n := len(s.skips) - s.h.Sessions(); n >= 0 && len(s.skips) > 0 {
			sub.Skips = slices.Clone(s.skips[n:])
		}
		list = append(list, sub)
	}
	return list
}
