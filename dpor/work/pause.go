package work

import "sync/atomic"

// A checkpoint is taken while no worker moves. A worker pauses at its next call of
// explore: its algorithm can list there all work that it has left. A worker that
// waits for work has none left. All that was found was handed on before.

// pausing lets all workers wait.
type pausing struct {
	wanted  atomic.Bool   // a pause is wanted; it also counts in pool.alert
	waiting int           // workers that wait for the end of the pause
	Arrived chan struct{} // has an element when no worker moves
}

// Hold asks for a pause. When it has begun, pool.arrived has an element. It does
// not begin when the exploration ends first.
func (p *Pool) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted.CompareAndSwap(false, true) {
		p.alert.Add(1)
		p.arrive()
	}
}

// Release ends the pause, or withdraws the demand for one.
func (p *Pool) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted.CompareAndSwap(true, false) {
		p.alert.Add(-1)
		p.wake.Broadcast()
	}
	select {
	case <-p.Arrived:
	default:
	}
}

// arrive announces the pause if no worker moves.
func (p *Pool) arrive() {
	if p.wanted.Load() && !p.closed && p.waiting+p.idle == len(p.Workers) {
		select {
		case p.Arrived <- struct{}{}:
		default:
		}
	}
}

// pause waits until the pause is over. It is called before a call of explore.
func (w *Worker) pause() error {
	w.left, w.Again = w.Algorithm.Remaining(), Counts{Explored: 1}
	p := w.pool
	p.mu.Lock()
	p.waiting++
	p.arrive()
	for p.wanted.Load() && p.halt.Load() == nil {
		p.wake.Wait()
	}
	p.waiting--
	p.mu.Unlock()
	if p.halt.Load() != nil {
		return ErrStopped
	}
	w.left, w.Again = nil, Counts{}
	return nil
}
