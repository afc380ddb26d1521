// Package caller calls what other packages of its module have.
package caller

import (
	"github.com/txmc/txmc"

	"example.com/clients/helper"
)

var totals = map[string]int{}

func ExploreCaller(p *txmc.Program) {
	all := map[string]int{"a": 1, "b": 2}
	p.Session("a", func(s *txmc.Session) {
		_ = s.Txn("t", func(tx *txmc.Tx) error {
			helper.Stamp(tx)                     // want `helper.Stamp: time.Now reads the clock \(helper/helper.go:19\): .*\(clock\)`
			helper.Count()                       // want `helper.Count: this changes the package-level variable calls \(helper/helper.go:22\)`
			for _, k := range helper.Keys(all) { // want `the order of the map at helper/helper.go:27 decides the operation at caller.go:19`
				tx.Read(k)
			}
			for k := range all { // want `performs operations`
				helper.Stamp(tx) // want `helper.Stamp`
				_ = k
			}
			helper.Add(totals, "x") // want `this changes the package-level variable totals`
			var c helper.Clock
			tx.Write("now", c.Now().String()) // want `helper.Now: time.Now reads the clock`
			return nil
		})
		helper.Run(s) // want `the error of this transaction is dropped`
		s.Observe("run", true)
		for helper.Run(s) != nil { // want `no visible bound`
		}
	})
	p.Session("b", func(s *txmc.Session) {
		own := map[string]int{}
		helper.Add(own, "x")
		_ = helper.Logged()
		if err := helper.Run(s); err != nil {
			return
		}
		_ = s.Txn("t", func(tx *txmc.Tx) error {
			for _, k := range helper.Sorted(own) {
				tx.Write(k, helper.Pure(own[k]))
			}
			return nil
		})
	})
}
