package dpor

import "sync/atomic"

// A checkpoint is taken while no worker moves. A worker pauses at its next call of
// explore: its algorithm can list there all work that it has left. A worker that
// waits for work has none left. All that was found was handed on before.

// pausing lets all workers wait.
type pausing struct {
	wanted  atomic.Bool   // a pause is wanted; it also counts in share.alert
	waiting int           // workers that wait for the end of the pause
	arrived chan struct{} // has an element when no worker moves
}

// hold asks for a pause. When it has begun, share.arrived has an element. It does
// not begin when the exploration ends first.
func (p *share) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted.CompareAndSwap(false, true) {
		p.alert.Add(1)
		p.arrive()
	}
}

// release ends the pause, or withdraws the demand for one.
func (p *share) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted.CompareAndSwap(true, false) {
		p.alert.Add(-1)
		p.wake.Broadcast()
	}
	select {
	case <-p.arrived:
	default:
	}
}

// arrive announces the pause if no worker moves.
func (p *share) arrive() {
	if p.wanted.Load() && !p.closed && p.waiting+p.idle == p.workers {
		select {
		case p.arrived <- struct{}{}:
		default:
		}
	}
}

// pause waits until the pause is over. It is called before a call of explore.
func (w *worker) pause() error {
	w.left, w.again = w.algorithm.remaining(), counts{explored: 1}
	p := w.share
	p.mu.Lock()
	p.waiting++
	p.arrive()
	for p.wanted.Load() && p.halt.Load() == nil {
		p.wake.Wait()
	}
	p.waiting--
	p.mu.Unlock()
	if p.halt.Load() != nil {
		return errStopped
	}
	w.left, w.again = nil, counts{}
	return nil
}
