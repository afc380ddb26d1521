package sqltransfers

import (
	"context"
	"database/sql"
)

// The queries are as sqlc writes them.

// DBTX is a database or a transaction.
type DBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// New returns the queries on a database or a transaction.
func New(db DBTX) *Queries { return &Queries{db} }

// Queries are the statements of the application.
type Queries struct{ db DBTX }

// WithTx returns the queries on a transaction.
func (q *Queries) WithTx(tx *sql.Tx) *Queries { return &Queries{tx} }

// Account is a row of the table account.
type Account struct {
	ID      int64
	Owner   string
	Balance int64
}

const getAccount = `-- name: GetAccount :one
SELECT id, owner, balance FROM account
WHERE id = $1
`

// GetAccount returns an account.
func (q *Queries) GetAccount(ctx context.Context, id int64) (Account, error) {
	var a Account
	err := q.db.QueryRowContext(ctx, getAccount, id).Scan(&a.ID, &a.Owner, &a.Balance)
	return a, err
}

const setBalance = `-- name: SetBalance :exec
UPDATE account SET balance = $2
WHERE id = $1
`

// SetBalanceParams are the arguments of SetBalance.
type SetBalanceParams struct {
	ID      int64
	Balance int64
}

// SetBalance changes an account's balance.
func (q *Queries) SetBalance(ctx context.Context, arg SetBalanceParams) error {
	_, err := q.db.ExecContext(ctx, setBalance, arg.ID, arg.Balance)
	return err
}

const addBalance = `-- name: AddBalance :exec
UPDATE account SET balance = balance + $2
WHERE id = $1
`

// AddBalanceParams are the arguments of AddBalance.
type AddBalanceParams struct {
	ID     int64
	Amount int64
}

// AddBalance adds to an account's balance.
func (q *Queries) AddBalance(ctx context.Context, arg AddBalanceParams) error {
	_, err := q.db.ExecContext(ctx, addBalance, arg.ID, arg.Amount)
	return err
}
