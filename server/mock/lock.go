package mock

import (
	"context"
	"slices"
	"time"

	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/server/mock/exact"
)

// acquire locks x for the open transaction. It waits while another one has locked
// it, unless that one waits for this one.
func (s *KV) acquire(ctx context.Context, t *txn, x behaviour.VarID) error {
	late := exact.LockTimeout(ctx)
	for {
		holder := s.locks[x]
		if holder == t {
			return nil
		}
		if holder == nil {
			s.grant(t, x)
			return nil
		}
		if s.waitsFor(holder, t) {
			return s.fail(t, errDeadlock)
		}
		if err := s.wait(ctx, late, t, x); err != nil {
			return err
		}
	}
}

// grant gives t the lock of x.
func (s *KV) grant(t *txn, x behaviour.VarID) {
	s.locks[x] = t
	t.locks = append(t.locks, x)
	s.sync(t, s.items.list[x].released)
}

// TryLock locks the key if nobody else has locked it, and reports whether it has.
func (c *Session) TryLock(key string) bool {
	s := c.store
	if s.options.NoLocks {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := c.current()
	if err != nil {
		return true // the operation that follows says why not
	}
	x := s.items.number(key)
	if holder := s.locks[x]; holder != nil {
		return holder == t
	}
	s.grant(t, x)
	return true
}

// waitsFor reports whether t waits for a lock of u, or for one that does.
func (s *KV) waitsFor(t, u *txn) bool {
	for t != nil && t.waiting {
		if t = s.locks[t.waits]; t == u {
			return true
		}
	}
	return false
}

// wait waits until a transaction ends.
func (s *KV) wait(ctx context.Context, late <-chan time.Time, t *txn, x behaviour.VarID) error {
	t.waits, t.waiting = x, true
	ended := s.ended
	s.mu.Unlock()
	var err error
	select {
	case <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late:
		err = exact.ErrLockTimeout
	}
	s.mu.Lock()
	t.waiting = false
	if err != nil && t.state == open {
		return s.fail(t, err)
	}
	_, err = t.session.current() // others may have failed it, or closed the session
	return err
}

// unlock gives up what an ended transaction has locked, and wakes those that wait.
func (s *KV) unlock(t *txn) {
	for _, x := range t.locks {
		s.items.list[x].released = s.commits
		delete(s.locks, x)
	}
	t.locks = nil
	close(s.ended)
	s.ended = make(chan struct{})
	s.open = slices.DeleteFunc(s.open, func(u *txn) bool { return u == t })
}
