// Package tatp is a kernel of the TATP benchmark (IBM, 2009): a telephone company's
// subscribers, the facilities they use, and where their calls are forwarded.
package tatp

import (
	"errors"

	"github.com/txmc/txmc"
)

var errInactive = errors.New("the facility is not active")

type subscriber struct {
	bit        *txmc.Var[int]
	facility   *txmc.Var[int] // data of the special facility
	active     *txmc.Var[bool]
	forwarding *txmc.Var[string]
}

func newSubscriber(p *txmc.Program) subscriber {
	return subscriber{
		bit:        txmc.NewVar(p, "subscriber/bit", 0),
		facility:   txmc.NewVar(p, "facility/data", 0),
		active:     txmc.NewVar(p, "facility/active", true),
		forwarding: txmc.NewVar(p, "forwarding", ""),
	}
}

// updateSubscriberData changes two rows at once.
func (u subscriber) updateSubscriberData(s *txmc.Session, n int) {
	s.Txn("updateSubscriberData", func(tx *txmc.Tx) error {
		u.bit.Set(tx, n)
		u.facility.Set(tx, n)
		return nil
	})
}

// insertCallForwarding forwards calls by an active facility.
func (u subscriber) insertCallForwarding(s *txmc.Session, number string) {
	s.Txn("insertCallForwarding", func(tx *txmc.Tx) error {
		if !u.active.Get(tx) {
			return errInactive
		}
		u.forwarding.Set(tx, number)
		return nil
	})
}

// deactivate ends a facility, unless calls are forwarded by it.
func (u subscriber) deactivate(s *txmc.Session) {
	s.Txn("deactivate", func(tx *txmc.Tx) error {
		if u.forwarding.Get(tx) == "" {
			u.active.Set(tx, false)
		}
		return nil
	})
}

// ExploreUpdate: a subscriber's data are read while they change.
func ExploreUpdate(p *txmc.Program) {
	u := newSubscriber(p)
	p.Session("update", func(s *txmc.Session) { u.updateSubscriberData(s, 1) })
	p.Session("read", func(s *txmc.Session) {
		s.Txn("getSubscriberData", func(tx *txmc.Tx) error {
			bit, data := u.bit.Get(tx), u.facility.Get(tx)
			return txmc.Assertf(bit == data, "the data are half of an update: %d and %d", bit, data)
		})
	})
}

// ExploreForward: calls are forwarded while the facility ends.
func ExploreForward(p *txmc.Program) {
	u := newSubscriber(p)
	p.Session("subscriber", func(s *txmc.Session) { u.insertCallForwarding(s, "5550100") })
	p.Session("company", func(s *txmc.Session) { u.deactivate(s) })
	p.Final("calls are forwarded by active facilities", func(tx *txmc.Tx) error {
		number := u.forwarding.Get(tx)
		return txmc.Assertf(number == "" || u.active.Get(tx), "calls go to %s by a facility that is not active", number)
	})
}
