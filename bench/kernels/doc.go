// Package kernels has what real applications do with their databases, written anew and small:
// programs in SQL of some sessions and transactions, whose states are counted. bench/README.md has
// the figures.
package kernels

import (
	"fmt"

	"github.com/txmc/txmc"
)

// Kernel is a program of so many sessions, of so many transactions each, at a level.
type Kernel struct {
	Name           string
	Level          string
	Sessions, Txns int
	Declare        func(p *txmc.Program)
}

// String names the kernel.
func (k Kernel) String() string {
	return fmt.Sprintf("%s %dx%d %s", k.Name, k.Sessions, k.Txns, k.Level)
}

// size is so many sessions and transactions of each.
type size struct{ sessions, txns int }

// List is all kernels in the sizes in which they are measured.
func List() (list []Kernel) {
	for _, k := range []struct {
		name, level string
		declare     func(sessions, txns int) func(p *txmc.Program)
		sizes       []size
	}{
		{"updates", "pg-rc", Updates, []size{{2, 1}, {3, 1}, {4, 1}, {2, 2}}},
		{"inserts", "pg-rc", Inserts, []size{{2, 1}, {3, 1}, {4, 1}}},
		{"numbers", "pg-rc", Numbers, []size{{2, 1}, {3, 1}}},
		{"bank", "pg-rc", Bank, []size{{2, 1}, {3, 1}, {2, 2}, {4, 1}, {2, 3}}},
		{"bank", "pg-rr", Bank, []size{{2, 1}, {3, 1}, {2, 2}}},
	} {
		for _, z := range k.sizes {
			list = append(list, Kernel{k.name, k.level, z.sessions, z.txns, k.declare(z.sessions, z.txns)})
		}
	}
	return list
}
