// Package globals has its database in a package-level variable.
package globals

import (
	"database/sql"
	"errors"
)

// Schema makes the table.
const Schema = "CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL)"

var db *sql.DB

// Init opens the database.
func Init(dsn string) (err error) {
	db, err = sql.Open("pgx", dsn)
	return err
}

// OrderService has no field.
type OrderService struct{}

// Buy takes one from the stock, and reads before it writes.
func (OrderService) Buy(id int) error {
	var n int
	if err := db.QueryRow("SELECT stock FROM product WHERE id = $1", id).Scan(&n); err != nil {
		return err
	}
	if n < 1 {
		return errors.New("sold out")
	}
	_, err := db.Exec("UPDATE product SET stock = $1 WHERE id = $2", n-1, id)
	return err
}

// Take takes one in one statement.
func Take(id int) error {
	_, err := db.Exec("UPDATE product SET stock = stock - 1 WHERE id = $1", id)
	return err
}
