// Package good holds the good examples of docs/vet.md.
package good

import (
	_ "embed"
	"errors"
	"maps"
	"slices"

	"github.com/txmc/txmc"
)

var errSoldOut = errors.New("sold out")

func ExploreGood(p *txmc.Program) {
	stock := txmc.NewVar(p, "stock", 1)
	clock := txmc.NewVar(p, "clock", int64(0))
	tickets := txmc.NewVar(p, "tickets", 0)
	p.Session("shop", func(s *txmc.Session) {
		_ = s.Txn("restock", func(tx *txmc.Tx) error { restock(tx, nil); touch(tx, clock); return nil })
		ticket(s, tickets)
		insist(s, stock)
		receipt(s, stock)
		early(s)
	})
	pick(p)
	kitchen(p)
	prices(p)
	sales(p, stock)
}

func restock(tx *txmc.Tx, order map[string]int) {
	for _, item := range slices.Sorted(maps.Keys(order)) {
		tx.Write("stock/"+item, order[item])
	}
}

func touch(tx *txmc.Tx, clock *txmc.Var[int64]) { // a session of its own may move the clock
	tx.Write("seen", clock.Get(tx))
}

func pick(p *txmc.Program) {
	for n, name := range []string{"left", "right"} {
		p.Session(name, func(s *txmc.Session) {
			_ = s.Txn("pick", func(tx *txmc.Tx) error { tx.Write("picked", n); return nil })
		})
	}
}

func kitchen(p *txmc.Program) {
	order := txmc.NewVar(p, "table/1", "")
	p.Session("waiter", func(s *txmc.Session) {
		_ = s.Txn("order", func(tx *txmc.Tx) error { order.Set(tx, "soup"); return nil })
	})
	p.Session("cook", func(s *txmc.Session) {
		dish := ""
		_ = s.Txn("look", func(tx *txmc.Tx) error { dish = order.Get(tx); return nil })
		if dish != "" {
			s.Observe("cooked", dish)
		}
	})
}

//go:embed good.go
var list string

func prices(p *txmc.Program) {
	txmc.NewVar(p, "prices", list)
}

func ticket(s *txmc.Session, tickets *txmc.Var[int]) {
	n := 0
	_ = s.Txn("draw", func(tx *txmc.Tx) error {
		n = tickets.Get(tx) + 1
		tickets.Set(tx, n)
		return nil
	})
	s.Observe("ticket", n)
}

func sales(p *txmc.Program, stock *txmc.Var[int]) {
	buy := func(s *txmc.Session) {
		s.Observe("sold", sell(s, stock) == nil)
	}
	p.Session("ann", buy)
	p.Session("ben", buy)
	p.Invariant("sold once", func(o *txmc.Outcome) error {
		ann, ben := o.Session("ann").Observed("sold")[0], o.Session("ben").Observed("sold")[0]
		return txmc.Assert(ann == false || ben == false)
	})
}

func sell(s *txmc.Session, stock *txmc.Var[int]) error {
	return s.Txn("sell", func(tx *txmc.Tx) error {
		if stock.Get(tx) == 0 {
			return errSoldOut
		}
		stock.Set(tx, stock.Get(tx)-1)
		return nil
	})
}

func insist(s *txmc.Session, stock *txmc.Var[int]) {
	for range 3 {
		if sell(s, stock) == nil {
			break
		}
	}
}

func receipt(s *txmc.Session, stock *txmc.Var[int]) {
	if err := sell(s, stock); err != nil {
		return
	}
	s.Observe("receipt", 1)
}

func early(s *txmc.Session) {
	tx := s.Begin("pay")
	tx.Write("paid", true)
	tx.Commit()
}
