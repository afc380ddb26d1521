// Package fracturedread makes two people friends.
//
// A friendship stands in two rows, one in each person's list, and the developer
// writes both in one transaction so that nobody ever sees half of it. At read
// committed that is not enough: the reader's first query runs before the commit
// and the second one after it, and Bob is Alice's friend while Alice is not
// Bob's.
//
// Read atomic is the level that forbids exactly this: of a transaction one sees
// everything or nothing.
//
// Levels:
//
//	ExploreFriends: breaks at rc; holds at ra, cc, pc, si, ser
package fracturedread

import (
	"slices"

	"github.com/txmc/txmc"
)

// ExploreFriends: Alice accepts Bob's request while somebody looks at both
// profiles.
func ExploreFriends(p *txmc.Program) {
	friends := map[string]*txmc.Var[[]string]{}
	for _, name := range []string{"alice", "bob"} {
		friends[name] = txmc.NewVar[[]string](p, "friends/"+name, nil)
	}
	befriend := func(tx *txmc.Tx, who, whom string) {
		friends[who].Set(tx, append(friends[who].Get(tx), whom))
	}

	p.Session("alice", func(s *txmc.Session) {
		s.Txn("accept", func(tx *txmc.Tx) error {
			befriend(tx, "alice", "bob")
			befriend(tx, "bob", "alice")
			return nil
		})
	})
	p.Session("visitor", func(s *txmc.Session) {
		s.Txn("profiles", func(tx *txmc.Tx) error {
			there := slices.Contains(friends["alice"].Get(tx), "bob")
			back := slices.Contains(friends["bob"].Get(tx), "alice")
			return txmc.Assert(there == back, "a friendship is mutual")
		})
	})
}
