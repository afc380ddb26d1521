package shoppingcart

import (
	"slices"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/data"
)

// Assert declares what must hold of the cart once every session has ended.
func Assert(p *txmc.Program) {
	p.Final("every product in the cart has a row", func(tx *txmc.Tx) error {
		for _, id := range Store.IDs(tx) {
			if _, ok := Store.Row(tx, id); !ok {
				return txmc.Assertf(false, "product %s is in the cart and has no row", id)
			}
		}
		return nil
	})
	p.Invariant("a deleted item stays deleted", func(o *txmc.Outcome) error {
		left := Store.Final(o, 0)
		for _, id := range removed(o) {
			if !slices.Contains(added(o), id) && slices.Contains(left, id) {
				return txmc.Assertf(false, "product %s was removed and is back", id)
			}
		}
		return nil
	})
	p.Invariant("an added item is there", func(o *txmc.Outcome) error {
		left := Store.Final(o, 0)
		for _, id := range added(o) {
			if !slices.Contains(removed(o), id) && !slices.Contains(left, id) {
				return txmc.Assertf(false, "product %s was added and is gone", id)
			}
		}
		return nil
	})
}

func added(o *txmc.Outcome) []string {
	return append(Store.Added(o, "addItem"), Store.Added(o, "addItemQuantity")...)
}

// removed lists the products that a removeItem has taken off the list it saw.
func removed(o *txmc.Outcome) []string {
	var ids []string
	for _, s := range o.Sessions {
		for _, x := range s.Txn("removeItem") {
			was, _ := x.Reads[0].Value.([]string)
			is, _ := x.Writes[0].Value.([]string)
			for _, id := range was {
				if !slices.Contains(is, id) {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}

// ExploreRemove: one removes a product while another adds one.
func ExploreRemove(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"removeItem 1", "getList"}, []string{"addItem 4;dates;5.0"})
}

// ExploreAdd: two add different products, and one looks at the list.
func ExploreAdd(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"addItem 4;dates;5.0", "getList"}, []string{"addItem 5;eggs;2.1", "changeQuantity 5 9"})
}
