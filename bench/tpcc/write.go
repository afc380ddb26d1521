package tpcc

import (
	"fmt"
	"strconv"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// Payment books a customer's payment at the customer, the district and the
// warehouse.
func Payment(tx table.Tx, p Place, who Who, amount float64) error {
	if w, ok := Warehouse.Row(tx, p.Warehouse); ok {
		Warehouse.Put(tx, p.Warehouse, add(w, warehousePaid, amount))
	}
	if _, err := Warehouse.Must(tx, p.Warehouse); err != nil {
		return err
	}
	if d, ok := District.Row(tx, p.id()); ok {
		District.Put(tx, p.id(), add(d, districtPaid, amount))
	}
	if _, err := District.Must(tx, p.id()); err != nil {
		return err
	}
	id, customer, err := who.find(tx)
	if err != nil {
		return err
	}
	if customer.Field(customerCredit) == "BC" { // bad credit: the clerk looks twice
		if customer, err = Customer.Must(tx, id); err != nil {
			return err
		}
	}
	customer = add(add(customer, customerBalance, -amount), customerPaid, amount)
	Customer.Put(tx, id, add(customer, customerPayments, 1))
	// An id that is never listed: nobody in the model reads the history of
	// payments, and a row would need an id of its own.
	History.Put(tx, p.id(), table.NewRow(id, money(amount)))
	return nil
}

// Line is an order line: an item, the warehouse that supplies it, how many.
type Line struct{ Item, Supply, Quantity string }

// Order is what a customer orders.
type Order struct {
	Place
	Customer string
	Count    string
	AllLocal string
	Lines    []Line
}

func (o *Order) setLines(a *client.Args) {
	items, supply, quantity := a.List(), a.List(), a.List()
	if len(supply) != len(items) || len(quantity) != len(items) {
		a.Fail(fmt.Errorf("%d items, %d suppliers and %d quantities: one of each for every order line", len(items), len(supply), len(quantity)))
		return
	}
	for i := range items {
		o.Lines = append(o.Lines, Line{items[i], supply[i], quantity[i]})
	}
}

// CreateNewOrder takes an order: it gets the district's next number, and the
// stock of every item is set.
func CreateNewOrder(tx table.Tx, o Order) error {
	if _, err := Customer.Must(tx, table.ID(o.Warehouse, o.District, o.Customer)); err != nil {
		return err
	}
	if _, err := Warehouse.Must(tx, o.Warehouse); err != nil {
		return err
	}
	district, err := District.Must(tx, o.id())
	if err != nil {
		return err
	}
	number := district.Field(districtNext)
	if district, err = District.Must(tx, o.id()); err != nil {
		return err
	}
	District.Put(tx, o.id(), district.With(districtNext, strconv.Itoa(district.Int(districtNext)+1)))

	id := table.ID(o.Warehouse, o.District, number)
	OpenOrder.Add(tx, id, table.NewRow(o.Warehouse, o.District, number, o.Customer, "0", "0", o.Count, o.AllLocal))
	NewOrder.AddID(tx, id)
	for i, line := range o.Lines {
		if err := o.addLine(tx, number, strconv.Itoa(i), line); err != nil {
			return err
		}
	}
	return nil
}

func (o *Order) addLine(tx table.Tx, number, i string, line Line) error {
	item, err := Item.Must(tx, line.Item)
	if err != nil {
		return err
	}
	stockID := table.ID(line.Supply, line.Item)
	stock, err := Stock.Must(tx, stockID)
	if err != nil {
		return err
	}
	quantity, _ := strconv.Atoi(line.Quantity)
	row := table.NewRow(o.Warehouse, o.District, number, i, line.Item, line.Supply, line.Quantity, "0",
		money(item.Float(itemPrice)*float64(quantity)), "new")
	OrderLine.Add(tx, row.ID(0, 1, 2, 3, 4, 5), row)
	Stock.Put(tx, stockID, stock.With(stockQuantity, line.Quantity))
	return nil
}

// Delivery delivers an order in each of the warehouse's first n districts.
func Delivery(tx table.Tx, n int, warehouse, carrier string) error {
	for d := range n {
		if err := deliver(tx, Place{warehouse, strconv.Itoa(d)}, carrier); err != nil {
			return err
		}
	}
	return nil
}

// deliver takes the district's last order that has not been delivered, if there
// is one, and books the sum of its lines at the customer.
func deliver(tx table.Tx, p Place, carrier string) error {
	order, number := "", -1
	for _, id := range NewOrder.IDs(tx) {
		if rest, ok := trim(id, p.id()); ok && rest > number {
			order, number = id, rest
		}
	}
	if order == "" {
		return nil
	}
	NewOrder.Del(tx, order)
	if _, err := OpenOrder.Must(tx, order); err != nil {
		return err
	}
	row, err := OpenOrder.Must(tx, order)
	if err != nil {
		return err
	}
	OpenOrder.Put(tx, order, row.With(orderCarrier, carrier))
	for _, line := range OrderLine.Rows(tx, table.Prefix(order)) {
		OrderLine.Put(tx, line.Row.ID(0, 1, 2, 3, 4, 5), line.Row.With(lineTime, "1"))
	}
	sum := 0.0
	for _, line := range OrderLine.Rows(tx, table.Prefix(order)) {
		sum += line.Row.Float(lineAmount)
	}
	id := table.ID(p.Warehouse, p.District, row.Field(orderCustomer))
	customer, err := Customer.Must(tx, id)
	if err != nil {
		return err
	}
	Customer.Put(tx, id, add(add(customer, customerBalance, sum), customerDeliveries, 1))
	return nil
}

// trim returns the number that follows the prefix in an id.
func trim(id, prefix string) (int, bool) {
	if !table.HasPrefix(id, prefix) || len(id) == len(prefix) {
		return 0, false
	}
	n, err := strconv.Atoi(id[len(prefix)+1:])
	return n, err == nil
}

// add adds n to a column.
func add(row table.Row, column int, n float64) table.Row {
	return row.With(column, money(row.Float(column)+n))
}

// money rounds to cents, so that the order of payments does not show.
func money(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
