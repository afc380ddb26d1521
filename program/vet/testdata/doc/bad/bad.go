// Package bad holds the bad examples of docs/vet.md. What is wanted of one is said
// above it, so that it can be shown as it is.
package bad

import (
	"errors"
	"math/rand/v2"
	"os"
	"time"

	"github.com/txmc/txmc"
)

var errSoldOut = errors.New("sold out")

func ExploreBad(p *txmc.Program) {
	stock := txmc.NewVar(p, "stock", 1)
	p.Session("shop", func(s *txmc.Session) {
		_ = s.Txn("restock", func(tx *txmc.Tx) error { restock(tx, nil); touch(tx); pick(tx); return nil })
		ticket(s)
		insist(s, stock)
		receipt(s, stock)
		late(s)
	})
	kitchen(p)
	prices(p)
	sales(p, stock)
}

// want +2 `\(maporder\)`
func restock(tx *txmc.Tx, order map[string]int) {
	for item, n := range order {
		tx.Write("stock/"+item, n)
	}
}

// want +2 `\(clock\)`
func touch(tx *txmc.Tx) {
	tx.Write("seen", time.Now().Unix())
}

// want +2 `\(random\)`
func pick(tx *txmc.Tx) {
	tx.Write("picked", rand.IntN(2))
}

// want +4 `\(concurrency\)`
// want +6 `\(concurrency\)`
// want +8 `\(concurrency\)`
func kitchen(p *txmc.Program) {
	orders := make(chan string, 1)
	p.Session("waiter", func(s *txmc.Session) {
		_ = s.Txn("order", func(tx *txmc.Tx) error { tx.Write("table/1", "soup"); return nil })
		orders <- "soup"
	})
	p.Session("cook", func(s *txmc.Session) {
		s.Observe("cooked", <-orders)
	})
}

// want +2 `\(outside\)`
func prices(p *txmc.Program) {
	list, err := os.ReadFile("prices.txt")
	if err != nil {
		panic(err)
	}
	txmc.NewVar(p, "prices", string(list))
}

// want +4 `\(global\)`
var tickets int

func ticket(s *txmc.Session) {
	tickets++
	s.Observe("ticket", tickets)
}

// want +5 `\(shared\)`
func sales(p *txmc.Program, stock *txmc.Var[int]) {
	sold := 0
	buy := func(s *txmc.Session) {
		if sell(s, stock) == nil {
			sold++
		}
	}
	p.Session("ann", buy)
	p.Session("ben", buy)
	p.Invariant("sold once", func(*txmc.Outcome) error { return txmc.Assert(sold <= 1) })
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

// want +2 `\(unbounded\)`
func insist(s *txmc.Session, stock *txmc.Var[int]) {
	for sell(s, stock) != nil {
		s.Observe("try", "again")
	}
}

// want +2 `\(dropped\)`
func receipt(s *txmc.Session, stock *txmc.Var[int]) {
	sell(s, stock)
	s.Observe("receipt", 1)
}

// want +4 `\(straytx\)`
func late(s *txmc.Session) {
	tx := s.Begin("pay")
	tx.Commit()
	tx.Write("paid", true)
}
