package dpor

import (
	"sync"
	"sync/atomic"

	"github.com/txmc/txmc/program"
)

// frame is what a call of explore has not done yet: the writers that its read
// has not tried, or the reads that its swaps have not looked at; of a call of
// serial, what is left when a session is skipped. As subtrees are independent,
// another worker may do it instead, from a copy of the history as it was at the
// call.
type frame struct {
	s           *state
	txns, reads int           // of the history at the call
	node        *program.Node // of a read; nil for swaps and for skips
	next        int           // writer to try, read to look at, or session to skip; -1 when none is left
	skips       int           // of a call of serial: where its numbers begin in s.skips
}

// task is a frame given away, with a history of its own.
type task struct {
	s      *state
	node   *program.Node
	next   int
	stored *Subtree // what it is made of when a worker takes it, instead of all else
}

// share lets workers without work take it from those that have some. A worker
// that has run out says so; the others look at every call of explore, and the
// first to see it gives away the oldest frame it has, which is likely to be the
// largest.
type share struct {
	workers int
	alert   atomic.Int32 // work wanted, or the exploration halted
	halt    atomic.Pointer[Reason]

	mu     sync.Mutex
	wake   *sync.Cond
	idle   int // workers that wait
	tasks  []*task
	closed bool
	pausing
}

func newShare(workers int) *share {
	p := &share{workers: workers, pausing: pausing{arrived: make(chan struct{}, 1)}}
	p.wake = sync.NewCond(&p.mu)
	return p
}

// stop ends the exploration; the first reason counts.
func (p *share) stop(r Reason) {
	if p.halt.CompareAndSwap(nil, &r) {
		p.alert.Add(1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.wake.Broadcast()
}

// take returns a task, waiting for one if need be, or nil when the exploration
// is over: when all workers wait, or it was stopped.
func (p *share) take() *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	if (len(p.tasks) == 0 || p.wanted.Load()) && !p.closed {
		p.idle++
		p.alert.Add(1)
		p.arrive()
		for (len(p.tasks) == 0 || p.wanted.Load()) && !p.closed {
			if len(p.tasks) == 0 && p.idle == p.workers {
				p.closed = true
				p.wake.Broadcast()
				break
			}
			p.wake.Wait()
		}
		p.idle--
		p.alert.Add(-1)
	}
	if p.closed {
		return nil
	}
	t := p.tasks[len(p.tasks)-1]
	p.tasks = p.tasks[:len(p.tasks)-1]
	return t
}

// wants reports whether there are more waiting workers than tasks.
func (p *share) wants() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle > len(p.tasks) && !p.closed
}

func (p *share) put(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, t)
	p.wake.Signal()
}

// giveAway hands the oldest frame with work left to the workers that wait.
func (e *engine) giveAway() {
	for e.share.wants() {
		for e.oldest < len(e.frames) && e.frames[e.oldest].next < 0 {
			e.oldest++
		}
		if e.oldest == len(e.frames) {
			return
		}
		f := &e.frames[e.oldest]
		t := &task{s: &state{}, node: f.node, next: f.next}
		t.s.h.CopyPrefix(&f.s.h, f.txns, f.reads, f.node)
		t.s.known.Reset(&t.s.h, e.base)
		t.s.known.Replay(&t.s.h, 1)
		if e.filtered {
			t.s.filter.Copy(&f.s.filter, t.s.h.Ended())
		}
		if e.serially {
			t.s.skips = append(t.s.skips, f.s.skips[f.skips:][:f.s.h.Sessions()]...)
		}
		f.next = -1
		e.share.put(t)
	}
}

// push notes work for later; it returns the frame's index.
func (e *engine) push(f frame) int {
	e.frames = append(e.frames, f)
	return len(e.frames) - 1
}

func (e *engine) pop() {
	e.frames = e.frames[:len(e.frames)-1]
	e.oldest = min(e.oldest, len(e.frames))
}

// do does a task.
func (e *engine) do(t *task) error {
	if t.stored != nil {
		return e.doStored(t.stored)
	}
	f := frame{s: t.s, txns: t.s.h.Len(), reads: len(t.s.h.Reads), node: t.node, next: t.next}
	i := e.push(f)
	defer e.pop()
	var err error
	switch {
	case e.serially && t.node == nil:
		t.s.skip(t.next)
		err = e.decide(i, true)
	case e.serially:
		_, err = e.walkWriters(i)
	case t.node == nil:
		err = e.exploreSwaps(i)
	default:
		_, err = e.tryWriters(i)
	}
	return err
}

// reopen lets the workers begin anew, unless the exploration was stopped.
func (p *share) reopen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = p.halt.Load() != nil
}
