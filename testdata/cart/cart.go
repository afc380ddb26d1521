// Package cart loses the removal of an item from a shopping cart.
//
// The cart is one document. Eve removes the cup on her phone; a laptop that is
// still open on the same cart adds a second tea. Both read the whole cart, change
// their part and write the whole cart back. When the laptop commits last its copy
// still holds the cup, and Eve pays for what she has removed.
//
// That is a lost update, which snapshot isolation forbids. At read committed the
// program breaks even without the laptop: nothing there makes the checkout see
// what the same session has committed before.
//
// Levels:
//
//	ExploreCheckout: breaks at rc, ra, cc, pc; holds at si, ser
package cart

import "github.com/txmc/txmc"

// ExploreCheckout: Eve changes her cart on two devices and checks out on one.
func ExploreCheckout(p *txmc.Program) {
	cart := txmc.NewVar(p, "cart/eve", map[string]int{"cup": 2, "tea": 1})

	p.Session("phone", func(s *txmc.Session) {
		s.Txn("remove cup", func(tx *txmc.Tx) error {
			items := cart.Get(tx)
			delete(items, "cup")
			cart.Set(tx, items)
			return nil
		})
		s.Txn("checkout", func(tx *txmc.Tx) error {
			_, back := cart.Get(tx)["cup"]
			return txmc.Assert(!back, "the cup is back in the cart")
		})
	})
	p.Session("laptop", func(s *txmc.Session) {
		s.Txn("add tea", func(tx *txmc.Tx) error {
			items := cart.Get(tx)
			items["tea"]++
			cart.Set(tx, items)
			return nil
		})
	})
}
