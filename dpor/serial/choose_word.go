package serial

import (
	"math/bits"

	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// What chooser does at every call, where sets of next transactions are single words, as they are of up to 64
// transactions: the same without rows.

// chooseWord is choose.
func chooseWord(s *swap.State, ahead *lookahead) (session int, forced bool) {
	h := &s.H
	unfinished, asleep := uint64(0), uint64(0)
	skips, final := s.Skips[len(s.Skips)-h.Sessions():], h.Final()
	for i := range skips {
		node := h.Node(i)
		switch {
		case i == final || node.Kind == behaviour.End:
			continue
		case node.Kind != behaviour.Read:
			return i, true
		}
		k := ahead.number(i, h.Done(i))
		unfinished |= 1 << k
		if skips[i] > 0 && !hasNews(h, ahead.reads[k], int(skips[i])) {
			asleep |= 1 << k
		}
	}
	if unfinished == 0 {
		return chooseFinal(h)
	}
	k, forced := amongWord(h, ahead, unfinished, asleep)
	if k < 0 {
		return deadEnd, false
	}
	return int(ahead.session[k]), forced
}

// amongWord is among.
func amongWord(h *semantics.Ordered, ahead *lookahead, unfinished, asleep uint64) (k int, forced bool) {
	awake := unfinished &^ asleep
	if awake == 0 || asleep != 0 && stuckWord(ahead, unfinished, asleep) {
		return -1, false
	}
	switch set := mustRun(ahead, unfinished, asleep); {
	case set == 0:
		return mostAwaitedWord(ahead, unfinished, awake), false
	case set&(set-1) == 0:
		return bits.TrailingZeros64(set), true
	default:
		return fewestWriters(h, ahead, set), true
	}
}

// stuckWord is stuck.
func stuckWord(ahead *lookahead, unfinished, asleep uint64) bool {
	up := unfinished &^ asleep
	for fresh := up; fresh != 0; {
		woken := ahead.word[bits.TrailingZeros64(fresh)] & unfinished &^ up
		up |= woken
		fresh = fresh&(fresh-1) | woken
	}
	return up != unfinished
}

// mustRun returns those that must not be skipped: they, or somebody else, would wait in vain.
func mustRun(ahead *lookahead, unfinished, asleep uint64) (set uint64) {
	if asleep == 0 {
		set = unfinished
		for b := unfinished; b != 0; b &= b - 1 {
			set &^= ahead.word[bits.TrailingZeros64(b)]
		}
		return set
	}
	for b := unfinished &^ asleep; b != 0; b &= b - 1 {
		if one := b & -b; stuckWord(ahead, unfinished, asleep|one) {
			set |= one
		}
	}
	return set
}

// fewestWriters returns the one of the set with the fewest writers to choose from, of several the first.
func fewestWriters(h *semantics.Ordered, ahead *lookahead, set uint64) int {
	best, least := -1, -1
	for b := set; b != 0 && least != 0; b &= b - 1 {
		k := bits.TrailingZeros64(b)
		if n := ahead.writers(h, k); best < 0 || n < least {
			best, least = k, n
		}
	}
	return best
}

// mostAwaitedWord is mostAwaited.
func mostAwaitedWord(ahead *lookahead, unfinished, awake uint64) int {
	best, most := -1, -1
	for b := awake; b != 0; b &= b - 1 {
		k := bits.TrailingZeros64(b)
		if n := bits.OnesCount64(ahead.word[k] & unfinished); n > most {
			best, most = k, n
		}
	}
	return best
}
