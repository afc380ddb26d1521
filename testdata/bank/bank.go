// Package bank moves money between accounts, in three programs that look alike
// and break at three different levels.
//
// ExploreTransfer audits that money is conserved. That is a weak check: a
// transfer writes both accounts, so that even when one transfer overwrites
// another the sum stays the same. It breaks only where a transaction may read one
// account from before a transfer and the other from after it, which is read
// committed.
//
// ExploreReceipts asks the better question: is every transfer that a teller has
// confirmed part of bob's balance? Two tellers read the same balances, and the one
// who commits last overwrites the other's transfer: a lost update. Snapshot
// isolation forbids it.
//
// ExploreOverdraft pays out of two accounts of one customer, who may overdraw
// either as long as the sum is not negative. Both payments see 200 and each takes
// 150 from an account of its own: a write skew. As they write different accounts,
// snapshot isolation sees no conflict; only serializability does.
//
// Levels:
//
//	ExploreTransfer: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreReceipts: breaks at rc, ra, cc, pc; holds at si, ser
//	ExploreOverdraft: breaks at rc, ra, cc, pc, si; holds at ser
package bank

import (
	"errors"

	"github.com/txmc/txmc"
)

var errInsufficient = errors.New("insufficient funds")

// ExploreTransfer: two tellers move money between the same two accounts.
func ExploreTransfer(p *txmc.Program) {
	alice, bob := txmc.NewVar(p, "acct/alice", 100), txmc.NewVar(p, "acct/bob", 0)

	move := func(s *txmc.Session, n int) {
		s.Txn("transfer", func(tx *txmc.Tx) error {
			a := alice.Get(tx)
			if a < n {
				return errInsufficient
			}
			alice.Set(tx, a-n)
			bob.Set(tx, bob.Get(tx)+n)
			return nil
		})
	}
	p.Session("teller1", func(s *txmc.Session) { move(s, 70) })
	p.Session("teller2", func(s *txmc.Session) { move(s, 50) })

	p.Final("audit", func(tx *txmc.Tx) error {
		return txmc.Assertf(alice.Get(tx)+bob.Get(tx) == 100, "money is conserved")
	})
}

// ExploreReceipts: the tellers hand out a receipt for every transfer, and bob's
// statement has to contain them all. At read committed the statement may also
// simply be out of date: nothing there makes it see every earlier commit.
func ExploreReceipts(p *txmc.Program) {
	alice, bob := txmc.NewVar(p, "acct/alice", 100), txmc.NewVar(p, "acct/bob", 0)

	move := func(s *txmc.Session, n int) {
		err := s.Txn("transfer", func(tx *txmc.Tx) error {
			a := alice.Get(tx)
			if a < n {
				return errInsufficient
			}
			alice.Set(tx, a-n)
			bob.Set(tx, bob.Get(tx)+n)
			return nil
		})
		if err == nil {
			s.Observe("receipt", n)
		}
	}
	p.Session("teller1", func(s *txmc.Session) { move(s, 70) })
	p.Session("teller2", func(s *txmc.Session) { move(s, 30) })

	p.Final("statement", func(tx *txmc.Tx) error {
		bob.Get(tx)
		return nil
	})
	p.Invariant("every receipt is in bob's balance", func(o *txmc.Outcome) error {
		receipts := 0
		for _, teller := range o.Sessions {
			for _, n := range teller.Observed("receipt") {
				receipts += n.(int)
			}
		}
		balance := o.Finals[0].Reads[0].Value.(int)
		return txmc.Assertf(balance == receipts, "bob has receipts for %d and %d on his account", receipts, balance)
	})
}

// ExploreOverdraft: a card and a standing order draw on two accounts of the same
// customer, who may overdraw one account while the other one covers it.
func ExploreOverdraft(p *txmc.Program) {
	checking, savings := txmc.NewVar(p, "acct/checking", 100), txmc.NewVar(p, "acct/savings", 100)

	pay := func(s *txmc.Session, from *txmc.Var[int], n int) {
		s.Txn("pay", func(tx *txmc.Tx) error {
			if checking.Get(tx)+savings.Get(tx) < n {
				return errInsufficient
			}
			from.Set(tx, from.Get(tx)-n)
			return nil
		})
	}
	p.Session("card", func(s *txmc.Session) { pay(s, checking, 150) })
	p.Session("order", func(s *txmc.Session) { pay(s, savings, 150) })

	p.Final("audit", func(tx *txmc.Tx) error {
		sum := checking.Get(tx) + savings.Get(tx)
		return txmc.Assertf(sum >= 0, "the customer's accounts add up to %d", sum)
	})
}
