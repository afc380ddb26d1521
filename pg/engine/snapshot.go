// Snapshots of instances, going back to them, and instances in stock.

package engine

import (
	"errors"
	"sync"

	"github.com/txmc/txmc/pg/engine/emscripten"
	"github.com/txmc/txmc/pg/engine/vfs"
)

// Snapshot is the state of an idle instance: memory, files, clock. Instances go back to it
// and others start from it; all of them behave the same from there.
type Snapshot struct {
	engine *Engine
	state  *emscripten.Snapshot
	clock  Clock
	copies bool
	cat    catalog
}

// Bytes is the memory that the snapshot takes.
func (s *Snapshot) Bytes() int64 { return s.state.Bytes() }

// Close frees the snapshot. Instances that were started from it or went back to it must have been closed.
func (s *Snapshot) Close() error { return s.state.Close() }

// ErrBusy says that a statement waits for more messages.
var ErrBusy = errors.New("a statement of the instance has not ended")

// Snapshot keeps the instance's state. The instance goes on as if it had been Reset to it.
func (x *Instance) Snapshot() (*Snapshot, error) {
	switch {
	case x.broken != nil:
		return nil, x.broken
	case x.Hungry() || x.depth > 0:
		return nil, ErrBusy
	}
	state, err := x.proc.Snapshot()
	if err != nil {
		return nil, err
	}
	s := &Snapshot{engine: x.engine, state: state, clock: *x.clock, copies: x.copies, cat: x.cat.clone()}
	x.restored(s)
	return s, nil
}

// Reset goes back to a snapshot that the instance took or was started from. It abandons a
// statement that waits for more messages, and makes a crashed instance whole. Randomness begins at seed 0.
func (x *Instance) Reset(s *Snapshot) error {
	x.abandon()
	if x.depth > 0 {
		return ErrBusy
	}
	if err := x.proc.Restore(s.state); err != nil {
		return err
	}
	x.canceller.forgive()
	x.restored(s)
	return nil
}

func (x *Instance) restored(s *Snapshot) {
	x.broken, x.result = nil, nil
	x.in, x.injecting, x.snapshots, x.kept, x.referential = nil, 0, 0, 0, 0
	x.fresh, x.redefined = fresh{}, false
	clear(x.locked)
	clear(x.executions)
	x.out.Reset()
	x.log.Reset()
	*x.clock, x.copies = s.clock, s.copies
	x.cat = s.cat.clone()
	x.Seed(0)
}

// InstanceFrom starts an instance in the state of a snapshot.
func (e *Engine) InstanceFrom(s *Snapshot) (*Instance, error) {
	x := e.newInstance()
	p, err := e.prog.StartFrom(s.state, x.config(vfs.New(e.files)))
	if err != nil {
		return nil, err
	}
	x.proc = p
	x.restored(s)
	return x, nil
}

// Instance starts a server as it is after its start. The first one boots; the others begin with its state.
func (e *Engine) Instance() (*Instance, error) {
	e.booting.Lock()
	defer e.booting.Unlock()
	if e.booted == nil {
		x, err := e.bootInstance()
		if err != nil {
			return nil, err
		}
		if e.booted, err = x.Snapshot(); err != nil {
			return nil, errors.Join(err, x.Close())
		}
		return x, nil
	}
	return e.InstanceFrom(e.booted)
}

// Pool keeps instances of one snapshot in stock. It is safe for use by several goroutines.
type Pool struct {
	snapshot *Snapshot
	mu       sync.Mutex
	free     []*Instance
}

// NewPool is an empty pool of instances of a snapshot.
func NewPool(s *Snapshot) *Pool { return &Pool{snapshot: s} }

// Get gives an instance in the snapshot's state.
func (p *Pool) Get() (*Instance, error) {
	p.mu.Lock()
	n := len(p.free)
	if n == 0 {
		p.mu.Unlock()
		return p.snapshot.engine.InstanceFrom(p.snapshot)
	}
	x := p.free[n-1]
	p.free = p.free[:n-1]
	p.mu.Unlock()
	return x, nil
}

// Put takes an instance of Get back and resets it. One that cannot be reset is closed.
func (p *Pool) Put(x *Instance) error {
	x.Hook(nil)
	if err := x.Reset(p.snapshot); err != nil {
		return errors.Join(err, x.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, x)
	return nil
}

// Close closes the instances in stock.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, x := range p.free {
		err = errors.Join(err, x.Close())
	}
	p.free = nil
	return err
}
