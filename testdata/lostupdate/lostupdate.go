// Package lostupdate counts the likes of a post.
//
// The developer reads the number of likes, adds one and writes it back. Two
// readers who like the post at the same moment read the same number and write
// the same number: one like is lost, and both are told that they were the first.
//
// Read committed, read atomic, causal and prefix consistency say which values a
// transaction may read, and nothing about two transactions that write the same
// variable. Snapshot isolation does: of two concurrent writers of a variable one
// has to see the other's write.
//
// Levels:
//
//	ExploreLikes: breaks at rc, ra, cc, pc; holds at si, ser
package lostupdate

import "github.com/txmc/txmc"

// ExploreLikes: two readers like the same post.
func ExploreLikes(p *txmc.Program) {
	likes := txmc.NewVar(p, "post/1/likes", 0)

	like := func(s *txmc.Session) {
		var n int
		s.Txn("like", func(tx *txmc.Tx) error {
			n = likes.Get(tx) + 1
			likes.Set(tx, n)
			return nil
		})
		s.Observe("likes", n)
	}
	p.Session("ann", like)
	p.Session("ben", like)

	p.Invariant("every like counts", func(o *txmc.Outcome) error {
		ann, ben := o.Session("ann").Observed("likes")[0], o.Session("ben").Observed("likes")[0]
		return txmc.Assertf(ann != ben, "ann and ben both gave like number %d", ann)
	})
}
