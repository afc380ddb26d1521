// Package shop is what docs/vet.md begins with.
package shop

import "github.com/txmc/txmc"

// ExploreRestock: the lorry brings what was ordered.
// want +5 `\(maporder\)`
func ExploreRestock(p *txmc.Program) {
	order := map[string]int{"tea": 20, "cups": 6}
	p.Session("lorry", func(s *txmc.Session) {
		s.Txn("restock", func(tx *txmc.Tx) error {
			for item, n := range order {
				tx.Write("stock/"+item, n)
			}
			return nil
		})
	})
}
