package model

import (
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
	if !a.Transaction {
		s.advised = !a.All && (s.advised || !a.Release && ok)
	}
	return ok
}

// advisory is the number of the key of an advisory lock.
func (cat *Catalog) advisory(key string) int32 {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	return cat.advisories.number(key)
}
