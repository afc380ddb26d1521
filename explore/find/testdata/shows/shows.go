// Package shows sells tickets for shows by counting them: a lock on the row of the show keeps others out.
package shows

import (
	"context"
	"database/sql"
	"errors"
)

// Schema makes the tables.
const Schema = `
CREATE TABLE show (id int PRIMARY KEY, seats int NOT NULL);
CREATE TABLE ticket (id bigserial PRIMARY KEY, show int NOT NULL REFERENCES show, buyer text NOT NULL);`

const (
	getShow = "SELECT seats FROM show WHERE id = $1"
	getAll  = getShow + ";"
)

var errSoldOut = errors.New("sold out")

// Sell sells a ticket.
func Sell(ctx context.Context, db *sql.DB, show int, buyer string) error {
	return sell(ctx, db, show, buyer, func(tx *sql.Tx) *sql.Row { return tx.QueryRowContext(ctx, getShow, show) })
}

// SellToo sells a ticket, by a text that ends.
func SellToo(ctx context.Context, db *sql.DB, show int, buyer string) error {
	return sell(ctx, db, show, buyer, func(tx *sql.Tx) *sql.Row { return tx.QueryRowContext(ctx, getAll, show) })
}

func sell(ctx context.Context, db *sql.DB, show int, buyer string, get func(*sql.Tx) *sql.Row) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var seats, sold int
	if err := get(tx).Scan(&seats); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM ticket WHERE show = $1", show).Scan(&sold); err != nil {
		return err
	}
	if sold >= seats {
		return errSoldOut
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO ticket (show, buyer) VALUES ($1, $2)", show, buyer); err != nil {
		return err
	}
	return tx.Commit()
}
