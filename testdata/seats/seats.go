// Package seats sells a seat of a plane twice.
//
// A customer asks for a window seat; if it is taken the session asks for the seat
// next to it, in a new transaction, and gives up when both are taken. Each try
// looks whether the seat is free and takes it. Two customers who look at the same
// time both take it: a lost update of the seat's row, which snapshot isolation
// forbids.
//
// Levels:
//
//	ExploreReserve: breaks at rc, ra, cc, pc; holds at si, ser
package seats

import (
	"errors"

	"github.com/txmc/txmc"
)

var errTaken = errors.New("the seat is taken")

// ExploreReserve: three customers, two seats.
func ExploreReserve(p *txmc.Program) {
	row := []*txmc.Var[string]{
		txmc.NewVar(p, "seat/12A", ""),
		txmc.NewVar(p, "seat/12B", ""),
	}
	reserve := func(s *txmc.Session) {
		for _, seat := range row {
			err := s.Txn("reserve", func(tx *txmc.Tx) error {
				if seat.Get(tx) != "" {
					return errTaken
				}
				seat.Set(tx, s.Name())
				return nil
			})
			if err == nil {
				s.Observe("boarding pass", seat.Key())
				return
			}
		}
		s.Observe("sorry", "sold out")
	}
	p.Session("ann", reserve)
	p.Session("ben", reserve)
	p.Session("cleo", reserve)

	p.Invariant("one passenger on a seat", func(o *txmc.Outcome) error {
		sold := map[any]string{}
		for _, s := range o.Sessions {
			for _, seat := range s.Observed("boarding pass") {
				if other, twice := sold[seat]; twice {
					return txmc.Assertf(false, "%s and %s both sit on %s", other, s.Name, seat)
				}
				sold[seat] = s.Name
			}
		}
		return nil
	})
}
