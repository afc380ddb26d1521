// Package dangling follows a key to a row that is not there, and panics.
//
// The checkout inserts an order and afterwards, in a second transaction, puts its
// key on the list of open orders. The packer takes a key from the list and reads
// the order. It must be there, the developer thought, since it was committed
// first; so the code does not look. The packer sees the list of the second
// transaction without the order of the first one, and a type assertion on nil
// panics. A panic in a session is a violation, reported with its stack.
//
// Writing both in one transaction would be enough at read atomic. As it is the
// program needs causal consistency, which keeps the order of a session's
// transactions.
//
// Levels:
//
//	ExplorePack: breaks at rc, ra; holds at cc, pc, si, ser
package dangling

import "github.com/txmc/txmc"

// Order is what has to be packed.
type Order struct {
	Customer string
	Items    []string
}

// ExplorePack: an order comes in while the packer looks for work.
func ExplorePack(p *txmc.Program) {
	open := txmc.NewVar(p, "orders/open", []string{})

	p.Session("checkout", func(s *txmc.Session) {
		s.Txn("insert order", func(tx *txmc.Tx) error {
			tx.Write("order/7", Order{Customer: "eve", Items: []string{"teapot", "cup"}})
			return nil
		})
		s.Txn("mark as open", func(tx *txmc.Tx) error {
			open.Set(tx, append(open.Get(tx), "order/7"))
			return nil
		})
	})
	p.Session("packer", func(s *txmc.Session) {
		s.Txn("pack", func(tx *txmc.Tx) error {
			for _, key := range open.Get(tx) {
				order := tx.Read(key).(Order)
				s.Assert(len(order.Items) > 0, "there is nothing to pack")
				tx.Write("parcel/"+order.Customer, order.Items)
			}
			open.Set(tx, nil)
			return nil
		})
	})
}
