// Package seats is a kernel of the SEATS benchmark (Stonebraker, Pavlo, 2012): an
// airline sells seats and lets customers move to other ones.
package seats

import (
	"errors"
	"fmt"

	"github.com/txmc/txmc"
)

var (
	errTaken = errors.New("the seat is taken")
	errFull  = errors.New("a seat in this row must stay free")
)

type flight struct {
	left  *txmc.Var[int] // seats not sold
	seats []*txmc.Var[string]
}

func newFlight(p *txmc.Program, customers ...string) flight {
	f := flight{}
	free := 0
	for i, c := range customers {
		f.seats = append(f.seats, txmc.NewVar(p, fmt.Sprintf("seat/%d", i), c))
		if c == "" {
			free++
		}
	}
	f.left = txmc.NewVar(p, "left", free)
	return f
}

// reserve sells a seat to a customer.
func (f flight) reserve(s *txmc.Session, seat int, customer string) {
	err := s.Txn("newReservation", func(tx *txmc.Tx) error {
		if f.seats[seat].Get(tx) != "" {
			return errTaken
		}
		f.seats[seat].Set(tx, customer)
		f.left.Set(tx, f.left.Get(tx)-1)
		return nil
	})
	if err == nil {
		s.Observe("seat", seat)
	}
}

// move gives a customer another seat, as long as one of the row stays free.
func (f flight) move(s *txmc.Session, from, to int, row []int) {
	s.Txn("updateReservation", func(tx *txmc.Tx) error {
		free := 0
		for _, seat := range row {
			if f.seats[seat].Get(tx) == "" {
				free++
			}
		}
		if free < 2 {
			return errFull
		}
		f.seats[to].Set(tx, f.seats[from].Get(tx))
		f.seats[from].Set(tx, "")
		return nil
	})
}

// ExploreReserve: two customers want the same seat.
func ExploreReserve(p *txmc.Program) {
	f := newFlight(p, "", "")
	p.Session("ann", func(s *txmc.Session) { f.reserve(s, 0, "ann") })
	p.Session("bob", func(s *txmc.Session) { f.reserve(s, 0, "bob") })
	p.Invariant("a seat is sold once", func(o *txmc.Outcome) error {
		n := 0
		for _, s := range o.Sessions {
			n += len(s.Observed("seat"))
		}
		return txmc.Assertf(n <= 1, "%d customers have the seat", n)
	})
}

// ExploreCount: two customers buy different seats.
func ExploreCount(p *txmc.Program) {
	f := newFlight(p, "", "", "")
	p.Session("ann", func(s *txmc.Session) { f.reserve(s, 0, "ann") })
	p.Session("bob", func(s *txmc.Session) { f.reserve(s, 1, "bob") })
	p.Final("the seats left are those not sold", func(tx *txmc.Tx) error {
		free := 0
		for _, seat := range f.seats {
			if seat.Get(tx) == "" {
				free++
			}
		}
		left := f.left.Get(tx)
		return txmc.Assertf(left == free, "%d seats are left, %d are free", left, free)
	})
}

// ExploreMove: two customers of the back row move to the front row, where a seat
// must stay free for the crew.
func ExploreMove(p *txmc.Program) {
	f := newFlight(p, "", "", "ann", "bob")
	front := []int{0, 1}
	p.Session("ann", func(s *txmc.Session) { f.move(s, 2, 0, front) })
	p.Session("bob", func(s *txmc.Session) { f.move(s, 3, 1, front) })
	p.Final("a seat in front stays free", func(tx *txmc.Tx) error {
		a, b := f.seats[0].Get(tx), f.seats[1].Get(tx)
		return txmc.Assertf(a == "" || b == "", "%s and %s sit in front", a, b)
	})
}
