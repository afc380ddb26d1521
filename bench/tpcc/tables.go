// Package tpcc is the order processing of the TPC-C benchmark: warehouses with
// districts take orders of their customers, deliver them and are paid.
//
// The five transactions are those of the benchmark, cut down to what the
// experiments of the paper need. An order's number is its district's next one;
// who takes an order reads and writes the district.
package tpcc

import (
	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// The tables. NewOrder is a set of ids: the orders not yet delivered.
const (
	Warehouse table.Table = "WAREHOUSE"
	District  table.Table = "DISTRICT"
	Customer  table.Table = "CUSTOMER"
	Item      table.Table = "ITEM"
	Stock     table.Table = "STOCK"
	OpenOrder table.Table = "OPENORDER"
	NewOrder  table.Table = "NEWORDER"
	OrderLine table.Table = "ORDERLINE"
	History   table.Table = "HISTORY"
)

// Columns, counted from 0. A key's columns come first in every row.
const (
	warehousePaid = 1 // year to date

	districtNext = 2 // the next order's number
	districtPaid = 3 // year to date

	customerPayments   = 3
	customerDeliveries = 4
	customerBalance    = 5
	customerPaid       = 6 // year to date
	customerCredit     = 7
	customerName       = 8
	customerFirst      = 9

	itemPrice = 2

	stockQuantity = 4

	orderNumber    = 2
	orderCustomer  = 3
	orderCarrier   = 5
	orderLineCount = 6

	lineNumber = 2 // of its order
	lineItem   = 4
	lineTime   = 7
	lineAmount = 8
)

// App returns the application.
func App() *client.App {
	return &client.App{
		Name:   "tpcc",
		Assert: Assert,
		Schema: []table.Schema{
			{Table: District, File: "districts", Key: []int{0, 1}},
			{Table: NewOrder, File: "neworder", Key: []int{0, 1, 2}, IDsOnly: true},
			{Table: Item, File: "item", Key: []int{0}},
			{Table: Warehouse, File: "warehouse", Key: []int{0}},
			{Table: Stock, File: "stock", Key: []int{0, 1}},
			{Table: OrderLine, File: "orderline", Key: []int{0, 1, 2, 3, 4, 5}},
			{Table: Customer, File: "customer", Key: []int{0, 1, 2}},
			{Table: OpenOrder, File: "order", Key: []int{0, 1, 2}},
			{Table: History},
		},
		Txns: map[string]client.Txn{
			"stockLevel": func(a *client.Args) client.Body {
				place, limit := placeArgs(a), a.Int()
				return func(tx table.Tx) error { return StockLevel(tx, place, limit) }
			},
			"orderStatus": func(a *client.Args) client.Body {
				place := placeArgs(a)
				who := whoArgs(a, place)
				return func(tx table.Tx) error { return OrderStatus(tx, place, who) }
			},
			"payment": func(a *client.Args) client.Body {
				place := placeArgs(a)
				who, amount := whoArgs(a, place), a.Float()
				return func(tx table.Tx) error { return Payment(tx, place, who, amount) }
			},
			"createNewOrder": func(a *client.Args) client.Body {
				place, customer := placeArgs(a), a.Word()
				o := Order{Place: place, Customer: customer, Count: a.Word(), AllLocal: a.Word()}
				o.setLines(a)
				return func(tx table.Tx) error { return CreateNewOrder(tx, o) }
			},
			"delivery": func(a *client.Args) client.Body {
				n, warehouse, carrier := a.Int(), a.Word(), a.Word()
				return func(tx table.Tx) error { return Delivery(tx, n, warehouse, carrier) }
			},
		},
	}
}

// Place is a district of a warehouse.
type Place struct{ Warehouse, District string }

func (p Place) id() string { return table.ID(p.Warehouse, p.District) }

func placeArgs(a *client.Args) Place { return Place{a.Word(), a.Word()} }

// Who names a customer of a district, by number or by name.
type Who struct {
	Place
	Number string
	Name   string
	ByID   bool
}

func whoArgs(a *client.Args, p Place) Who {
	return Who{Place: p, Number: a.Word(), Name: a.Word(), ByID: a.Bool()}
}
