package work

import (
	"sync"
	"sync/atomic"
)

// Pool is the workers of an exploration. Workers without work get it from those that have
// some. A worker that has run out of work says so, and the others look at every call of
// explore. The first worker to see it gives away the oldest work that it has: this is likely
// to be the largest.
type Pool struct {
	Workers []*Worker
	alert   atomic.Int32 // more than 0: work or a pause is wanted, or the exploration is halted
	halt    atomic.Pointer[Reason]

	mu     sync.Mutex
	wake   *sync.Cond
	idle   int // workers that wait for work
	tasks  []Task
	closed bool
	pausing
}

// Limits are what ends the work of each worker early.
type Limits struct {
	Calls       int64 // of each worker; 0: no limit
	Reason      Reason
	ShareAtOnce bool // the first worker gives work away from its first call on
	Resumable   bool // what is left when it stops is wanted
}

// NewPool makes workers that have done nothing.
func NewPool(workers int, l Limits) *Pool {
	p := &Pool{pausing: pausing{Arrived: make(chan struct{}, 1)}}
	p.wake = sync.NewCond(&p.mu)
	for i := range workers {
		w := &Worker{pool: p, most: l.Calls, mostIs: l.Reason, resumable: l.Resumable}
		if i == 0 && !l.ShareAtOnce {
			w.Alone = AloneFor
		}
		p.Workers = append(p.Workers, w)
	}
	return p
}

// Stop ends the exploration; the first reason counts.
func (p *Pool) Stop(r Reason) {
	if p.halt.CompareAndSwap(nil, &r) {
		p.alert.Add(1)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.wake.Broadcast()
}

// Halted reports whether the exploration was stopped.
func (p *Pool) Halted() bool { return p.halt.Load() != nil }

// await returns a task, waiting for one if need be, or nil when the exploration
// is over: when all workers wait, or it was stopped.
func (p *Pool) await() Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	if (len(p.tasks) == 0 || p.wanted.Load()) && !p.closed {
		p.idle++
		p.alert.Add(1)
		p.arrive()
		for (len(p.tasks) == 0 || p.wanted.Load()) && !p.closed {
			if len(p.tasks) == 0 && p.idle == len(p.Workers) {
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
func (p *Pool) wants() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.idle > len(p.tasks) && !p.closed
}

func (p *Pool) put(t Task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks = append(p.tasks, t)
	p.wake.Signal()
}

// Reopen lets the workers begin anew, unless the exploration was stopped.
func (p *Pool) Reopen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = p.halt.Load() != nil
}

// Reason is why the exploration was stopped; "" when it was not.
func (p *Pool) Reason() Reason {
	if r := p.halt.Load(); r != nil {
		return *r
	}
	return ""
}

// Add adds what another process has left.
func (p *Pool) Add(list []Subtree) {
	for i := range list {
		p.tasks = append(p.tasks, &list[i])
	}
}

// Clear takes away the tasks that nobody has begun.
func (p *Pool) Clear() { p.tasks = nil }

// Resume lets the first worker go on from counts.
func (p *Pool) Resume(t Totals) {
	w := p.Workers[0]
	w.Count = t
	w.publish(0)
}

// Rest is what the workers have counted and what they have left, all being at rest.
func (p *Pool) Rest() (sum Totals, list []Subtree) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.Workers {
		sum.Add(w.Count.Counts)
		sum.subtract(w.Again)
		sum.Permuted += w.Count.Permuted
		sum.PermutedViolations += w.Count.PermutedViolations
	}
	for _, t := range p.tasks {
		list = append(list, t.Describe())
	}
	// Those of the first worker come last and are the next: with one worker the
	// order in which histories are found stays the same.
	for i := len(p.Workers) - 1; i >= 0; i-- {
		list = append(list, p.Workers[i].left...)
	}
	return sum, list
}

// Published is what the workers have counted, and the greatest depth of one; it may be called
// while they run.
func (p *Pool) Published() (sum Totals, depth int) {
	for _, w := range p.Workers {
		n := &w.published
		sum.Add(Counts{n[0].Load(), n[1].Load(), n[2].Load(), n[3].Load(), n[4].Load()})
		sum.Permuted += n[6].Load()
		sum.PermutedViolations += n[7].Load()
		depth = max(depth, int(n[5].Load()))
	}
	return sum, depth
}
