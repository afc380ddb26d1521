package model

import (
	"maps"
	"slices"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Advise takes or gives up an advisory lock, which the model has for all sessions.
func (s *Session) Advise(c *engine.Call, a engine.Advisory) bool {
	q := access.Request{Kind: access.Advise, AdvisoryLock: access.AdvisoryLock{Shared: a.Shared, Owned: a.Transaction}, Locking: access.Locking{NoWait: a.Try}}
	if a.Release {
		q.Kind = access.Unadvise
	}
	if !a.All {
		q.Advisory = s.cat.advisory(a.Key)
	}
	ok := s.ask(c, q, 0, nil).Result == access.OK
	if ok && !a.Transaction {
		s.held(a)
	}
	return ok
}

// held notes a lock that the connection keeps beyond its transactions, or gives up.
func (s *Session) held(a engine.Advisory) {
	switch {
	case a.All:
		clear(s.advisory)
	case !a.Release:
		s.advisory[a.Key]++
	case s.advisory[a.Key] == 1:
		delete(s.advisory, a.Key)
	default:
		s.advisory[a.Key]--
	}
}

// Held are the keys of the advisory locks that the connection keeps beyond its transactions.
func (s *Session) Held() []string { return slices.Sorted(maps.Keys(s.advisory)) }

// Refuses reports whether statements on a table are refused.
func (cat *Catalog) Refuses(table engine.OID) bool {
	cat.mu.RLock()
	defer cat.mu.RUnlock()
	t := cat.tables[table]
	return t != nil && t.refused != ""
}

// Inherit takes the numbers of another catalog's advisory locks, which may be held.
func (cat *Catalog) Inherit(other *Catalog) {
	other.mu.Lock()
	defer other.mu.Unlock()
	cat.advisories = other.advisories
}

// advisory is the number of the key of an advisory lock.
func (cat *Catalog) advisory(key string) int32 {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	return cat.advisories.number(key)
}
