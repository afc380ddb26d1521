package mock

import (
	"sync"

	"github.com/txmc/txmc/pg/engine"
)

// sequences are the numbers that the backends take.
type sequences struct {
	mu    sync.Mutex
	taken map[uint32]int
}

// next takes a number.
func (s *sequences) next(sequence uint32) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken = map[uint32]int{}
	}
	n := s.taken[sequence]
	s.taken[sequence]++
	return n
}

// renew begins anew: the sequences are where they are.
func (s *sequences) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = nil
}

// unlocked is pg.Others without locks.
type unlocked struct{ server *Server }

// Next takes the next number of a sequence.
func (u unlocked) Next(sequence uint32) int { return u.server.sequences.next(sequence) }

// Advise has every lock.
func (u unlocked) Advise(engine.Advisory) bool { return true }

// advisories are the advisory locks, of all connections.
type advisories struct {
	mu      sync.Mutex
	changed *sync.Cond
	held    map[string]*advisory
}

// advisory is a lock that is held.
type advisory struct {
	shared  bool
	holders map[*connection]int
}

func newAdvisories() *advisories {
	a := &advisories{held: map[string]*advisory{}}
	a.changed = sync.NewCond(&a.mu)
	return a
}

// advise locks or unlocks for a connection, and reports whether it could. Locks that
// end with the transaction are given up by ended.
func (a *advisories) advise(c *connection, q engine.Advisory) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if q.Release {
		return a.release(c, q)
	}
	for !a.free(c, q) {
		if q.Try || c.gone() {
			return false
		}
		a.changed.Wait()
	}
	l := a.held[q.Key]
	if l == nil {
		l = &advisory{shared: q.Shared, holders: map[*connection]int{}}
		a.held[q.Key] = l
	}
	l.shared = l.shared && q.Shared
	l.holders[c]++
	if q.Transaction {
		c.advisories = append(c.advisories, q.Key)
	}
	return true
}

// free reports whether nobody else's lock excludes it.
func (a *advisories) free(c *connection, q engine.Advisory) bool {
	l := a.held[q.Key]
	return l == nil || l.shared && q.Shared || len(l.holders) == 1 && l.holders[c] > 0
}

func (a *advisories) release(c *connection, q engine.Advisory) bool {
	if q.All {
		for key := range a.held {
			a.drop(c, key, true)
		}
		return true
	}
	return a.drop(c, q.Key, false)
}

// drop gives up a lock, once or wholly.
func (a *advisories) drop(c *connection, key string, wholly bool) bool {
	l := a.held[key]
	if l == nil || l.holders[c] == 0 {
		return false
	}
	if l.holders[c]--; wholly || l.holders[c] == 0 {
		delete(l.holders, c)
	}
	if len(l.holders) == 0 {
		delete(a.held, key)
	}
	a.changed.Broadcast()
	return true
}

// ended gives up what ends with a connection's transaction.
func (a *advisories) ended(c *connection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, key := range c.advisories {
		a.drop(c, key, false)
	}
	c.advisories = nil
}

// left gives up everything of a connection, and wakes it.
func (a *advisories) left(c *connection) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.release(c, engine.Advisory{Release: true, All: true})
	a.changed.Broadcast()
}
