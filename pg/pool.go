package pg

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/txmc/txmc/pg/engine"
)

// MaxInstances is how many instances the backends of an image share. There are more when
// more than that are not idle. An instance takes about 10 MB.
const MaxInstances = 32

// pool are the instances of an image: those that backends have, and those that are free.
type pool struct {
	most int

	mu    sync.Mutex
	clock int64
	used  map[*Backend]int64 // when each that has an instance was last used
	free  []*engine.Instance
}

// touch notes that a backend uses its instance.
func (p *pool) touch(b *Backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	p.used[b] = p.clock
}

// acquire finds an instance: a free one, a new one, or that of the backend that has been
// idle for longest. It is as the snapshot is.
func (p *pool) acquire(b *Backend, make func() (*engine.Instance, error), s *engine.Snapshot) (*engine.Instance, error) {
	x, err := p.find(b)
	switch {
	case err == nil && x == nil:
		x, err = make()
	case err == nil:
		err = x.Reset(s)
	}
	if err != nil {
		p.mu.Lock()
		delete(p.used, b)
		p.mu.Unlock()
		if x != nil {
			err = errors.Join(err, x.Close())
		}
		return nil, err
	}
	return x, nil
}

// find returns an instance that can be had; nil when a new one has to be made.
func (p *pool) find(b *Backend) (*engine.Instance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	p.used[b] = p.clock
	if n := len(p.free); n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		return x, nil
	}
	if len(p.used) <= p.most {
		return nil, nil
	}
	others := slices.SortedFunc(maps.Keys(p.used), func(a, b *Backend) int { return cmp.Compare(p.used[a], p.used[b]) })
	for _, other := range others {
		if other == b {
			continue
		}
		if x := other.give(); x != nil {
			delete(p.used, other)
			return x, nil
		}
	}
	return nil, nil
}

// leave notes that a backend has no instance any more.
func (p *pool) leave(b *Backend) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.used, b)
}

// drop closes the free instances, and notes that a backend has none.
func (p *pool) drop(b *Backend) error {
	p.leave(b)
	return p.close()
}

// release takes an instance back. Few are kept.
func (p *pool) release(b *Backend, x *engine.Instance, s *engine.Snapshot) error {
	const few = 2
	p.mu.Lock()
	delete(p.used, b)
	keep := len(p.free) < few
	p.mu.Unlock()
	if !keep {
		return x.Close()
	}
	x.Hook(nil)
	if err := x.Reset(s); err != nil {
		return errors.Join(err, x.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, x)
	return nil
}

// close closes the instances that no backend has.
func (p *pool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, x := range p.free {
		err = errors.Join(err, x.Close())
	}
	p.free = nil
	return err
}
