package pg

import (
	"errors"
	"sync"
	"time"
)

// gate lets the backend alone that changes the schema. Others are busy while they answer, and
// while a transaction is open.
type gate struct {
	mu      sync.Mutex
	busy    map[*Backend]bool
	owner   *Backend
	wants   *Backend      // waits until the others are not busy
	changed chan struct{} // closed when it changes
}

// How long a change of the schema waits for transactions that are open, and others for it. A
// server waits without end, for locks that fewer statements need.
const (
	gatePatience  = 2 * time.Second
	ownerPatience = 20 * time.Second
)

var (
	errOthersOpen  = errors.New("transactions are open on other connections: here the schema is changed when there are none")
	errSchemaOwned = errors.New("a transaction is open on another connection that has changed the schema: here others wait for its end")
)

// enter begins the answer to a message.
func (g *gate) enter(b *Backend) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !b.helps && !g.await(ownerPatience, func() bool { return g.owner == nil || g.owner == b }) {
		return errSchemaOwned
	}
	if g.busy == nil {
		g.busy = map[*Backend]bool{}
	}
	g.busy[b] = true
	return nil
}

// exit says that no message is answered, and no transaction is open.
func (g *gate) exit(b *Backend) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.busy, b)
	g.say()
}

// own lets a busy backend alone.
func (g *gate) own(b *Backend) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.wants != nil {
		return errOthersOpen // each would wait for the other
	}
	g.wants = b
	defer func() { g.wants = nil }()
	if !g.await(gatePatience, func() bool { return g.owner == nil && len(g.busy) == 1 }) {
		return errOthersOpen
	}
	g.owner = b
	return nil
}

// disown lets the others in.
func (g *gate) disown(b *Backend) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.owner == b {
		g.owner = nil
		g.say()
	}
}

// say wakes those that wait. The gate is locked.
func (g *gate) say() {
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// await waits until is, which it reports. The gate is locked.
func (g *gate) await(patience time.Duration, is func() bool) bool {
	for late := time.After(patience); !is(); {
		if g.changed == nil {
			g.changed = make(chan struct{})
		}
		changed := g.changed
		g.mu.Unlock()
		over := false
		select {
		case <-changed:
		case <-late:
			over = true
		}
		g.mu.Lock()
		if over {
			return is()
		}
	}
	return true
}
