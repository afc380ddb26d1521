// Package smallbank is the SmallBank benchmark (Alomari, Cahill, Fekete and Röhm, The Cost
// of Serializability on Platforms That Use Snapshot Isolation, ICDE 2008) as OLTP-Bench
// has it, on database/sql. Balances are whole numbers.
package smallbank

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

var errInsufficient = errors.New("insufficient funds")

// Bank has the transactions.
type Bank struct{ db *sql.DB }

// New returns a bank.
func New(db *sql.DB) *Bank { return &Bank{db} }

// run runs f in a transaction.
func (b *Bank) run(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// account finds a customer by name.
func account(ctx context.Context, tx *sql.Tx, name string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT custid FROM accounts WHERE name = $1", name).Scan(&id)
	return id, err
}

func savings(ctx context.Context, tx *sql.Tx, id int64) (bal int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT bal FROM savings WHERE custid = $1", id).Scan(&bal)
	return bal, err
}

func checking(ctx context.Context, tx *sql.Tx, id int64) (bal int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT bal FROM checking WHERE custid = $1", id).Scan(&bal)
	return bal, err
}

// Balance returns what a customer has.
func (b *Bank) Balance(ctx context.Context, name string) (total int, err error) {
	err = b.run(ctx, func(tx *sql.Tx) error {
		id, err := account(ctx, tx, name)
		if err != nil {
			return err
		}
		s, err := savings(ctx, tx, id)
		if err != nil {
			return err
		}
		c, err := checking(ctx, tx, id)
		total = s + c
		return err
	})
	return total, err
}

// DepositChecking adds to a checking account.
func (b *Bank) DepositChecking(ctx context.Context, name string, amount int) error {
	return b.run(ctx, func(tx *sql.Tx) error {
		id, err := account(ctx, tx, name)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE checking SET bal = bal + $1 WHERE custid = $2", amount, id)
		return err
	})
}

// TransactSavings takes from a savings account what is there.
func (b *Bank) TransactSavings(ctx context.Context, name string, amount int) error {
	return b.run(ctx, func(tx *sql.Tx) error {
		id, err := account(ctx, tx, name)
		if err != nil {
			return err
		}
		bal, err := savings(ctx, tx, id)
		if err != nil {
			return err
		}
		if bal-amount < 0 {
			return errInsufficient
		}
		_, err = tx.ExecContext(ctx, "UPDATE savings SET bal = bal - $1 WHERE custid = $2", amount, id)
		return err
	})
}

// WriteCheck takes from a checking account, and one more when both accounts do not cover
// it.
func (b *Bank) WriteCheck(ctx context.Context, name string, amount int) error {
	return b.run(ctx, func(tx *sql.Tx) error {
		id, err := account(ctx, tx, name)
		if err != nil {
			return err
		}
		s, err := savings(ctx, tx, id)
		if err != nil {
			return err
		}
		c, err := checking(ctx, tx, id)
		if err != nil {
			return err
		}
		if s+c < amount {
			_, err = tx.ExecContext(ctx, "UPDATE checking SET bal = bal - $1 WHERE custid = $2", amount+1, id)
		} else {
			_, err = tx.ExecContext(ctx, "UPDATE checking SET bal = bal - $1 WHERE custid = $2", amount, id)
		}
		return err
	})
}

// Amalgamate moves all that a customer has to another one's checking account.
func (b *Bank) Amalgamate(ctx context.Context, from, to int64) error {
	return b.run(ctx, func(tx *sql.Tx) error {
		for _, id := range []int64{from, to} {
			var name string
			if err := tx.QueryRowContext(ctx, "SELECT name FROM accounts WHERE custid = $1", id).Scan(&name); err != nil {
				return err
			}
		}
		s, err := savings(ctx, tx, from)
		if err != nil {
			return err
		}
		c, err := checking(ctx, tx, from)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE savings SET bal = 0 WHERE custid = $1", from); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE checking SET bal = 0 WHERE custid = $1", from); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE checking SET bal = bal + $1 WHERE custid = $2", s+c, to)
		return err
	})
}

// SendPayment moves money between checking accounts.
func (b *Bank) SendPayment(ctx context.Context, from, to int64, amount int) error {
	return b.run(ctx, func(tx *sql.Tx) error {
		for _, id := range []int64{from, to} {
			var name string
			if err := tx.QueryRowContext(ctx, "SELECT name FROM accounts WHERE custid = $1", id).Scan(&name); err != nil {
				return err
			}
		}
		bal, err := checking(ctx, tx, from)
		if err != nil {
			return err
		}
		if bal < amount {
			return errInsufficient
		}
		if _, err := tx.ExecContext(ctx, "UPDATE checking SET bal = bal - $1 WHERE custid = $2", amount, from); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE checking SET bal = bal + $1 WHERE custid = $2", amount, to)
		return err
	})
}
