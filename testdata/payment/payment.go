// Package payment charges a card twice although every payment has an idempotency
// key.
//
// The shop writes a row under the order's number when it charges the card, and
// charges only when there is no such row. In ExploreRetry the answer to the first
// attempt gets lost on the network and the shop tries again. From read atomic on
// the second attempt sees the row of the first one, which came before it in the
// same session. Read committed as defined here does not promise even that; a
// database with one primary server does, one that reads from replicas may not.
//
// In ExploreFailover a second server takes over while the first one still works.
// Both find no row, and both charge: a lost update, which snapshot isolation
// forbids.
//
// Levels:
//
//	ExploreRetry: breaks at rc; holds at ra, cc, pc, si, ser
//	ExploreFailover: breaks at rc, ra, cc, pc; holds at si, ser
package payment

import (
	"errors"

	"github.com/txmc/txmc"
)

// Payment is the row that says that an order is paid.
type Payment struct {
	Cents int
	By    string
}

var errPaid = errors.New("this order is paid already")

func pay(s *txmc.Session, order string, cents int) {
	err := s.Txn("pay", func(tx *txmc.Tx) error {
		if tx.Read("payment/"+order) != nil {
			return errPaid
		}
		tx.Write("payment/"+order, Payment{Cents: cents, By: s.Name()})
		return nil
	})
	if !errors.Is(err, errPaid) {
		s.Observe("charged", cents)
	}
}

// ExploreRetry: one server, which does not know whether its first attempt
// succeeded.
func ExploreRetry(p *txmc.Program) {
	p.Session("server", func(s *txmc.Session) {
		pay(s, "order-17", 2500)
		pay(s, "order-17", 2500)
	})
	chargedOnce(p)
}

// ExploreFailover: two servers that both believe the order is theirs.
func ExploreFailover(p *txmc.Program) {
	p.Session("server1", func(s *txmc.Session) { pay(s, "order-17", 2500) })
	p.Session("server2", func(s *txmc.Session) { pay(s, "order-17", 2500) })
	chargedOnce(p)
}

func chargedOnce(p *txmc.Program) {
	p.Invariant("an order is charged once", func(o *txmc.Outcome) error {
		charges := 0
		for _, s := range o.Sessions {
			charges += len(s.Observed("charged"))
		}
		return txmc.Assertf(charges == 1, "the card was charged %d times", charges)
	})
}
