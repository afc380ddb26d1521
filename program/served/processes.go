package served

import "sync"

// Process is what serves a connection, as a process or a thread of a database server does.
type Process interface {
	// Vacant reports whether it has no connection.
	Vacant() bool
}

// Processes are those of one run of a session. Each connection has one of its own. When the
// connection has ended, the next one gets the process. Alone, one process has all connections.
type Processes[P Process] struct {
	Begin func(number int) P // makes one; they are numbered from 0
	Alone bool

	mu   sync.Mutex
	list []P
}

// Get is the process of the next connection.
func (p *Processes[P]) Get() P {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.list {
		if p.Alone || one.Vacant() {
			return one
		}
	}
	one := p.Begin(len(p.list))
	p.list = append(p.list, one)
	return one
}

// All are the processes that there are now.
func (p *Processes[P]) All() []P {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list[:len(p.list):len(p.list)]
}
