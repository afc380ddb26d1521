package serial

import (
	"math/bits"

	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Instead of a session, choose returns:
const (
	complete = -1 - iota // the history is complete
	deadEnd              // no complete history is left here
)

// Ablation is what the serial engine leaves out of what it does against dead ends
// and calls, to measure what each thing is good for. The histories stay the same.
type Ablation uint8

// What the serial engine leaves out: each leaves out what those before it leave out as well.
const (
	NoAblation  Ablation = iota
	ByRows               // nothing, but sets are rows, however small
	NoOrder              // the first session is picked of those that can be
	NoForcing            // and one is skipped although no history is left then
	NoLookahead          // and sleeping sessions are waited for although nobody can wake them
	NoSleep              // and a skipped session wakes with the next transaction of any
)

// chooser picks the sessions that a search decides on. Its sets are of the sessions' next
// transactions, by their numbers in a lookahead.
type chooser struct {
	ablation   Ablation
	unfinished semantics.Row // all
	asleep     semantics.Row // those that read from one that is not there yet
	up         semantics.Row // scratch: those that are awake or can be woken
	fresh      semantics.Row // scratch: those of them that were not asked yet whom they wake
}

func (c *chooser) reset(words int) {
	if len(c.up) != words {
		sets := make(semantics.Row, 4*words)
		c.unfinished, c.asleep, c.up, c.fresh = sets[:words], sets[words:2*words], sets[2*words:3*words], sets[3*words:]
		return
	}
	clear(c.unfinished)
	clear(c.asleep)
}

// choose picks the session to decide on next. The choice is forced when the session's
// next transaction cannot read from a transaction that is not there yet, in any complete
// history. Then it reads nothing, or so many sessions would wait that some of them could
// wait for each other only.
//
// Which session is picked decides how many calls and dead ends there are, never which
// histories are found: whatever it is, decide splits those that are left.
func (c *chooser) choose(s *swap.State, ahead *lookahead) (session int, forced bool) {
	if len(ahead.word) > 0 && c.ablation == NoAblation {
		return chooseWord(s, ahead)
	}
	h := &s.H
	c.reset(ahead.words())
	sleeping, ended := false, true
	for i := range h.Sessions() {
		node := h.Node(i)
		switch {
		case i == h.Final() || node.Kind == behaviour.End:
			continue
		case node.Kind != behaviour.Read:
			return i, true
		}
		ended = false
		k := ahead.number(i, h.Done(i))
		c.unfinished.Add(k)
		if c.sleeps(s, i, ahead.reads[k]) {
			c.asleep.Add(k)
			sleeping = true
		}
	}
	if ended {
		return chooseFinal(h)
	}
	k, forced := c.among(h, ahead, sleeping)
	if k < 0 {
		return deadEnd, false
	}
	return int(ahead.session[k]), forced
}

// chooseFinal is choose when all sessions have ended but the final one, if there is one.
func chooseFinal(h *semantics.Ordered) (session int, forced bool) {
	if f := h.Final(); f >= 0 && h.Node(f).Kind != behaviour.End {
		return f, true
	}
	return complete, false
}

// sleeps reports whether the next transaction of session i, with those reads, was decided to read
// from one that was not there, and nobody has written what it reads since.
func (c *chooser) sleeps(s *swap.State, i int, reads []behaviour.VarID) bool {
	since := s.Skipped(i)
	if since == 0 {
		return false
	}
	if c.ablation >= NoSleep {
		return since == s.H.Len()
	}
	return !hasNews(&s.H, reads, since)
}

// hasNews reports whether a transaction from position since on has written one of the variables.
func hasNews(h *semantics.Ordered, reads []behaviour.VarID, since int) bool {
	for _, x := range reads {
		if h.Writers(x).Next(since) >= 0 {
			return true
		}
	}
	return false
}

// among picks one of the next transactions, or -1 for a dead end.
func (c *chooser) among(h *semantics.Ordered, ahead *lookahead, sleeping bool) (k int, forced bool) {
	first := c.nextAwake(0)
	if first < 0 || sleeping && c.ablation < NoLookahead && c.stuck(ahead) {
		return -1, false
	}
	if c.ablation < NoForcing {
		if k := c.forced(h, ahead, sleeping); k >= 0 {
			return k, true
		}
	}
	if c.ablation < NoOrder {
		return c.mostAwaited(ahead, first), false
	}
	return first, false
}

// nextAwake returns the first that is awake, from k on, or -1.
func (c *chooser) nextAwake(k int) int {
	for k = c.unfinished.Next(k); k >= 0 && c.asleep.Has(k); k = c.unfinished.Next(k + 1) {
	}
	return k
}

// stuck reports whether one that is asleep cannot be woken any more: not by those
// that are awake, nor by those that they wake.
func (c *chooser) stuck(ahead *lookahead) bool {
	for w := range c.up {
		c.up[w] = c.unfinished[w] &^ c.asleep[w]
		c.fresh[w] = c.up[w]
	}
	for k := c.fresh.Next(0); k >= 0; k = c.fresh.Next(0) {
		c.fresh.Remove(k)
		for w, b := range ahead.wakes[k] {
			b &= c.unfinished[w] &^ c.up[w]
			c.up[w] |= b
			c.fresh[w] |= b
		}
	}
	return !c.up.Contains(c.unfinished)
}

// forced returns one that must not be skipped, or -1. Among several it takes the one with
// the fewest writers to choose from: a transaction with one way only is then run once, and
// not again for each way of another one.
func (c *chooser) forced(h *semantics.Ordered, ahead *lookahead, sleeping bool) int {
	if !sleeping {
		c.findUnwoken(ahead)
		if k := c.fresh.Next(0); k < 0 || c.fresh.Next(k+1) < 0 {
			return k // there is no other
		}
	}
	best, least := -1, -1
	for k := c.nextAwake(0); k >= 0; k = c.nextAwake(k + 1) {
		if !sleeping && !c.fresh.Has(k) || sleeping && !c.cannotWait(ahead, k) {
			continue
		}
		if c.ablation >= NoOrder {
			return k
		}
		if n := ahead.writers(h, k); best < 0 || n < least {
			best, least = k, n
		}
		if least == 0 {
			break
		}
	}
	return best
}

// findUnwoken sets c.fresh to those whom nobody wakes.
func (c *chooser) findUnwoken(ahead *lookahead) {
	copy(c.fresh, c.unfinished)
	for k := c.unfinished.Next(0); k >= 0; k = c.unfinished.Next(k + 1) {
		for w, b := range ahead.wakes[k] {
			c.fresh[w] &^= b
		}
	}
}

// cannotWait reports whether somebody would wait in vain if k, which is awake, waited too.
func (c *chooser) cannotWait(ahead *lookahead, k int) bool {
	c.asleep.Add(k)
	stuck := c.stuck(ahead)
	c.asleep.Remove(k)
	return stuck
}

// mostAwaited returns the one that is awake, of several the first, which most others may read
// from. When it has run there is less left to wait for: choices are forced sooner.
func (c *chooser) mostAwaited(ahead *lookahead, first int) int {
	best, most := first, -1
	for k := first; k >= 0; k = c.nextAwake(k + 1) {
		n := 0
		for w, b := range ahead.wakes[k] {
			n += bits.OnesCount64(b & c.unfinished[w])
		}
		if n > most {
			best, most = k, n
		}
	}
	return best
}
