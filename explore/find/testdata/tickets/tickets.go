// Package tickets sells tickets. Which index finds the tickets of a customer, a plan decides: at SERIALIZABLE
// that decides what a second ticket with the number of the first one fails with.
package tickets

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

var errTwice = errors.New("the customer has a ticket for the show")

// Office sells tickets.
type Office struct{ db *sql.DB }

// New returns an office.
func New(db *sql.DB) *Office { return &Office{db} }

// Sell sells a ticket to a customer who has none for the show.
func (o *Office) Sell(ctx context.Context, ticket, customer, show, seat int) error {
	tx, err := o.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int
	switch err := tx.QueryRowContext(ctx, "SELECT id FROM ticket WHERE show = $1 AND customer = $2", show, customer).Scan(&id); {
	case err == nil:
		return errTwice
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO ticket (id, customer, show, seat) VALUES ($1, $2, $3, $4)", ticket, customer, show, seat); err != nil {
		return err
	}
	return tx.Commit()
}
