// Package sums takes money from one of two accounts that cover it together: by whole numbers, and by parts of
// them, which a column of whole numbers rounds.
package sums

import (
	"context"
	"database/sql"
	"errors"
)

// Schema makes the tables.
const Schema = "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL);"

// Bank is the application.
type Bank struct{ db *sql.DB }

// New returns a bank.
func New(db *sql.DB) *Bank { return &Bank{db} }

var errInsufficient = errors.New("insufficient funds")

// Take takes an amount: in which order two take theirs from one account makes no difference.
func (b *Bank) Take(ctx context.Context, from, other, amount int) error {
	return b.within(ctx, from, other, float64(amount), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - ? WHERE id = ?", amount, from)
		return err
	})
}

// TakePart takes what may be no whole number: each UPDATE rounds.
func (b *Bank) TakePart(ctx context.Context, from, other int, amount float64) error {
	return b.within(ctx, from, other, amount, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - ? WHERE id = ?", amount, from)
		return err
	})
}

// within calls f in a transaction, if two accounts have an amount together.
func (b *Bank) within(ctx context.Context, from, other int, amount float64, f func(*sql.Tx) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	total := 0.0
	for _, id := range []int{from, other} {
		var balance float64
		if err := tx.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = ?", id).Scan(&balance); err != nil {
			return err
		}
		total += balance
	}
	if total < amount {
		return errInsufficient
	}
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
