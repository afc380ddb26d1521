package exact

import (
	"context"
	"slices"
	"time"

	"github.com/txmc/txmc/isolation/model"
)

// Whose turn it is. The store is locked in all of this.

// enter waits for the session's turn, if it does not have it, or if a new step begins:
// then after a delay. It fails when ctx ends.
func (c *Session) enter(ctx context.Context, begins bool) error {
	s := c.store
	if s.turn == c {
		if !begins {
			return c.seat(ctx)
		}
		s.turn = nil
	}
	c.due = time.Now()
	if begins {
		c.due = c.due.Add(s.delay())
	}
	return c.queueUp(ctx)
}

// seat makes sure that the session has a slot, when it has the turn.
func (c *Session) seat(ctx context.Context) error {
	if c.slot != none || c.store.admit(c) {
		return nil
	}
	c.store.turn = nil
	c.due = time.Now()
	return c.queueUp(ctx)
}

func (c *Session) queueUp(ctx context.Context) error {
	s := c.store
	c.queued = true
	s.queue = append(s.queue, c)
	s.schedule()
	s.mu.Unlock()
	var err error
	select {
	case <-c.granted:
	case <-ctx.Done():
		err = cause(ctx)
	}
	s.mu.Lock()
	if err == nil {
		return nil
	}
	select {
	case <-c.granted: // at the same moment
		s.turn = nil
	default:
		s.leaveQueue(c)
	}
	s.schedule()
	return err
}

func cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil && err != context.Canceled {
		return err
	}
	return errCancelled
}

func (s *Store) leaveQueue(c *Session) {
	c.queued = false
	s.queue = slices.DeleteFunc(s.queue, func(o *Session) bool { return o == c })
}

// admit gives the session a slot, unless there is none, or the store waits for open
// transactions to end.
func (s *Store) admit(c *Session) bool {
	if c.slot != none {
		return true
	}
	if s.gathers() {
		return false
	}
	for i, other := range s.slots {
		if other == nil {
			s.slots[i], c.slot = c, i
			return true
		}
	}
	return false
}

// free gives the session's slot away.
func (c *Session) free() {
	c.store.slots[c.slot], c.slot = nil, none
}

// delay draws the delay of a statement: none for half of them, else any, the shorter the
// likelier.
func (s *Store) delay() time.Duration {
	if s.random.IntN(2) == 0 {
		return 0
	}
	const most = 8
	return time.Duration(min(2*s.random.ExpFloat64(), most) * float64(s.options.Delay))
}

// schedule lets somebody have the turn, if nobody has it. It takes any of those that were
// woken, or are on a cycle. Where there is none, it takes any whose delay is over.
func (s *Store) schedule() {
	for s.turn == nil {
		s.choices = s.rows.Pending(s.choices[:0])
		if n := len(s.choices); n > 0 {
			s.resolve(s.choices[s.random.IntN(n)])
			continue
		}
		s.forget()
		c := s.pick()
		if c == nil {
			return
		}
		s.leaveQueue(c)
		s.turn = c
		c.granted <- struct{}{}
	}
}

// resolve lets a statement go on that has waited.
func (s *Store) resolve(choice model.Choice) {
	slot, reply := s.rows.Resolve(choice, nil)
	if slot < 0 || reply.Kind == model.Waits {
		return
	}
	c := s.slots[slot]
	if reply.Kind == model.Begins { // it has what it has waited for before it began
		if reply = s.rows.Serve(slot, c.asked); reply.Kind == model.Waits {
			return
		}
	}
	c.waits = false
	s.turn = c
	c.replies <- reply
}

// pick draws one whose delay is over. When everybody who is connected waits, the time
// passes at once. It sets the timer when there is nobody yet.
func (s *Store) pick() *Session {
	var may []*Session
	for _, c := range s.queue {
		if s.seated(c) {
			may = append(may, c)
		}
	}
	if len(may) == 0 {
		return nil
	}
	now := time.Now()
	next := slices.MinFunc(may, func(a, b *Session) int { return a.due.Compare(b.due) })
	if next.due.After(now) {
		if !s.allWait() {
			s.timer.Reset(next.due.Sub(now))
			return nil
		}
		now = next.due
	}
	may = slices.DeleteFunc(may, func(c *Session) bool { return c.due.After(now) })
	c := may[s.random.IntN(len(may))]
	s.admit(c)
	return c
}

// seated reports whether the session has a slot, or can have one.
func (s *Store) seated(c *Session) bool {
	return c.slot != none || !s.gathers() && slices.Contains(s.slots[:], nil)
}

// allWait reports whether everybody who is connected waits for a turn, or for another
// transaction.
func (s *Store) allWait() bool {
	for c := range s.sessions {
		if !c.queued && !c.waits {
			return false
		}
	}
	return true
}
