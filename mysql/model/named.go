package model

import "github.com/txmc/txmc/program/access"

// Locks by name, those of GET_LOCK, which the model has for all sessions. How often a
// connection has taken one it knows itself.

// Name takes a lock that no connection of the session has, and reports whether it could:
// within the limit, which is the call's own.
func (s *Session) Name(name string, l Limit) (bool, error) {
	a, err := s.ask(access.Request{Kind: access.Advise, AdvisoryLock: access.AdvisoryLock{Advisory: s.cat.named(name)}, Locking: access.Locking{NoWait: l == NoWait, Expires: l == Limited}})
	return err == nil && a.Result == access.OK, err
}

// Unname gives a lock up.
func (s *Session) Unname(name string) error {
	_, err := s.ask(access.Request{Kind: access.Unadvise, AdvisoryLock: access.AdvisoryLock{Advisory: s.cat.named(name)}})
	return err
}

// named is the number of a name.
func (cat *Catalog) named(name string) int32 {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	n, ok := cat.names[name]
	if !ok {
		n = int32(len(cat.names) + 1)
		cat.names[name] = n
	}
	return n
}
