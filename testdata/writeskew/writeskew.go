// Package writeskew takes doctors off call while somebody has to stay.
//
// A doctor may go home when another one is on call. Alice and Bob both check,
// both see two doctors on call, and each takes only their own name off the list:
// nobody is left. Each read a state that was true, and they wrote different rows,
// so that snapshot isolation, which looks at writes alone, lets both commit.
//
// ExploreShiftLock is the usual remedy where only snapshot isolation can be had:
// both also write one row that they share, which turns the skew into a conflict
// of writes. Below snapshot isolation that does not help.
//
// Levels:
//
//	ExploreOnCall: breaks at rc, ra, cc, pc, si; holds at ser
//	ExploreShiftLock: breaks at rc, ra, cc, pc; holds at si, ser
package writeskew

import (
	"errors"

	"github.com/txmc/txmc"
)

var errLastOne = errors.New("the last doctor on call stays")

// ExploreOnCall: both doctors on call want to go home.
func ExploreOnCall(p *txmc.Program) {
	alice, bob := txmc.NewVar(p, "oncall/alice", true), txmc.NewVar(p, "oncall/bob", true)

	leave := func(s *txmc.Session, me *txmc.Var[bool]) {
		s.Txn("go home", func(tx *txmc.Tx) error {
			if !alice.Get(tx) || !bob.Get(tx) {
				return errLastOne
			}
			me.Set(tx, false)
			return nil
		})
	}
	p.Session("alice", func(s *txmc.Session) { leave(s, alice) })
	p.Session("bob", func(s *txmc.Session) { leave(s, bob) })

	p.Final("handover", func(tx *txmc.Tx) error {
		return txmc.Assert(alice.Get(tx) || bob.Get(tx), "nobody is on call")
	})
}

// ExploreShiftLock is ExploreOnCall with a row that everybody who goes home
// writes.
func ExploreShiftLock(p *txmc.Program) {
	alice, bob := txmc.NewVar(p, "oncall/alice", true), txmc.NewVar(p, "oncall/bob", true)
	changed := txmc.NewVar(p, "shift/changed-by", "")

	leave := func(s *txmc.Session, me *txmc.Var[bool]) {
		s.Txn("go home", func(tx *txmc.Tx) error {
			if !alice.Get(tx) || !bob.Get(tx) {
				return errLastOne
			}
			me.Set(tx, false)
			changed.Set(tx, s.Name())
			return nil
		})
	}
	p.Session("alice", func(s *txmc.Session) { leave(s, alice) })
	p.Session("bob", func(s *txmc.Session) { leave(s, bob) })

	p.Final("handover", func(tx *txmc.Tx) error {
		return txmc.Assert(alice.Get(tx) || bob.Get(tx), "nobody is on call")
	})
}
