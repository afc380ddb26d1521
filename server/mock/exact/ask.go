package exact

import (
	"context"

	"github.com/txmc/txmc/isolation/model"
	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// A session as the log of its backend.

// Open reports whether a transaction is open.
func (c *Session) Open() bool {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	return c.open
}

// Begin begins a transaction. That is no step.
func (c *Session) Begin() error {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.open = true
	c.store.begun++
	c.done = recording{number: c.store.begun}
	return nil
}

// Ask asks the model. What begins a step waits for its turn.
func (c *Session) Ask(q *access.Request, joins bool) (access.Answer, error) {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	c.asked = q
	ctx := c.ctx
	if q.Kind == access.Back { // what has failed is undone
		ctx = context.Background()
	}
	if err := c.enter(ctx, !joins); err != nil {
		return access.Answer{}, err
	}
	if !joins {
		s.counts.Statements++
	}
	reply := s.rows.Serve(c.slot, q)
	for reply.Kind != model.Answered {
		if reply.Kind == model.Begins { // it has waited for its snapshot
			reply = s.rows.Serve(c.slot, q)
			continue
		}
		s.counts.Waited++
		var err error
		if reply, err = c.wait(); err != nil {
			return access.Answer{}, err
		}
	}
	if overtaken(q, &reply.Found) {
		s.counts.Conflicts++
	} else {
		s.count(reply.Found.Code)
	}
	c.note(q, &reply.Found)
	return reply.Found, nil
}

// wait gives the turn away until the model answers, which gives the turn back.
func (c *Session) wait() (model.Reply, error) {
	s := c.store
	c.waits = true
	s.turn = nil
	s.schedule()
	s.mu.Unlock()
	var reply model.Reply
	var err error
	select {
	case reply = <-c.replies:
	case <-c.ctx.Done():
		err = cause(c.ctx)
	case <-LockTimeout(c.ctx):
		err = ErrLockTimeout
	}
	s.mu.Lock()
	if err == nil {
		return reply, nil
	}
	select {
	case reply = <-c.replies: // at the same moment
		return reply, nil
	default:
	}
	c.waits = false
	s.rows.Cancel(c.slot)
	s.schedule()
	return reply, err
}

// overtaken reports whether the executor makes the answer 40001: above READ COMMITTED a row
// that others have changed since the snapshot fails the statement.
func overtaken(q *access.Request, found *access.Answer) bool {
	return q.Level > 0 && (found.Result == access.Updated || found.Result == access.Deleted)
}

func (s *Store) count(code string) {
	switch code {
	case "40P01":
		s.counts.Deadlocks++
	case "40001":
		s.counts.Conflicts++
	}
}

// Joins says whether the end of the transaction joins the step before.
func (c *Session) Joins(joins bool) {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.ends = joins
}

// Commit ends the transaction. It fails with 40001 and has rolled back.
func (c *Session) Commit() error {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.slot == none {
		c.ended(true)
		return nil
	}
	if err := c.enter(c.ctx, !c.ends); err != nil {
		return err
	}
	s.counts.Statements++
	if reply := s.rows.Commit(c.slot); reply.Kind == model.Failure {
		s.count(reply.Code)
		c.ended(false)
		return &behaviour.DBError{SQLSTATE: reply.Code, Message: "could not serialize access"}
	}
	c.ended(true)
	return nil
}

// Abort ends the transaction without effect.
func (c *Session) Abort(string) error {
	s := c.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.slot != none {
		if err := c.enter(context.Background(), false); err != nil {
			return err
		}
	}
	c.rollBack()
	return nil
}

func (c *Session) rollBack() {
	if c.slot != none {
		c.store.rows.Rollback(c.slot)
	}
	if c.open {
		c.ended(false)
	}
}

// ended notes the end of the transaction. A session with advisory locks of its own keeps
// its slot.
func (c *Session) ended(committed bool) {
	s := c.store
	c.open, c.ends, c.asked = false, false, nil
	if committed {
		s.counts.Committed++
	} else {
		s.counts.RolledBack++
	}
	c.hand(committed)
	if c.slot != none && !s.rows.Advises(c.slot) {
		c.free()
	}
}

// Refuse takes what the model does not have. The statement fails with 0A000.
func (c *Session) Refuse(string) error { return nil }
