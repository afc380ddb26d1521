package tpcc

import (
	"errors"
	"slices"
	"strings"

	"github.com/txmc/txmc/bench/table"
)

// recentOrders is how many of a district's last orders StockLevel looks at.
const recentOrders = 20

// errNothing ends StockLevel when no item is short.
var errNothing = errors.New("no item is short")

// StockLevel counts the items of a district's recent orders of which the stock is
// below limit.
func StockLevel(tx table.Tx, p Place, limit int) error {
	district, err := District.Must(tx, p.id())
	if err != nil {
		return err
	}
	next := district.Int(districtNext)
	short := 0
	for _, line := range OrderLine.Rows(tx, table.Prefix(p.id())) {
		stock, ok := Stock.Row(tx, table.ID(p.Warehouse, line.Row.Field(lineItem)))
		order := line.Row.Int(lineNumber)
		if ok && order >= next-recentOrders && order < next && stock.Int(stockQuantity) < limit {
			short++
		}
	}
	if short == 0 {
		return errNothing
	}
	return nil
}

// OrderStatus looks at a customer's last order and its lines.
func OrderStatus(tx table.Tx, p Place, who Who) error {
	_, customer, err := who.find(tx)
	if err != nil {
		return err
	}
	last, found := table.Row(""), false
	for _, o := range OpenOrder.Rows(tx, table.Prefix(p.id())) {
		if o.Row.Field(orderCustomer) == customer.Field(2) && (!found || o.Row.Int(orderNumber) > last.Int(orderNumber)) {
			last, found = o.Row, true
		}
	}
	if !found {
		return table.ErrNone
	}
	OrderLine.Rows(tx, table.Prefix(table.ID(p.Warehouse, p.District, last.Field(orderNumber))))
	return nil
}

// find returns the customer's id and row. Of several of the same name it is the
// one in the middle by first name, as the benchmark has it.
func (w Who) find(tx table.Tx) (string, table.Row, error) {
	if w.ByID {
		id := table.ID(w.Warehouse, w.District, w.Number)
		row, err := Customer.Must(tx, id)
		return id, row, err
	}
	named := Customer.Rows(tx, table.Prefix(w.id()))
	named = slices.DeleteFunc(named, func(c table.Found) bool { return c.Row.Field(customerName) != w.Name })
	if len(named) == 0 {
		return "", "", table.ErrNone
	}
	slices.SortStableFunc(named, func(a, b table.Found) int {
		return strings.Compare(a.Row.Field(customerFirst), b.Row.Field(customerFirst))
	})
	middle := named[(len(named)-1)/2]
	return middle.ID, middle.Row, nil
}
