package mock

import (
	"fmt"
	"hash/maphash"
)

// Counts say how much of what the level allows was met.
type Counts struct {
	Transactions int64 // committed
	Aborted      int64 // rolled back, also those that failed
	Failed       int64 // that the store has failed
	Reads        int64 // but for those of a transaction's own writes
	Choices      int64 // reads that had more than one answer
	Stale        int64 // reads that were not answered by the newest version
	Patterns     int   // different transactions, by keys read and how old the answers were; at most MaxPatterns are told apart
	Remembered   int   // transactions in the window
}

// MaxPatterns bounds the memory for Counts.Patterns.
const MaxPatterns = 1 << 16

type counts struct {
	Counts
	aborted  int64
	failed   int64
	patterns map[uint64]struct{}
}

// Counts returns the counts so far.
func (s *KV) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts.Counts
	c.Aborted, c.Failed, c.Patterns, c.Remembered = s.counts.aborted, s.counts.failed, len(s.counts.patterns), s.window.settled
	return c
}

// read counts a read of version v, and how many newer ones there are.
func (c *counts) read(s *KV, n *item, v *version, choice bool) {
	c.Reads++
	v.served++
	if choice {
		c.Choices++
	}
	if v != n.versions[len(n.versions)-1] {
		c.Stale++
	}
}

var seed = maphash.MakeSeed()

// commit counts a transaction and what it has read.
func (c *counts) commit(s *KV, t *txn) {
	c.Transactions++
	if len(c.patterns) >= MaxPatterns {
		return
	}
	var h maphash.Hash
	h.SetSeed(seed)
	for _, r := range t.reads {
		n := s.items.list[r.x]
		age := 0
		for i := len(n.versions) - 1; i > 0 && n.versions[i] != r.from; i-- {
			age++
		}
		fmt.Fprintf(&h, "%q%d,", n.key, age)
	}
	c.patterns[h.Sum64()] = struct{}{}
}
