// Package store keeps accounts and coupons, with mistakes and without.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
)

// Schema makes the tables.
//
//go:embed schema.sql
var Schema string

var (
	errInsufficient = errors.New("insufficient funds")
	errUsedUp       = errors.New("the coupon is used up")
)

const balanceOf = "SELECT balance FROM account WHERE id = $1"

// Store keeps accounts.
type Store struct{ db *sql.DB }

// New returns a store.
func New(db *sql.DB) *Store { return &Store{db} }

// inTx runs f in a transaction.
func (s *Store) inTx(ctx context.Context, opts *sql.TxOptions, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, opts)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Deposit reads the balance and writes it: a concurrent deposit is lost.
func (s *Store) Deposit(ctx context.Context, id, amount int) error {
	return s.inTx(ctx, nil, func(tx *sql.Tx) error {
		var balance int
		if err := tx.QueryRowContext(ctx, balanceOf, id).Scan(&balance); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = $1 WHERE id = $2", balance+amount, id)
		return err
	})
}

// DepositLocked locks the account first.
func (s *Store) DepositLocked(ctx context.Context, id, amount int) error {
	return s.inTx(ctx, nil, func(tx *sql.Tx) error {
		var balance int
		if err := tx.QueryRowContext(ctx, balanceOf+" FOR UPDATE", id).Scan(&balance); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = $1 WHERE id = $2", balance+amount, id)
		return err
	})
}

// Add changes the balance by one statement.
func (s *Store) Add(ctx context.Context, id, amount int) error {
	_, err := s.db.ExecContext(ctx, "UPDATE account SET balance = balance + $1 WHERE id = $2", amount, id)
	return err
}

// Withdraw takes from an account when two of them cover it together: write skew.
func (s *Store) Withdraw(ctx context.Context, from, other, amount int) error {
	return s.withdraw(ctx, nil, from, other, amount)
}

// WithdrawSerializable is Withdraw at SERIALIZABLE.
func (s *Store) WithdrawSerializable(ctx context.Context, from, other, amount int) error {
	return s.withdraw(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}, from, other, amount)
}

func (s *Store) withdraw(ctx context.Context, opts *sql.TxOptions, from, other, amount int) error {
	return s.inTx(ctx, opts, func(tx *sql.Tx) error {
		total := 0
		for _, id := range []int{from, other} {
			var balance int
			if err := tx.QueryRowContext(ctx, balanceOf, id).Scan(&balance); err != nil {
				return err
			}
			total += balance
		}
		if total < amount {
			return errInsufficient
		}
		_, err := tx.ExecContext(ctx, "UPDATE account SET balance = balance - $1 WHERE id = $2", amount, from)
		return err
	})
}

// Redeem counts the uses of a coupon and inserts one: it is used too often.
func (s *Store) Redeem(ctx context.Context, code, who string) error {
	return s.inTx(ctx, nil, func(tx *sql.Tx) error {
		var most, used int
		if err := tx.QueryRowContext(ctx, "SELECT most FROM coupon WHERE code = $1", code).Scan(&most); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM redemption WHERE code = $1", code).Scan(&used); err != nil {
			return err
		}
		if used >= most {
			return errUsedUp
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO redemption (code, who) VALUES ($1, $2)", code, who)
		return err
	})
}

// Owners lists the owners in an order that the caller chooses.
func (s *Store) Owners(ctx context.Context, column string) (owners []string, err error) {
	rows, err := s.db.QueryContext(ctx, fmt.Sprintf("SELECT owner FROM account ORDER BY %s", column))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var owner string
		if err := rows.Scan(&owner); err != nil {
			return nil, err
		}
		owners = append(owners, owner)
	}
	return owners, rows.Err()
}
