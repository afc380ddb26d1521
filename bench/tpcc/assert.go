package tpcc

import (
	"math"
	"slices"

	"github.com/txmc/txmc"
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/data"
	"github.com/txmc/txmc/bench/table"
)

// Assert declares those of the benchmark's consistency conditions (TPC-C
// specification 5.11, clause 3.3.2) that the model has the tables for. Conditions 3,
// 5 and 7 need orders to be delivered oldest first; here delivery takes the newest.
func Assert(p *txmc.Program) {
	p.Final("condition 1: a warehouse was paid what its districts were paid", paid)
	p.Final("condition 2: a district's last order is the one before its next", nextOrders)
	p.Final("condition 4: orders have the lines that they say", orderLines)
	p.Final("condition 12: customers owe what was delivered to them and not paid", balances)
	p.Invariant("an order is delivered once", func(o *txmc.Outcome) error {
		var delivered []string
		for _, s := range o.Sessions {
			for _, x := range s.Txn("delivery") {
				for _, w := range x.Writes {
					row, ok := w.Value.(table.Row)
					if !ok || !x.Committed || !table.HasPrefix(w.Key, string(OpenOrder)) {
						continue
					}
					if slices.Contains(delivered, w.Key) {
						return txmc.Assertf(false, "order %s was delivered twice", row.ID(0, 1, 2))
					}
					delivered = append(delivered, w.Key)
				}
			}
		}
		return nil
	})
}

func same(a, b float64) bool { return math.Abs(a-b) < 0.005 }

func paid(tx *txmc.Tx) error {
	districts := District.Rows(tx, table.All)
	for _, w := range Warehouse.Rows(tx, table.All) {
		sum := 0.0
		for _, d := range districts {
			if d.Row.Field(0) == w.ID {
				sum += d.Row.Float(districtPaid)
			}
		}
		if got := w.Row.Float(warehousePaid); !same(sum, got) {
			return txmc.Assertf(false, "warehouse %s was paid %.2f, its districts %.2f", w.ID, got, sum)
		}
	}
	return nil
}

func nextOrders(tx *txmc.Tx) error {
	orders := OpenOrder.Rows(tx, table.All)
	for _, d := range District.Rows(tx, table.All) {
		last := -1
		for _, o := range orders {
			if table.HasPrefix(o.ID, d.ID) {
				last = max(last, o.Row.Int(orderNumber))
			}
		}
		if next := d.Row.Int(districtNext); last >= 0 && last != next-1 {
			return txmc.Assertf(false, "the last order of district %s is %d, its next %d", d.ID, last, next)
		}
	}
	return nil
}

func orderLines(tx *txmc.Tx) error {
	lines := OrderLine.IDs(tx)
	for _, o := range OpenOrder.Rows(tx, table.All) {
		n := 0
		for _, id := range lines {
			if table.HasPrefix(id, o.ID) {
				n++
			}
		}
		if want := o.Row.Int(orderLineCount); n != want {
			return txmc.Assertf(false, "order %s has %d lines and says %d", o.ID, n, want)
		}
	}
	return nil
}

func balances(tx *txmc.Tx) error {
	open := NewOrder.IDs(tx)
	lines := OrderLine.Rows(tx, table.All)
	delivered := map[string]float64{}
	for _, o := range OpenOrder.Rows(tx, table.All) {
		for _, line := range lines {
			if !slices.Contains(open, o.ID) && table.HasPrefix(line.ID, o.ID) {
				delivered[table.ID(o.Row.ID(0, 1), o.Row.Field(orderCustomer))] += line.Row.Float(lineAmount)
			}
		}
	}
	for _, c := range Customer.Rows(tx, table.All) {
		if got := c.Row.Float(customerBalance) + c.Row.Float(customerPaid); !same(got, delivered[c.ID]) {
			return txmc.Assertf(false, "customer %s: balance and payments add up to %.2f, deliveries to %.2f", c.ID, got, delivered[c.ID])
		}
	}
	return nil
}

// ExplorePayments: two districts of a warehouse are paid.
func ExplorePayments(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"payment 0 0 1 Berg true 20.50"}, []string{"payment 0 1 4 Lie true 5.50"})
}

// ExploreOrders: two districts take orders for the same item.
func ExploreOrders(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"createNewOrder 0 0 1 1 1 [72] [0] [1]"}, []string{"createNewOrder 0 1 4 1 1 [72] [0] [1]"})
}

// ExploreDeliveries: two carriers deliver the orders of a district, and the
// customer pays.
func ExploreDeliveries(p *txmc.Program) {
	client.Scenario(p, App(), data.FS, []string{"delivery 1 0 7"}, []string{"delivery 1 0 8"}, []string{"payment 0 0 2 Dahl true 5.00"})
}
