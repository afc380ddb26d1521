// Package shoppingcart is a shop's cart: customers put products into it, change
// their quantities and take them out again.
//
// The cart is one table. Its list of products is written by whoever adds or
// removes one, and a product's row by whoever changes its quantity.
package shoppingcart

import (
	"strconv"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/table"
)

// Store holds the products: id, name, price, quantity.
const Store table.Table = "STORE"

const quantityColumn = 3

// App returns the application.
func App() *client.App {
	return &client.App{
		Name:   "shoppingCart",
		Assert: Assert,
		Schema: []table.Schema{{Table: Store, File: "store", Key: []int{0}}},
		Txns: map[string]client.Txn{
			"addItem": func(a *client.Args) client.Body {
				product := table.Row(a.Word())
				return func(tx table.Tx) error { return AddItem(tx, product, 1) }
			},
			"addItemQuantity": func(a *client.Args) client.Body {
				product, n := table.Row(a.Word()), a.Int()
				return func(tx table.Tx) error { return AddItem(tx, product, n) }
			},
			"removeItem": func(a *client.Args) client.Body {
				id := a.Word()
				return func(tx table.Tx) error { return RemoveItem(tx, id) }
			},
			"changeQuantity": func(a *client.Args) client.Body {
				id, n := a.Word(), a.Int()
				return func(tx table.Tx) error { return ChangeQuantity(tx, id, n) }
			},
			"getItem":     getItem,
			"getQuantity": getItem,
			"getList": func(*client.Args) client.Body {
				return func(tx table.Tx) error { Store.Rows(tx, table.All); return nil }
			},
		},
	}
}

// AddItem puts n of a product (id, name, price) into the cart.
func AddItem(tx table.Tx, product table.Row, n int) error {
	row := table.NewRow(product.Field(0), product.Field(1), product.Field(2), strconv.Itoa(n))
	Store.Add(tx, product.Field(0), row)
	return nil
}

// RemoveItem takes a product out of the cart.
func RemoveItem(tx table.Tx, id string) error {
	Store.Del(tx, id)
	return nil
}

// ChangeQuantity sets how many of a product are in the cart.
func ChangeQuantity(tx table.Tx, id string, n int) error {
	row, err := Store.Must(tx, id)
	if err != nil {
		return err
	}
	Store.Put(tx, id, row.With(quantityColumn, strconv.Itoa(n)))
	return nil
}

// getItem looks at a product; getQuantity looks at its quantity, which is the
// same to a database.
func getItem(a *client.Args) client.Body {
	id := a.Word()
	return func(tx table.Tx) error { Store.Row(tx, id); return nil }
}
