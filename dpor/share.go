package dpor

import (
	"sync"
	"sync/atomic"
)

// share lets workers without work get it from those that have some. A worker that has
// run out of work says so, and the others look at every call of explore. The first
// worker to see it gives away the oldest work that it has: this is likely to be the
// largest.
type share struct {
	workers int
	alert   atomic.Int32 // more than 0: work or a pause is wanted, or the exploration is halted
	halt    atomic.Pointer[Reason]

	mu     sync.Mutex
	wake   *sync.Cond
	idle   int // workers that wait for work
	tasks  []task
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

// halted reports whether the exploration was stopped.
func (p *share) halted() bool { return p.halt.Load() != nil }

// await returns a task, waiting for one if need be, or nil when the exploration
// is over: when all workers wait, or it was stopped.
func (p *share) await() task {
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

func (p *share) put(t task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, t)
	p.wake.Signal()
}

// reopen lets the workers begin anew, unless the exploration was stopped.
func (p *share) reopen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = p.halt.Load() != nil
}
