package dpor

import (
	"github.com/txmc/txmc/program"
	"github.com/txmc/txmc/semantics"
)

// Instead of a session, choose returns:
const (
	complete = -1 - iota // the history is complete
	deadEnd              // no complete history is left here
)

// ablation is what the serial engine leaves out of what it does against dead ends,
// to measure what each thing is good for. The histories stay the same.
type ablation uint8

const (
	noAblation  ablation = iota
	noForcing            // a session is skipped although no history is left then
	noLookahead          // and sleeping sessions are waited for although nobody can wake them
	noSleep              // and a skipped session wakes with the next transaction of any
)

// chooser picks the sessions that a search decides on. Sets are of sessions.
type chooser struct {
	ablation   ablation
	unfinished semantics.Row  // those that have transactions left
	asleep     semantics.Row  // whose next transaction reads from one that is not there yet
	up         semantics.Row  // scratch of stuck
	wakers     semantics.Rows // by session: those that may write what its next transaction reads
}

func (c *chooser) reset(sessions int) {
	words := (sessions + 63) >> 6
	if len(c.up) != words {
		c.unfinished, c.asleep, c.up = make(semantics.Row, words), make(semantics.Row, words), make(semantics.Row, words)
		c.wakers.Reset(words)
		for range sessions {
			c.wakers.Push()
		}
	}
	clear(c.unfinished)
	clear(c.asleep)
}

// choose picks the session to decide on next. The choice is forced when there is
// no complete history in which the session's next transaction reads from a
// transaction that is not there yet: when it reads nothing, or when so many
// sessions would wait that some could wait for each other only.
//
// Which session is picked decides how many dead ends there are, never which
// histories are found: whatever it is, decide splits those that are left.
func (c *chooser) choose(s *state, ahead *lookahead) (session int, forced bool) {
	h := &s.h
	c.reset(h.Sessions())
	first, ended := deadEnd, true
	for i := range h.Sessions() {
		node := h.Node(i)
		switch {
		case i == h.Final() || node.Kind == program.End:
			continue
		case node.Kind != program.Read:
			return i, true
		}
		ended = false
		c.unfinished.Add(i)
		if c.sleeps(s, i, ahead) {
			c.asleep.Add(i)
		} else if first == deadEnd {
			first = i
		}
	}
	switch f := h.Final(); {
	case ended && f >= 0 && h.Node(f).Kind != program.End:
		return f, true
	case ended:
		return complete, false
	}
	if first != deadEnd && c.ablation < noForcing && c.nobodySleeps() {
		return c.readsAlone(h, ahead, first)
	}
	c.findWakers(h, ahead)
	if first == deadEnd || c.ablation < noLookahead && c.stuck() {
		return deadEnd, false
	}
	if c.ablation >= noForcing {
		return first, false
	}
	for i := c.unfinished.Next(0); i >= 0; i = c.unfinished.Next(i + 1) {
		if c.asleep.Has(i) {
			continue
		}
		c.asleep.Add(i)
		if c.stuck() {
			return i, true
		}
		c.asleep.Remove(i)
	}
	return first, false
}

// nobodySleeps reports whether no session is asleep.
func (c *chooser) nobodySleeps() bool { return c.asleep.Next(0) < 0 }

// readsAlone is choose where nobody sleeps: the choice is forced of a session whose next
// transaction reads what nobody else may write.
func (c *chooser) readsAlone(h *semantics.Ordered, ahead *lookahead, first int) (session int, forced bool) {
	for i := c.unfinished.Next(0); i >= 0; i = c.unfinished.Next(i + 1) {
		p := ahead.of(i, h.Done(i))
		woken := false
		for u := c.unfinished.Next(0); u >= 0 && !woken; u = c.unfinished.Next(u + 1) {
			woken = u != i && p.mayWrite(u, h.Done(u))
		}
		if !woken {
			return i, true
		}
	}
	return first, false
}

// sleeps reports whether the next transaction of session i was decided to read
// from one that was not there, and nobody has written what it reads since.
func (c *chooser) sleeps(s *state, i int, ahead *lookahead) bool {
	since := s.skipped(i)
	if since == 0 {
		return false
	}
	if c.ablation >= noSleep {
		return since == s.h.Len()
	}
	for _, x := range ahead.of(i, s.h.Done(i)).reads {
		if s.h.Writers(x).Next(since) >= 0 {
			return false
		}
	}
	return true
}

// findWakers notes for each session who may write what its next transaction reads.
func (c *chooser) findWakers(h *semantics.Ordered, ahead *lookahead) {
	for i := c.unfinished.Next(0); i >= 0; i = c.unfinished.Next(i + 1) {
		row := c.wakers.Row(i)
		clear(row)
		p := ahead.of(i, h.Done(i))
		for u := c.unfinished.Next(0); u >= 0; u = c.unfinished.Next(u + 1) {
			if u != i && p.mayWrite(u, h.Done(u)) {
				row.Add(u)
			}
		}
	}
}

// stuck reports whether a session asleep cannot be woken any more: not by those
// that are up, nor by those that they wake.
func (c *chooser) stuck() bool {
	for w := range c.up {
		c.up[w] = c.unfinished[w] &^ c.asleep[w]
	}
	for again := true; again; {
		again = false
		for i := c.asleep.Next(0); i >= 0; i = c.asleep.Next(i + 1) {
			if !c.up.Has(i) && meet(c.wakers.Row(i), c.up) {
				c.up.Add(i)
				again = true
			}
		}
	}
	return !c.up.Contains(c.unfinished)
}

func meet(a, b semantics.Row) bool {
	for w := range a {
		if a[w]&b[w] != 0 {
			return true
		}
	}
	return false
}
